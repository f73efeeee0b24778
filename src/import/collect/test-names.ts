// Recognises the names of tests, which belong to nobody.

import { tokenize } from '#search-index/index.ts';

/** How names of tests begin, and what longer ones may have within them. */
const [BEGINNING, WITHIN] = [/^(?:test|doe)/i, /test|doe|utiliser/i];
const [T, D] = [0x74, 0x64];
const UNUSED = /\bne\P{L}+pas\P{L}+utiliser\b/iu;
const UNUSED_LENGTH = 'ne pas utiliser'.length;
/** Somebody may have one of these names, so a second sign is needed. */
const TEST_WORDS: ReadonlySet<string> = new Set(['test', 'tests', 'testeur', 'doe']);
const UNKNOWN_PEOPLE: ReadonlySet<string> = new Set([...TEST_WORDS, 'john', 'jane']);
const IMPOSSIBLE_CODES: ReadonlySet<string> = new Set(['00000', '99999']);

/** Tells whether a person has the name of a test: words that only a test has, or a usual name of tests beside a second sign of a test. */
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

/** Tells whether a name is worth a look. Millions are compared, so only the first letter or the length is looked at. */
export function mayBeTest(family: string, given: string): boolean {
  return mayBe(family) || mayBe(given);
}

function mayBe(name: string): boolean {
  if (name.length >= UNUSED_LENGTH) return WITHIN.test(name);
  const first = name.charCodeAt(0) | 0x20;
  return (first === T || first === D) && BEGINNING.test(name);
}

/** The words of a name, without the number behind a word such as `TEST001`. */
function wordsOf(name: string): string[] {
  return tokenize(name).map((word) => word.replace(/\d+$/, ''));
}
