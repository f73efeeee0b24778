// Joins what was seen of one column by several threads, or in several files of one register.

import type { ColumnTally, Example } from './column-tally.ts';

/** One tally for all tallies of a column that agree in `by`; its file is the names of all of theirs. */
export function mergeTallies(tallies: readonly ColumnTally[], by: (tally: ColumnTally) => string): ColumnTally[] {
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
