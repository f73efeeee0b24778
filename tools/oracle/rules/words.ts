// The rules of words as the documentation states them (docs/directory-developers.md, decision 111), in code that shares nothing with the index.

/** Classes of words that stand for each other in addresses and in names of structures. */
const EQUIVALENTS = `
saint st; sainte ste; boulevard bd bld boul blvd bvd; avenue av ave; rue r; place pl; route rte; chemin che chem; allee all; impasse imp;
square sq; faubourg fg fbg; quartier qua; residence res; batiment bat; general gal gen; docteur dr; professeur pr; marechal mal;
president pdt; centre ctre`;
const CLASSES = new Map(
  EQUIVALENTS.split(';')
    .map((words) => words.trim().split(/\s+/))
    .flatMap((words) => words.map((word) => [word, words] as const)),
);

/** Splits a text into words without accents, in small letters. */
export function words(text: string): string[] {
  const plain = text
    .replaceAll(/[œŒ]/g, 'oe')
    .replaceAll(/[æÆ]/g, 'ae')
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '');
  return plain.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

export const joined = (text: string) => words(text).join(' ');

export function equivalentsOf(word: string): readonly string[] {
  return CLASSES.get(word)?.filter((other) => other !== word) ?? [];
}

/** Which neighbouring words make a word together. */
export type Joining = 'names' | 'numbers' | undefined;

/** What may follow a number of a house; the first form stands for all. */
const SUFFIXES = ['b bis', 't ter', 'q quater', 'e eme ieme', 'er ere re', 'nd nde'].map((forms) => forms.split(' '));
const formsOf = (suffix: string) =>
  SUFFIXES.find((forms) => forms.includes(suffix)) ?? (/^[a-z]$/.test(suffix) ? [suffix] : undefined);

interface Together {
  /** Numbers of the first and the last word. */
  from: number;
  to: number;
  /** The word in the index. */
  word: string;
  /** Its spellings as one word. */
  spellings: readonly string[];
}

/** What neighbouring words make together. */
function together(row: readonly string[], joining: Joining): Together[] {
  const found: Together[] = [];
  const add = (from: number, to: number) => {
    const word = row.slice(from, to + 1).join('');
    found.push({ from, to, word, spellings: [word] });
  };
  const isInitial = (word = '') => /^[^\d]$/u.test(word);
  for (const [at, word] of row.entries()) {
    const [second = '', third = ''] = row.slice(at + 1);
    if (joining === 'names' && second.length > 1) add(at, at + 1);
    if (joining === 'names' && word.length <= 3 && second !== '' && second.length <= 3 && third.length > 1)
      add(at, at + 2);
    const forms = joining === 'numbers' && /^\d{1,4}$/.test(word) ? formsOf(second) : undefined;
    if (forms) {
      const spellings = forms.map((form) => word + form);
      found.push({ from: at, to: at + 1, word: spellings[0] as string, spellings });
    }
    if (joining === undefined || !isInitial(word) || isInitial(row[at - 1])) continue;
    const length = row.slice(at).findIndex((one) => !isInitial(one));
    const last = length < 0 ? row.length - 1 : at + length - 1;
    if (last > at) add(at, last);
  }
  return found;
}

/** A word of an item of a field: as it stands there, or made of neighbours. */
export function itemWords(rows: readonly string[], joining: Joining): { plain: string[]; together: string[] } {
  const split = rows.map(words);
  return {
    plain: split.flat(),
    together: split.flatMap((row) => together(row, joining).map(({ word }) => word)),
  };
}

/** A word that is looked for: words of an item that it finds by their beginning, as a whole, or as made of neighbours. */
export interface Wanted {
  beginning: string;
  whole: readonly string[];
  together: readonly string[];
}

interface Rules {
  joining: Joining;
  equivalents: boolean;
  titles: boolean;
}

/** The words that a value looks for. */
export function wantedWords(value: string, { joining, equivalents, titles }: Rules): Wanted[] {
  // Initials with dots are one word in names of structures and in addresses.
  const text = equivalents
    ? value.replaceAll(/(?<![\p{L}\p{N}])(?:\p{L}\.)+\p{L}(?![\p{L}\p{N}])/gu, (dotted) => dotted.replaceAll('.', ''))
    : value;
  const row = words(text);
  const wanted = row.map((word) => {
    const [, number = '', suffix = ''] = (joining === 'numbers' && /^(\d{1,4})([a-z]+)$/.exec(word)) || [];
    const forms = number === '' ? undefined : formsOf(suffix);
    const spelt = forms?.map((form) => number + form) ?? [];
    const made = forms ? spelt.slice(0, 1) : joining !== undefined && word.length > 1 ? [word] : [];
    return { beginning: word, whole: [...(equivalents ? equivalentsOf(word) : []), ...spelt], together: made };
  });
  for (const { from, to, word, spellings } of together(row, joining))
    for (const one of wanted.slice(from + 1, to + 1)) {
      one.whole.push(...spellings);
      if (joining === 'numbers' && /^\d/.test(word)) one.together.push(word);
    }
  return titles ? wanted.slice(titlesIn(value)) : wanted;
}

const TITLES = new Set(
  'dr drs docteur docteure doctoresse pr prof professeur professeure m mr mm mme mmes mlle monsieur madame mademoiselle'.split(
    ' ',
  ),
);

/** The number of titles at the beginning of a name. Something of two letters has to follow. */
function titlesIn(value: string): number {
  const parts = value.trim().split(/\s+/);
  const isTitle = (part = '') => TITLES.has(part.toLowerCase().replace(/\.$/, ''));
  let count = 0;
  while (isTitle(parts[count]) && words(parts.slice(count + 1).join(' ')).join('').length > 1) count++;
  return count;
}
