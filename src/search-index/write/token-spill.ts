// Tokenizes the items of one field while a snapshot is being written, and spills the numbers of their terms.

import type { Field } from '../file-layout.ts';
import type { SpillFile } from './spill-file.ts';
import { createTermTable, type TermTable } from './term-table.ts';

/** Takes the items of one resource after another. */
export function createTokenSpill(field: Field, spill: SpillFile<Uint32Array>) {
  let table: TermTable | undefined = createTermTable();
  const numbers: number[] = [];
  return {
    field,
    spill,
    /**
     * Adds the items of the next resource, in the form of `FieldContent`.
     * @param texts UTF-8 in which each item ends with a zero byte
     * @param at where the first one begins
     * @returns where the last one ends
     */
    add(texts: Buffer, at: number, items: number): number {
      spill.push(Math.max(1, items));
      if (items === 0) spill.push(0);
      let start = at;
      for (let item = 0; item < items; item++) {
        const end = texts.indexOf(0, start);
        numbers.length = 0;
        table?.addAll(texts, start, end, numbers);
        spill.push(numbers.length);
        for (let word = 0; word < numbers.length; word++) spill.push(numbers[word] as number);
        start = end + 1;
      }
      return start;
    },
    /** All words by number; the field takes no more afterwards. */
    terms() {
      const words = table?.words() ?? [];
      table = undefined;
      return words;
    },
  };
}
