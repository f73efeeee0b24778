// The words of a field of all entries of a type, numbered, so that a scan over an edition takes milliseconds.

import type { Edition, Entry, Type } from '../edition/entry.ts';
import { itemWords, type Joining, type Wanted } from './words.ts';

/** Items of a field: rows of neighbouring words. */
const ITEMS: Readonly<Record<string, (entry: Entry) => readonly (readonly string[])[]>> = {
  // Family and given names are no neighbours, but one item; each name of a structure is one.
  name: ({ type, names }) => (type === 'Practitioner' ? [names] : names.map((name) => [name])),
  family: ({ family }) => [[family]],
  given: ({ given }) => [[given]],
  address: ({ addresses }) => addresses.map(({ lines, postalCode, city }) => [[...lines, postalCode, city].join(' ')]),
  'address-city': ({ addresses }) => addresses.map(({ city }) => [city]),
  'address-postalcode': ({ addresses }) => addresses.map(({ postalCode }) => [postalCode]),
};

interface WordField {
  /** The numbers of the words of each item of each entry. */
  items: readonly (readonly { plain: Uint32Array; together: Uint32Array }[])[];
  vocabulary: readonly string[];
}

export type WordFields = ReturnType<typeof createWordFields>;

export function createWordFields({ entries }: Edition) {
  const fields = new Map<string, WordField>();

  function fieldOf(type: Type, name: string, joining: Joining): WordField {
    const known = fields.get(`${type} ${name}`);
    if (known) return known;
    const numbers = new Map<string, number>();
    const numberOf = (word: string) => {
      const number = numbers.get(word) ?? numbers.size;
      numbers.set(word, number);
      return number;
    };
    const items = entries[type].map((entry) =>
      (ITEMS[name]?.(entry) ?? []).map((rows) => {
        const { plain, together } = itemWords(rows, joining);
        return { plain: Uint32Array.from(plain, numberOf), together: Uint32Array.from(together, numberOf) };
      }),
    );
    const field = { items, vocabulary: [...numbers.keys()] };
    fields.set(`${type} ${name}`, field);
    return field;
  }

  return {
    /** Marks the entries with an item that has all words of an alternative. */
    find(type: Type, name: string, joining: Joining, alternatives: readonly (readonly Wanted[])[]): Uint8Array {
      const { items, vocabulary } = fieldOf(type, name, joining);
      const flagged = alternatives
        .filter((wanted) => wanted.length > 0)
        .map((wanted) =>
          wanted.map(({ beginning, whole, together }) => ({
            plain: Uint8Array.from(vocabulary, (word) => Number(word.startsWith(beginning) || whole.includes(word))),
            together: Uint8Array.from(vocabulary, (word) => Number(together.includes(word))),
          })),
        );
      return Uint8Array.from(items, (some) =>
        Number(
          some.some((item) =>
            flagged.some((wanted) =>
              wanted.every(
                (one) => item.plain.some((word) => one.plain[word]) || item.together.some((word) => one.together[word]),
              ),
            ),
          ),
        ),
      );
    },
    /** Marks the entries with any word. */
    present: (type: Type, name: string, joining: Joining): Uint8Array =>
      Uint8Array.from(fieldOf(type, name, joining).items, (some) => Number(some.some(({ plain }) => plain.length > 0))),
  };
}
