// Recognises names that were made up for tests and belong to nobody.

import { tokenize } from '#search-index/index.ts';

/** Patterns for a first, cheap check: the first matches the beginning of a short made-up name, and the second a word within a long one. */
const [BEGINNING, WITHIN] = [/^(?:test|doe)/i, /test|doe|utiliser/i];
const [T, D] = [0x74, 0x64];
const UNUSED = /\bne\P{L}+pas\P{L}+utiliser\b/iu;
const UNUSED_LENGTH = 'ne pas utiliser'.length;
/** Words in made-up names. A real person may have one of these names, so `isTestName` needs a second sign. */
const TEST_WORDS: ReadonlySet<string> = new Set(['test', 'tests', 'testeur', 'doe']);
const UNKNOWN_PEOPLE: ReadonlySet<string> = new Set([...TEST_WORDS, 'john', 'jane']);
const IMPOSSIBLE_CODES: ReadonlySet<string> = new Set(['00000', '99999']);

/**
 * Tells whether a person's name was made up for a test. This is certain if the name says in French that it must not be used. A name with
 * one of `TEST_WORDS` must also have a second sign: a digit, a second name from `UNKNOWN_PEOPLE`, an impossible postal code, or a town with
 * one of `TEST_WORDS`.
 */
export function isTestName(person: { family: string; given: string; postalCode: string; city: string }): boolean {
  const { family, given, postalCode, city } = person;
  if (UNUSED.test(family) || UNUSED.test(given)) return true;
  const [families, givens] = [wordsOf(family), wordsOf(given)];
  const [inFamily, inGiven] = [families, givens].map((words) => words.some((word) => TEST_WORDS.has(word)));
  if (!inFamily && !inGiven) return false;
  const others = inFamily ? givens : families;
  return (
    /\d/.test(family + given) ||
    (others.length > 0 && others.every((word) => UNKNOWN_PEOPLE.has(word))) ||
    IMPOSSIBLE_CODES.has(postalCode) ||
    wordsOf(city).some((word) => TEST_WORDS.has(word))
  );
}

/**
 * Tells whether `isTestName` has to examine a name. This check runs for millions of names, so it must be cheap. For most names, it looks
 * only at the first letter and the length.
 */
export function mayBeTest(family: string, given: string): boolean {
  return mayBe(family) || mayBe(given);
}

function mayBe(name: string): boolean {
  if (name.length >= UNUSED_LENGTH) return WITHIN.test(name);
  const first = name.charCodeAt(0) | 0x20;
  return (first === T || first === D) && BEGINNING.test(name);
}

/** Returns the words of a name. A number at the end of a word is removed, as in `TEST001`. */
function wordsOf(name: string): string[] {
  return tokenize(name).map((word) => word.replace(/\d+$/, ''));
}
