// Owns the words of one field while a snapshot is being loaded: their numbers, and the items set aside by resource.
// Does not own the lists made of them (`sqlite-lists.ts`).

import { wordsOf } from '../../shared/words.ts';
import type { Field } from './sqlite-layout.ts';
import type { Spool } from './sqlite-spool.ts';

/** Texts of items whose words are remembered, for towns and first names come again and again. */
const REMEMBERED_ITEMS = 10_000;

/** Takes the items of one resource after another. */
export function createWordSpool(field: Field, spool: Spool<Uint32Array>) {
  const numbers = new Map<string, number>();
  const remembered = new Map<string, readonly number[]>();
  const wordNumbers = (text: string): readonly number[] => {
    const known = remembered.get(text);
    if (known) return known;
    const found = wordsOf(text).map((word) => {
      const number = numbers.get(word) ?? numbers.size;
      if (number === numbers.size) numbers.set(word, number);
      return number;
    });
    if (remembered.size < REMEMBERED_ITEMS) remembered.set(text, found);
    return found;
  };
  return {
    field,
    spool,
    /** Adds the items of the next resource, in the form of `FieldContent`. */
    add(items: readonly string[]) {
      spool.push(Math.max(1, items.length));
      if (items.length === 0) spool.push(0);
      for (const item of items) {
        const words = wordNumbers(item);
        spool.push(words.length);
        spool.pushAll(words);
      }
    },
    /** All words by number; the field takes no more afterwards. */
    vocabulary() {
      const words = [...numbers.keys()];
      numbers.clear();
      remembered.clear();
      return words;
    },
  };
}
