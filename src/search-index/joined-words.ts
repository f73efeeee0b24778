// Words that people write together or apart: LE GALL and LEGALL, JEAN PIERRE and JEANPIERRE, C.H.U. and CHU, 12 BIS and 12B. So the index
// also has words that are made by joining neighbouring words of an item. A search joins its own neighbouring words in the same way. A
// joined word is only found as a whole, so that JEANP does not find JEAN PIERRE.

import { tokenize } from './tokenizer.ts';

/** Separates words of an item that are not neighbours, such as family name and given names. */
export const ITEM_BREAK = '\n';

/**
 * Which words of a field are joined. `names`: neighbouring words. `numbers`: a number in an address and the suffix after it (12 BIS). With
 * either value, neighbouring initials are joined too (C.H.U.).
 */
export type Joining = 'names' | 'numbers';
const JOINING: Readonly<Record<string, Joining>> = {
  name: 'names',
  family: 'names',
  given: 'names',
  address: 'numbers',
  'address-city': 'numbers',
};

export function joiningOf(field: string): Joining | undefined {
  return Object.hasOwn(JOINING, field) ? JOINING[field] : undefined;
}

/** Two words of at most this many letters are also joined with the name that follows them: DE LA TOUR, VAN DEN BERG, DE L'ISLE. */
const PARTICLE = 3;

/**
 * The suffixes that may follow a number, each with all its forms. The index has only the first form of a suffix. Any other single letter is
 * also a suffix, with no further form.
 */
const SUFFIXES = ['b bis', 't ter', 'q quater', 'e eme ieme', 'er ere re', 'nd nde'].map((forms) => forms.split(' '));
const FORMS = new Map(SUFFIXES.flatMap((forms) => forms.map((form) => [form, forms] as const)));
const NUMBER = /^\d{1,4}$/;
const NUMBER_AND_SUFFIX = /^(\d{1,4})([a-z]{1,6})$/;

/** Returns the form in which the index has a suffix of a number, such as `b` for `bis`. Returns undefined if the word is not a suffix. */
export function suffixOf(word: string): string | undefined {
  return FORMS.get(word)?.[0] ?? (/^[a-z]$/.test(word) ? word : undefined);
}

/** A row of words, with the properties that decide which of them are joined. */
export interface WordRow {
  count(): number;
  /** Number of characters of the word at this index. */
  length(at: number): number;
  isDigit(at: number): boolean;
  /** Checks whether the word is a number and the next word is a suffix of it. */
  isNumbered(at: number): boolean;
}

/** The indexes of the first and the last word of some neighbouring words that are joined. */
interface Run {
  from: number;
  to: number;
  kind: 'words' | 'number';
}

/** Finds the neighbouring words in a row that must be joined. */
export function runsOf(joining: Joining, row: WordRow): readonly Run[] {
  const runs: Run[] = [];
  const count = row.count();
  const letters = (at: number) => (at >= 0 && at < count ? row.length(at) : 0);
  const isInitial = (at: number) => letters(at) === 1 && !row.isDigit(at);
  for (let at = 0; at < count - 1; at++) {
    if (joining === 'numbers') {
      if (row.isNumbered(at)) runs.push({ from: at, to: at + 1, kind: 'number' });
    } else {
      // A word is not joined with a single letter after it, because that letter is usually an initial: Michel E. is not Michele.
      if (letters(at + 1) > 1) runs.push({ from: at, to: at + 1, kind: 'words' });
      if (letters(at) <= PARTICLE && letters(at + 1) <= PARTICLE && letters(at + 2) > 1)
        runs.push({ from: at, to: at + 2, kind: 'words' });
    }
    if (!isInitial(at) || isInitial(at - 1)) continue;
    let last = at;
    while (isInitial(last + 1)) last++;
    if (last > at) runs.push({ from: at, to: last, kind: 'words' });
  }
  return runs;
}

function rowOf(words: readonly string[]): WordRow {
  const word = (at: number) => words[at] as string;
  return {
    count: () => words.length,
    length: (at) => [...word(at)].length,
    isDigit: (at) => /^\d/.test(word(at)),
    isNumbered: (at) => NUMBER.test(word(at)) && suffixOf(word(at + 1)) !== undefined,
  };
}

function together(words: readonly string[], { from, to, kind }: Run): string {
  if (kind === 'number') return `${words[from]}${suffixOf(words[to] as string)}`;
  return words.slice(from, to + 1).join('');
}

/** Returns the words that are made by joining neighbouring words of an item. Empty if the words of the field are not joined. */
export function joinedWords(field: string, item: string): readonly string[] {
  const joining = joiningOf(field);
  if (joining === undefined) return [];
  return item.split(ITEM_BREAK).flatMap((part) => {
    const words = tokenize(part);
    return runsOf(joining, rowOf(words)).map((run) => together(words, run));
  });
}

/**
 * Other forms in which the index may have a searched word. A search looks them up in addition to all words that begin with the searched
 * word.
 */
interface WrittenForms {
  /** Forms that are looked up among the words of an item, as whole words. */
  whole: string[];
  /** Forms that are looked up among the joined words of an item. */
  joined: string[];
}

/** Returns the other forms of each word of a searched value. */
export function writtenForms(field: string, words: readonly string[]): readonly WrittenForms[] {
  const joining = joiningOf(field);
  if (joining === undefined) return words.map(() => ({ whole: [], joined: [] }));
  const forms = words.map((word) => formsOf(joining, word));
  for (const run of runsOf(joining, rowOf(words))) {
    const { from, to, kind } = run;
    // The joined word is added to the forms of its words, except to those of its first word. A search finds all words that begin with the
    // first word, so it finds the joined word too.
    for (let at = from + 1; at <= to; at++) {
      const { whole, joined } =
        kind === 'number'
          ? numberForms(words[from] as string, words[to] as string)
          : { whole: [together(words, run)], joined: [] };
      forms[at]?.whole.push(...whole);
      forms[at]?.joined.push(...joined);
    }
  }
  return forms;
}

function formsOf(joining: Joining, word: string): WrittenForms {
  const [, number = '', suffix = ''] = NUMBER_AND_SUFFIX.exec(word) ?? [];
  if (joining === 'numbers' && suffixOf(suffix) !== undefined) return numberForms(number, suffix);
  return { whole: [], joined: [...word].length > 1 ? [word] : [] };
}

function numberForms(number: string, suffix: string): WrittenForms {
  const forms = FORMS.get(suffix) ?? [suffix];
  return { whole: forms.map((form) => number + form), joined: [`${number}${forms[0]}`] };
}
