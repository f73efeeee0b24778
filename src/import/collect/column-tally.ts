// Counts the filled cells of each register column, and examines the values in a sample of the lines. The result shows columns that were
// swapped, emptied or wrongly encoded, although their headers and the number of cells are right.

import { fold } from '#search-index/index.ts';
import { expectationOf } from './column-expectations.ts';
import type { Column, Row } from './columns.ts';
import { damaged, foreignToAscii, hasAccents } from './damaged-characters.ts';

/** An example of a value, with the line in which it stands. */
export interface Example {
  line: number;
  value: string;
}

/** Plain data about one column of one file. All figures except `rows`, `filled` and `firstEmpty` are estimates from a sample. */
export interface ColumnTally {
  file: string;
  /** Name of the register in the snapshot registry. */
  register: string;
  column: Column;
  /** Number of all lines, and of the lines with a value in this column. */
  rows: number;
  filled: number;
  /** Line of the first empty cell; 0 if there is none. */
  firstEmpty: number;
  /** Number of values in the sample, scaled to all lines. */
  seen: number;
  /** Number of values that do not have the shape of the column. */
  odd: number;
  oddExample?: Example;
  /** Number of values with damaged characters. */
  damaged: number;
  damagedExample?: Example;
  /** Number of values with accents. */
  accented: number;
  /** How often each value occurs, without accents and case. Only in columns with `lasting` or `variedFrom` (`ColumnExpectation`). */
  values: Map<string, number>;
  /** Number of values by length. Only in columns with `uncut` (`ColumnExpectation`). */
  lengths: number[];
  /** 32 bits for each length. Each value sets the bit of its hash, so many set bits mean many different values. */
  marks: number[];
}

interface Table {
  of: readonly Column[];
  file: string;
  rows: number;
  /** One line in `step` belongs to the sample. */
  step: number;
  looked: number;
  columns: { isCounted: boolean; isMeasured: boolean; tally: ColumnTally }[];
  /**
   * For each column: its index in a row, the number of filled cells, and the line of the first empty cell. These are typed arrays, because
   * every cell of millions of lines is counted.
   */
  indexes: Uint16Array;
  filled: Uint32Array;
  firstEmpty: Uint32Array;
}

/** When the sample has this number of lines, half of it is dropped. From then on, half as many lines are sampled as before. */
const SAMPLE = 4096;
/** Maximum number of different values that are counted in one column. */
const MOST_VALUES = 4096;
/** Maximum length of a value that is counted. All counted values are held in memory, and labels and names are shorter than this. */
const LONGEST_VALUE = 300;

export function createColumnTallies() {
  const tables: Table[] = [];
  const others: ColumnTally[] = [];

  function tableOf(file: string, register: string, columns: readonly Column[]): Table {
    // A loop is faster than a map here, because there are few tables.
    for (let at = 0; at < tables.length; at++) {
      const known = tables[at] as Table;
      if (known.of === columns && known.file === file) return known;
    }
    const counted = [...columns.entries()].filter(([, { to, shape }]) => to !== undefined || shape !== undefined);
    const table: Table = {
      of: columns,
      file,
      rows: 0,
      step: 1,
      looked: 0,
      columns: counted.map(([, column]) => {
        const { lasting, variedFrom, uncut } = expectationOf(register, column.key);
        const isCounted = (lasting ?? variedFrom) !== undefined;
        return { isCounted, isMeasured: uncut !== undefined, tally: emptyTally(file, register, column) };
      }),
      indexes: Uint16Array.from(counted, ([index]) => index),
      filled: new Uint32Array(counted.length),
      firstEmpty: new Uint32Array(counted.length),
    };
    tables.push(table);
    return table;
  }

  return {
    /** Counts a row of a file. `line` is its line number. */
    count(file: string, register: string, columns: readonly Column[], row: Row, line: number): void {
      const table = tableOf(file, register, columns);
      const { indexes, filled, firstEmpty } = table;
      const looks = ++table.rows % table.step === 0;
      for (let at = 0; at < indexes.length; at++) {
        const value = row[indexes[at] as number];
        if (value === undefined || value === '' || (value.charCodeAt(0) <= 32 && value.trim() === '')) {
          if (firstEmpty[at] === 0) firstEmpty[at] = line;
          continue;
        }
        filled[at] = (filled[at] as number) + 1;
        if (looks) look(table.columns[at] as Table['columns'][number], value.trim(), line);
      }
      if (looks && ++table.looked >= SAMPLE) thinOut(table);
    },
    /** Returns one tally for each column of each file, including the tallies that `add` has added. */
    all: (): ColumnTally[] => [...tables.flatMap(tallied), ...others],
    /** Adds the tallies of another thread. */
    add(tallies: readonly ColumnTally[]): void {
      others.push(...tallies);
    },
  };
}

function emptyTally(file: string, register: string, column: Column): ColumnTally {
  return {
    file,
    register,
    column,
    rows: 0,
    filled: 0,
    firstEmpty: 0,
    seen: 0,
    odd: 0,
    damaged: 0,
    accented: 0,
    values: new Map(),
    lengths: [],
    marks: [],
  };
}

function look({ tally, isCounted, isMeasured }: Table['columns'][number], value: string, line: number): void {
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
  if (isCounted && value.length <= LONGEST_VALUE) {
    const known = tally.values.get(value);
    if (known !== undefined) tally.values.set(value, known + 1);
    else if (tally.values.size < MOST_VALUES) tally.values.set(value, 1);
  }
  if (isMeasured) measure(tally, value);
}

/** The greatest length that is distinguished. A longer value is counted with the values of this length. */
const MEASURED = 127;

function measure({ lengths, marks }: ColumnTally, value: string): void {
  const length = Math.min(value.length, MEASURED);
  for (let next = lengths.length; next <= length; next++) {
    lengths.push(0);
    marks.push(0);
  }
  lengths[length] = (lengths[length] ?? 0) + 1;
  let hash = 0;
  for (let at = 0; at < length; at++) hash = (hash * 31 + value.charCodeAt(at)) | 0;
  marks[length] = ((marks[length] ?? 0) | (1 << ((hash ^ (hash >>> 15)) & 31))) >>> 0;
}

/** Halves the sample: halves all counts, and drops a value if its count is below 2. */
function thinOut(table: Table): void {
  table.step *= 2;
  table.looked /= 2;
  for (const { tally } of table.columns) {
    tally.seen /= 2;
    tally.odd /= 2;
    tally.damaged /= 2;
    tally.accented /= 2;
    tally.lengths = tally.lengths.map((count) => count / 2);
    for (const [value, count] of tally.values) {
      if (count < 2) tally.values.delete(value);
      else tally.values.set(value, count / 2);
    }
  }
}

/** Maximum number of values of one column that are sent to other threads. They are the commonest ones. */
const MOST_SENT = 200;

/** Returns the tallies of a table. Counts of the sample are scaled to all lines. */
function tallied({ rows, step, columns, filled, firstEmpty }: Table): ColumnTally[] {
  return columns.map(({ tally }, at) => ({
    ...tally,
    rows,
    filled: filled[at] as number,
    firstEmpty: firstEmpty[at] as number,
    seen: tally.seen * step,
    odd: tally.odd * step,
    damaged: tally.damaged * step,
    accented: tally.accented * step,
    lengths: tally.lengths.map((count) => count * step),
    values: new Map(
      [...folded(tally.values)]
        .sort(([, a], [, b]) => b - a)
        .slice(0, MOST_SENT)
        .map(([value, count]) => [value, count * step]),
    ),
  }));
}

/** Adds up the counts of values that differ only in accents and case. Folding the value of each line instead would cost more. */
function folded(values: ReadonlyMap<string, number>): Map<string, number> {
  const all = new Map<string, number>();
  for (const [value, count] of values) {
    const plain = fold(value);
    all.set(plain, (all.get(plain) ?? 0) + count);
  }
  return all;
}

/** Merges tallies of the same column for which `by` returns the same text. The `file` of the result lists all their files. */
function mergeTallies(tallies: readonly ColumnTally[], by: (tally: ColumnTally) => string): ColumnTally[] {
  const groups = Map.groupBy(tallies, (tally) => `${tally.register}|${tally.column.label}|${by(tally)}`);
  return [...groups.values()].map((group) => group.reduce(merged));
}

/** Merges the tallies of all files, so that there is one for each column of each register. */
export function byRegister(tallies: readonly ColumnTally[]): ColumnTally[] {
  return mergeTallies(tallies, () => '');
}

/** Merges the tallies of all threads, so that there is one for each column of each file. */
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
    lengths: longerOf(one.lengths, other.lengths).map((_, at) => (one.lengths[at] ?? 0) + (other.lengths[at] ?? 0)),
    marks: longerOf(one.marks, other.marks).map((_, at) => ((one.marks[at] ?? 0) | (other.marks[at] ?? 0)) >>> 0),
  };
}

function longerOf(one: readonly number[], other: readonly number[]): readonly number[] {
  return one.length > other.length ? one : other;
}

function first(one: Example | undefined, other: Example | undefined): Example | undefined {
  return one && other && other.line < one.line ? other : (one ?? other);
}
