// Counts what the columns of the registers hold: which cells are filled, and, in a sample of the lines, what their values
// look like. A file with swapped, emptied or wrongly encoded columns has the right header and the right number of cells.

import { fold } from '#search-index/index.ts';
import { expectationOf } from './column-expectations.ts';
import type { Column, Row } from './columns.ts';
import { damaged, foreignToAscii, hasAccents } from './doubtful-characters.ts';

/** A value and where it stands. */
export interface Example {
  line: number;
  value: string;
}

/**
 * What was seen of one column of one file. Plain data: it comes from other threads. But for `rows` and `filled`, figures are
 * estimated from a sample.
 */
export interface ColumnTally {
  file: string;
  /** As the catalogue of snapshots names it. */
  register: string;
  column: Column;
  /** Lines, and those with a value in this column. */
  rows: number;
  filled: number;
  /** Line of the first empty cell; 0 where there is none. */
  firstEmpty: number;
  /** Values that were looked at, each for all those like it. */
  seen: number;
  /** Values that do not look like the column. */
  odd: number;
  oddExample?: Example;
  /** Values with characters that no register means. */
  damaged: number;
  damagedExample?: Example;
  /** Values with accents. */
  accented: number;
  /** How often each value was seen, folded once all are counted; of columns that are `lasting` only. */
  values: Map<string, number>;
}

interface Table {
  rows: number;
  /** One line in so many is looked at. */
  step: number;
  looked: number;
  columns: { index: number; lasting: boolean; tally: ColumnTally }[];
}

/** Lines looked at before the sample is thinned out: each half of it, and from then on half as many lines, weigh alike. */
const SAMPLE = 4096;
/** Different values that are counted of a column. */
const MOST_VALUES = 4096;
/** Characters of those that are: labels and names have fewer, and all that are counted are held. */
const LONGEST_VALUE = 300;

export function createColumnTallies() {
  const tables = new Map<readonly Column[], Map<string, Table>>();
  const others: ColumnTally[] = [];

  function tableOf(file: string, register: string, columns: readonly Column[]): Table {
    const byFile = tables.get(columns) ?? new Map<string, Table>();
    tables.set(columns, byFile);
    const known = byFile.get(file);
    if (known) return known;
    const table: Table = {
      rows: 0,
      step: 1,
      looked: 0,
      columns: columns.flatMap((column, index) =>
        column.to === undefined && column.shape === undefined
          ? []
          : [
              {
                index,
                lasting: expectationOf(register, column.key).lasting === true,
                tally: emptyTally(file, register, column),
              },
            ],
      ),
    };
    byFile.set(file, table);
    return table;
  }

  return {
    /** Counts a row of a file; `line` is where it stands. */
    count(file: string, register: string, columns: readonly Column[], row: Row, line: number): void {
      const table = tableOf(file, register, columns);
      const looks = ++table.rows % table.step === 0;
      for (const { index, lasting, tally } of table.columns) {
        const value = row[index];
        if (value === undefined || value === '' || (value.charCodeAt(0) <= 32 && value.trim() === '')) {
          if (tally.firstEmpty === 0) tally.firstEmpty = line;
          continue;
        }
        tally.filled++;
        if (looks) look(tally, lasting, value.trim(), line);
      }
      if (looks && ++table.looked >= SAMPLE) thinOut(table);
    },
    /** One for each column of each file, of this thread and of those whose tallies were added. */
    all: (): ColumnTally[] => [
      ...[...tables.values()].flatMap((byFile) => [...byFile.values()].flatMap(tallied)),
      ...others,
    ],
    /** Takes what another thread has seen. */
    add(tallies: readonly ColumnTally[]): void {
      others.push(...tallies);
    },
  };
}

function emptyTally(file: string, register: string, column: Column): ColumnTally {
  return {
    ...{ file, register, column, rows: 0, filled: 0, firstEmpty: 0 },
    ...{ seen: 0, odd: 0, damaged: 0, accented: 0, values: new Map() },
  };
}

function look(tally: ColumnTally, lasting: boolean, value: string, line: number): void {
  const { shape } = tally.column;
  tally.seen++;
  if (shape && !shape.test(value)) {
    tally.odd++;
    tally.oddExample ??= { line, value };
  }
  if (foreignToAscii(value)) {
    if (hasAccents(value)) tally.accented++;
    if (damaged(value)) {
      tally.damaged++;
      tally.damagedExample ??= { line, value };
    }
  }
  if (lasting && value.length <= LONGEST_VALUE) {
    const known = tally.values.get(value);
    if (known !== undefined) tally.values.set(value, known + 1);
    else if (tally.values.size < MOST_VALUES) tally.values.set(value, 1);
  }
}

/** Halves the sample. What was seen less than once in it gives way to others. */
function thinOut(table: Table): void {
  table.step *= 2;
  table.looked /= 2;
  for (const { tally } of table.columns) {
    tally.seen /= 2;
    tally.odd /= 2;
    tally.damaged /= 2;
    tally.accented /= 2;
    for (const [value, count] of tally.values) {
      if (count < 2) tally.values.delete(value);
      else tally.values.set(value, count / 2);
    }
  }
}

/** Values sent to other threads: the rest is rare. */
const MOST_SENT = 200;

/** The tallies of a table, scaled to all its lines. */
function tallied({ rows, step, columns }: Table): ColumnTally[] {
  return columns.map(({ tally }) => ({
    ...tally,
    rows,
    seen: tally.seen * step,
    odd: tally.odd * step,
    damaged: tally.damaged * step,
    accented: tally.accented * step,
    values: new Map(
      [...folded(tally.values)]
        .sort(([, a], [, b]) => b - a)
        .slice(0, MOST_SENT)
        .map(([value, count]) => [value, count * step]),
    ),
  }));
}

/** Values folded, after counting: each once, and not at each line. */
function folded(values: ReadonlyMap<string, number>): Map<string, number> {
  const all = new Map<string, number>();
  for (const [value, count] of values) {
    const plain = fold(value);
    all.set(plain, (all.get(plain) ?? 0) + count);
  }
  return all;
}

/** One tally for all tallies of a column that agree in `by`; its file is the names of all of theirs. */
function mergeTallies(tallies: readonly ColumnTally[], by: (tally: ColumnTally) => string): ColumnTally[] {
  const groups = Map.groupBy(tallies, (tally) => `${tally.register}|${tally.column.label}|${by(tally)}`);
  return [...groups.values()].map((group) => group.reduce(merged));
}

/** One tally for each column of each register. */
export function byRegister(tallies: readonly ColumnTally[]): ColumnTally[] {
  return mergeTallies(tallies, () => '');
}

/** One tally for each column of each file. */
export function byFile(tallies: readonly ColumnTally[]): ColumnTally[] {
  return mergeTallies(tallies, ({ file }) => file);
}

function merged(one: ColumnTally, other: ColumnTally): ColumnTally {
  const values = new Map(one.values);
  for (const [value, count] of other.values) values.set(value, (values.get(value) ?? 0) + count);
  const oddExample = first(one.oddExample, other.oddExample);
  const damagedExample = first(one.damagedExample, other.damagedExample);
  return {
    file: one.file.split(', ').includes(other.file) ? one.file : `${one.file}, ${other.file}`,
    register: one.register,
    column: one.column,
    rows: one.rows + other.rows,
    filled: one.filled + other.filled,
    firstEmpty: Math.min(one.firstEmpty || other.firstEmpty, other.firstEmpty || one.firstEmpty),
    seen: one.seen + other.seen,
    odd: one.odd + other.odd,
    ...(oddExample && { oddExample }),
    damaged: one.damaged + other.damaged,
    ...(damagedExample && { damagedExample }),
    accented: one.accented + other.accented,
    values,
  };
}

function first(one: Example | undefined, other: Example | undefined): Example | undefined {
  return one && other && other.line < one.line ? other : (one ?? other);
}
