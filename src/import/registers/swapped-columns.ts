// Checks that values look like their column: a file with swapped columns has the right header and number of cells.

import { type Column, cell, type Row } from './bind-header.ts';

/** What was seen of one column of one file. Plain data: it comes from other threads. */
export interface ColumnTally {
  file: string;
  /** The first column of its table: a file of FINESS holds several tables. */
  table: string;
  column: string;
  seen: number;
  odd: number;
  example: string;
}

interface TableCheck {
  rows: number;
  columns: { index: number; shape: RegExp; tally: ColumnTally }[];
}

const LEAST_SEEN = 20;
const MOST_ODD = 0.5;
/** Lines looked at one by one; behind them one in 16. */
const FIRST_LINES = 4096;

export function createColumnChecks() {
  const tallies = new Map<string, ColumnTally>();
  const checks = new Map<readonly Column[], Map<string, TableCheck>>();

  function tallyOf(file: string, table: string, column: string): ColumnTally {
    const key = `${file}|${table}|${column}`;
    const tally = tallies.get(key) ?? { file, table, column, seen: 0, odd: 0, example: '' };
    tallies.set(key, tally);
    return tally;
  }

  function checkOf(file: string, columns: readonly Column[]): TableCheck {
    const byFile = checks.get(columns) ?? new Map<string, TableCheck>();
    checks.set(columns, byFile);
    const known = byFile.get(file);
    if (known) return known;
    const check: TableCheck = {
      rows: 0,
      columns: columns.flatMap(({ label, shape }, index) =>
        shape ? [{ index, shape, tally: tallyOf(file, columns[0]?.label ?? '', label) }] : [],
      ),
    };
    byFile.set(file, check);
    return check;
  }

  return {
    /** Looks at a row of a file. */
    check(file: string, columns: readonly Column[], row: Row): void {
      const check = checkOf(file, columns);
      if (++check.rows > FIRST_LINES && check.rows % 16 !== 0) return;
      for (const { index, shape, tally } of check.columns) {
        const value = cell(row, index);
        if (value === '') continue;
        tally.seen++;
        if (shape.test(value)) continue;
        tally.odd++;
        tally.example ||= value;
      }
    },
    tallies: (): ColumnTally[] => [...tallies.values()],
    /** Takes what another thread has seen. */
    add(others: readonly ColumnTally[]): void {
      for (const { file, table, column, seen, odd, example } of others) {
        const tally = tallyOf(file, table, column);
        tally.seen += seen;
        tally.odd += odd;
        tally.example ||= example;
      }
    },
    /** Columns of which most values do not look right. */
    odd: (): ColumnTally[] =>
      [...tallies.values()].filter(({ seen, odd }) => odd >= LEAST_SEEN && odd > seen * MOST_ODD),
  };
}
