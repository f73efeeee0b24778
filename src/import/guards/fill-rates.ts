// Guards on the share of filled cells in each column. The share is compared with the edition before, and with a minimum for any edition.
// The limit of a decrease stands in `config/service/guard-table.ts`, and the minimums stand in `collect/column-expectations.ts`.

import { expectationOf } from '#import/collect/column-expectations.ts';
import { byRegister, type ColumnTally } from '#import/collect/column-tally.ts';
import { type EditionToJudge, unitOf } from './measured-edition.ts';
import { hasDeclined, LEAST_CASES, LEAST_OF_FIRST_IMPORT, percent, type Verdict, verdictsOn } from './verdict.ts';

const RELOAD = 'Take the file as published, again if need be';

/** Finds columns in which the share of filled cells is lower than in the edition before, by more than the limit. */
export function guardFillRates({ sources, collector, before, limits }: EditionToJudge): Verdict[] {
  const compared = mapped(collector.columns.all()).filter((tally) => shareBefore(before, tally) !== undefined);
  if (compared.length === 0) return [];
  const emptied = compared.filter((tally) =>
    hasDeclined((shareBefore(before, tally) ?? 0) * tally.rows, tally.filled, limits.fillRates),
  );
  const faults = emptied.map((tally) => ({
    register: tally.register,
    figures: `${filled(tally)}, ${percent(shareBefore(before, tally) ?? 0)} before (limit: a fall by ${percent(limits.fillRates)} of it)${firstEmpty(sources, tally)}`,
  }));
  return verdictsOn('fillRates', faults, { fine: `${compared.length} columns are filled as before`, remedy: RELOAD });
}

/**
 * Finds columns with fewer filled cells than in any published edition. A column that was already below this minimum in the edition before
 * is no fault, because that edition was accepted.
 */
export function guardFillFloors({ sources, collector, before }: EditionToJudge): Verdict[] {
  const tallies = mapped(collector.columns.all());
  if (tallies.length === 0) return [];
  const low = tallies.flatMap((tally) => {
    const { floor, of } = expectationOf(tally.register, tally.column.key);
    if (floor === undefined) return [];
    const base = of === undefined ? undefined : sibling(tallies, tally, of);
    if (of !== undefined && !base) return [];
    const cases = base?.filled ?? tally.rows;
    if (!isBelow(floor, tally.filled, cases) || wasBelow(floor, before, tally, base)) return [];
    const among = base ? ` with "${base.column.label}"` : '';
    const figures = `${filled(tally, cases, among)} (at least ${percent(floor)} in every edition)${firstEmpty(sources, tally)}`;
    return [{ register: tally.register, figures }];
  });
  return verdictsOn('fillFloors', low, { fine: 'no column is emptier than ever', remedy: RELOAD });
}

/**
 * Tells whether fewer than the share `floor` of the cases are filled. False if there are too few cases, or too few empty ones, for a
 * conclusion.
 */
function isBelow(floor: number, filledCells: number, cases: number): boolean {
  if (cases < LEAST_OF_FIRST_IMPORT || cases - filledCells < LEAST_CASES) return false;
  return filledCells < floor * cases;
}

/** Tells whether a column was already below its minimum in the edition before, among the lines in which the column `base` was filled. */
function wasBelow(
  floor: number,
  before: EditionToJudge['before'],
  tally: ColumnTally,
  base: ColumnTally | undefined,
): boolean {
  const earlier = shareBefore(before, tally);
  if (earlier === undefined) return false;
  const shareOfBase = base === undefined ? 1 : (shareBefore(before, base) ?? 1);
  return earlier < floor * shareOfBase;
}

/** Returns the columns from which an element of a resource is made. */
function mapped(tallies: readonly ColumnTally[]): ColumnTally[] {
  return byRegister(tallies).filter(({ column }) => column.to !== undefined);
}

function shareBefore(before: EditionToJudge['before'], { register, column }: ColumnTally): number | undefined {
  return before?.statistics?.columns[register]?.[column.label];
}

function sibling(
  tallies: readonly ColumnTally[],
  { register, file }: ColumnTally,
  key: string,
): ColumnTally | undefined {
  return tallies.find((other) => other.register === register && other.file === file && other.column.key === key);
}

function filled({ file, column, filled: count, rows }: ColumnTally, cases = rows, among = ''): string {
  return `${file}, column "${column.label}": filled in ${count} of ${cases} lines${among} (${percent(count / Math.max(1, cases))})`;
}

function firstEmpty(sources: EditionToJudge['sources'], tally: ColumnTally): string {
  return tally.firstEmpty === 0 ? '' : `; empty first in ${unitOf(sources, tally)} ${tally.firstEmpty}`;
}
