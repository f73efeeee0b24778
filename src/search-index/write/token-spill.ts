// Owns the words of one field while a snapshot is being loaded: their numbers, and the items set aside by resource.
// Does not own the lists made of them (`sqlite-lists.ts`).

import type { Field } from '../file-layout.ts';
import type { Spool } from './spill-file.ts';
import { createWordTable, type WordTable } from './term-table.ts';

/** Takes the items of one resource after another. */
export function createWordSpool(field: Field, spool: Spool<Uint32Array>) {
  let table: WordTable | undefined = createWordTable();
  const numbers: number[] = [];
  return {
    field,
    spool,
    /**
     * Adds the items of the next resource, in the form of `FieldContent`.
     * @param texts UTF-8 in which each item ends with a zero byte
     * @param at where the first one begins
     * @returns where the last one ends
     */
    add(texts: Buffer, at: number, items: number): number {
      spool.push(Math.max(1, items));
      if (items === 0) spool.push(0);
      let start = at;
      for (let item = 0; item < items; item++) {
        const end = texts.indexOf(0, start);
        numbers.length = 0;
        table?.addAll(texts, start, end, numbers);
        spool.push(numbers.length);
        for (let word = 0; word < numbers.length; word++) spool.push(numbers[word] as number);
        start = end + 1;
      }
      return start;
    },
    /** All words by number; the field takes no more afterwards. */
    vocabulary() {
      const words = table?.words() ?? [];
      table = undefined;
      return words;
    },
  };
}
