// Words that people write together or apart: LE GALL and LEGALL, JEAN PIERRE and JEANPIERRE, C.H.U. and CHU, 12 BIS and 12B. For each item,
// the index also has the words that neighbouring words make when they are joined. A search joins its own neighbouring words in the same
// way. A joined word is only found as a whole, so that JEANP does not find JEAN PIERRE.

import { tokenize } from './tokenizer.ts';

/** Separates words of an item that are not neighbours, such as family name and given names. */
export const ITEM_BREAK = '\n';

/**
 * Which words of a field are joined. `names`: neighbouring words. `numbers`: a number in an address and the word after it. Initials are
 * joined in both.
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
 * The forms of a suffix that may follow a number. The index has the first form in place of the others. A suffix of another single letter
 * stays as it is.
 */
const SUFFIXES = ['b bis', 't ter', 'q quater', 'e eme ieme', 'er ere re', 'nd nde'].map((forms) => forms.split(' '));
const FORMS = new Map(SUFFIXES.flatMap((forms) => forms.map((form) => [form, forms] as const)));
const NUMBER = /^\d{1,4}$/;
const NUMBER_AND_SUFFIX = /^(\d{1,4})([a-z]{1,6})$/;

/** The suffix of a number, in the form of the index; undefined if the word is no such suffix. */
export function suffixOf(word: string): string | undefined {
  return FORMS.get(word)?.[0] ?? (/^[a-z]$/.test(word) ? word : undefined);
}

/** A row of words, with the properties that joining depends on. */
export interface WordRow {
  count(): number;
  /** Number of characters of the word. */
  length(at: number): number;
  isDigit(at: number): boolean;
  /** Checks whether the word is a number and the next word is a suffix of it. */
  isNumbered(at: number): boolean;
}

/** Words that are joined, from the first to the last one. */
interface Run {
  from: number;
  to: number;
  kind: 'words' | 'number';
}

/** Finds the words in a row that are joined. */
export function runsOf(joining: Joining, row: WordRow): readonly Run[] {
  const runs: Run[] = [];
  const count = row.count();
  const letters = (at: number) => (at >= 0 && at < count ? row.length(at) : 0);
  const isInitial = (at: number) => letters(at) === 1 && !row.isDigit(at);
  for (let at = 0; at < count - 1; at++) {
    if (joining === 'numbers') {
      if (row.isNumbered(at)) runs.push({ from: at, to: at + 1, kind: 'number' });
    } else {
      // A single letter at the end is not joined, because it is an initial: Michel E. is not Michele.
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

/** The words that neighbouring words of an item make when they are joined. */
export function joinedWords(field: string, item: string): readonly string[] {
  const joining = joiningOf(field);
  if (joining === undefined) return [];
  return item.split(ITEM_BREAK).flatMap((part) => {
    const words = tokenize(part);
    return runsOf(joining, rowOf(words)).map((run) => together(words, run));
  });
}

/** The forms that the index may have for a word of a search, in addition to the words that begin with it. */
interface WrittenForms {
  /** Whole words of the item. */
  whole: string[];
  /** Words that neighbouring words of the item make when they are joined. */
  joined: string[];
}

/** The further forms of each word of one value. */
export function writtenForms(field: string, words: readonly string[]): readonly WrittenForms[] {
  const joining = joiningOf(field);
  if (joining === undefined) return words.map(() => ({ whole: [], joined: [] }));
  const forms = words.map((word) => formsOf(joining, word));
  for (const run of runsOf(joining, rowOf(words))) {
    const { from, to, kind } = run;
    // The first word needs no such form: the joined word begins with it, so it is found anyway.
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
