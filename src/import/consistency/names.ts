// Compares two spellings of a person's name: registers differ in accents, case, hyphens and number of given names.

import { distance } from 'fastest-levenshtein';
import { tokenize } from '#search-index/index.ts';

export interface PersonName {
  family: string;
  given: string;
}

/** Maximum length of a particle (LE, DA, EL). A particle is not compared if the name also has a longer word. */
const PARTICLE = 2;

/** Tells whether both are names of one person, each part in the right column. */
export function sameName(a: PersonName, b: PersonName): boolean {
  if (a.family === b.family && a.given === b.given) return true;
  return sameFamily(a.family, b.family) && sameGiven(a.given, b.given);
}

/**
 * Checks whether the names belong to two people. Family and given name must both differ, even when each is compared with the other column.
 * A person may have several family names, and a line may lack one of them: this does not make two people.
 */
export function otherPerson(a: PersonName, b: PersonName): boolean {
  if (a.family === b.family || a.given === b.given) return false;
  if ([a.family, a.given, b.family, b.given].includes('')) return false;
  if (sameFamily(a.family, b.family) || sameGiven(a.given, b.given)) return false;
  return !(sameFamily(a.family, b.given) && sameGiven(a.given, b.family));
}

/**
 * Tells whether two texts may be the family name of one person. A line may give only one of two family names, so one common word is enough.
 * It is also enough if all letters are the same.
 */
function sameFamily(a: string, b: string): boolean {
  const [some, others] = [tokenize(a), tokenize(b)];
  if (some.join('') === others.join('')) return true;
  return significant(some).some((word) => significant(others).some((other) => sameWord(word, other)));
}

/**
 * Tells whether two texts may be the given names of one person. A line may give only the first of several given names, so the longer text
 * must have all words of the shorter one.
 */
function sameGiven(a: string, b: string): boolean {
  const [fewer, more] = [tokenize(a), tokenize(b)].sort((one, other) => one.length - other.length) as [
    string[],
    string[],
  ];
  if (fewer.length === 0) return more.length === 0;
  return fewer.join('') === more.join('') || fewer.every((word) => more.some((other) => sameWord(word, other)));
}

function significant(words: string[]): string[] {
  const long = words.filter((word) => word.length > PARTICLE);
  return long.length > 0 ? long : words;
}

/** Tells whether two words are equal up to a typing error, or one is the initial of the other. */
export function sameWord(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length === 1) return long.startsWith(short);
  return short.length >= 4 && distance(a, b) <= (short.length >= 8 ? 2 : 1);
}
