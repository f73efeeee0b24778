// Compares two spellings of a person's name: registers differ in accents, case, hyphens and number of given names.

import { distance } from 'fastest-levenshtein';
import { tokenize } from '#search-index/index.ts';

export interface PersonName {
  family: string;
  given: string;
}

/** Maximum length of a particle (LE, DA, EL). Particles are ignored in a comparison if the name also has a longer word. */
const PARTICLE = 2;

/**
 * Tells whether both names may belong to one person. Family names are only compared with family names, and given names with given names.
 */
export function sameName(a: PersonName, b: PersonName): boolean {
  if (a.family === b.family && a.given === b.given) return true;
  return sameFamily(a.family, b.family) && sameGiven(a.given, b.given);
}

/**
 * Tells whether the two names belong to two people. For that, the family names and the given names must both differ, and the names must not
 * agree when family and given name are swapped in one of them. Family names with a common word count as equal, because a line may have only
 * one of two family names. Returns false if a family name or a given name is missing.
 */
export function otherPerson(a: PersonName, b: PersonName): boolean {
  if (a.family === b.family || a.given === b.given) return false;
  if ([a.family, a.given, b.family, b.given].includes('')) return false;
  if (sameFamily(a.family, b.family) || sameGiven(a.given, b.given)) return false;
  return !(sameFamily(a.family, b.given) && sameGiven(a.given, b.family));
}

/**
 * Tells whether two texts may be the family name of one person. One common word is enough, because a line may have only one of the person's
 * two family names. Without a common word, the texts must have the same letters in the same order, as `LE GALL` and `LEGALL` have.
 */
function sameFamily(a: string, b: string): boolean {
  const [some, others] = [tokenize(a), tokenize(b)];
  if (some.join('') === others.join('')) return true;
  return significant(some).some((word) => significant(others).some((other) => sameWord(word, other)));
}

/**
 * Tells whether two texts may be the given names of one person. All words of the shorter text must occur in the longer one, because a line
 * may have only the first of several given names.
 */
function sameGiven(a: string, b: string): boolean {
  const [one, other] = [tokenize(a), tokenize(b)];
  const [fewer, more] = one.length <= other.length ? [one, other] : [other, one];
  if (fewer.length === 0) return more.length === 0;
  return fewer.join('') === more.join('') || fewer.every((word) => more.some((other) => sameWord(word, other)));
}

function significant(words: string[]): string[] {
  const long = words.filter((word) => word.length > PARTICLE);
  return long.length > 0 ? long : words;
}

/** Tells whether two words are equal except for a typing error, or whether one is the initial of the other. */
export function sameWord(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length === 1) return long.startsWith(short);
  return short.length >= 4 && distance(a, b) <= (short.length >= 8 ? 2 : 1);
}
