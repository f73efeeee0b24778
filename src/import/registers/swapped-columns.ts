// Checks that values look like their column: a file with swapped columns has the right header and number of cells.

import { type Column, cell, type Row } from './columns.ts';

interface Count {
  column: Column;
  index: number;
  seen: number;
  odd: number;
  example: string;
}

export interface OddColumn {
  column: string;
  seen: number;
  odd: number;
  example: string;
}

const LEAST_SEEN = 20;
const MOST_ODD = 0.5;
/** Lines looked at one by one; behind them one in 16. */
const FIRST_LINES = 4096;

/** What a check has seen of one column, for another check of the same file. */
export type ShapeTally = Pick<Count, 'index' | 'seen' | 'odd' | 'example'>;

export type ShapeCheck = ReturnType<typeof createShapeCheck>;

export function createShapeCheck(columns: readonly Column[]) {
  const counts: Count[] = columns.flatMap((column, index) =>
    column.shape ? [{ column, index, seen: 0, odd: 0, example: '' }] : [],
  );
  let rows = 0;
  return {
    look(row: Row): void {
      if (++rows > FIRST_LINES && rows % 16 !== 0) return;
      for (const count of counts) {
        const value = cell(row, count.index);
        if (value === '') continue;
        count.seen++;
        if (count.column.shape?.test(value)) continue;
        count.odd++;
        if (count.example === '') count.example = value;
      }
    },
    tallies: (): ShapeTally[] => counts.map(({ index, seen, odd, example }) => ({ index, seen, odd, example })),
    /** Takes what was seen elsewhere of the same columns. */
    add(tallies: readonly ShapeTally[]): void {
      for (const { index, seen, odd, example } of tallies) {
        const count = counts.find((one) => one.index === index);
        if (!count) continue;
        count.seen += seen;
        count.odd += odd;
        count.example ||= example;
      }
    },
    /** Columns of which most values do not look right. */
    odd(): OddColumn[] {
      return counts
        .filter(({ seen, odd }) => odd >= LEAST_SEEN && odd > seen * MOST_ODD)
        .map(({ column, seen, odd, example }) => ({ column: column.label, seen, odd, example }));
    },
  };
}
