// Compares the names of a person as two lines give them: registers differ in accents, case, hyphens and given names.

import { distance } from 'fastest-levenshtein';
import { tokenize } from '#search-index/index.ts';

export interface PersonName {
  family: string;
  given: string;
}

/** Words up to that length are particles (LE, DA, EL) beside a longer one. */
const PARTICLE = 2;

/** Whether both are names of one person as registers write them, and nothing is in the wrong column. */
export function sameName(a: PersonName, b: PersonName): boolean {
  if (a.family === b.family && a.given === b.given) return true;
  return sameFamily(a.family, b.family) && sameGiven(a.given, b.given);
}

/**
 * Whether the names are those of two people: family and given name both differ, and neither are they the same in each
 * other's column. A person may have several family names, or a line may lack one: that is no other person.
 */
export function otherPerson(a: PersonName, b: PersonName): boolean {
  if (a.family === b.family || a.given === b.given) return false;
  if ([a.family, a.given, b.family, b.given].includes('')) return false;
  if (sameFamily(a.family, b.family) || sameGiven(a.given, b.given)) return false;
  return !(sameFamily(a.family, b.given) && sameGiven(a.given, b.family));
}

/** One word in common, or the same letters: of two family names a line may give one. */
function sameFamily(a: string, b: string): boolean {
  const [some, others] = [tokenize(a), tokenize(b)];
  if (some.join('') === others.join('')) return true;
  return significant(some).some((word) => significant(others).some((other) => sameWord(word, other)));
}

/** All words of the shorter are in the longer: of several given names a line may give the first. */
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

/** The same but for a slip of the pen, or an initial of the other. */
function sameWord(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length === 1) return long.startsWith(short);
  return short.length >= 4 && distance(a, b) <= (short.length >= 8 ? 2 : 1);
}
