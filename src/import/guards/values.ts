// Guards on the values of a column, on swapped names and on cut values. Values of a column are faulty if they look like those of another
// column, if their encoding is damaged, or if values that should last have changed. Limits that are not declared here stand in
// `config/service/guard-table.ts` and `collect/column-expectations.ts`.

import { expectationOf } from '#import/collect/column-expectations.ts';
import { byFile, byRegister, type ColumnTally, type Example } from '#import/collect/column-tally.ts';
import { printable } from '#shared/log/printable.ts';
import type { ValueShares } from '#store/snapshots/judgements.ts';
import { type EditionToJudge, unitOf } from './measured-edition.ts';
import {
  hasDeclined,
  hasSpread,
  LEAST_OF_FIRST_IMPORT,
  LEAST_OF_REGISTER,
  percent,
  type Verdict,
  verdict,
  verdictsOn,
} from './verdict.ts';

/**
 * Maximum share of values without the shape of their column, if there is no edition to compare with and the column has no limit of its own.
 */
const ODDEST = 0.5;
/** Maximum share by which the values with accents may have become fewer since the edition before. */
const ACCENTS_LOST = 0.5;
/** Maximum share that one value may have in a column of names or coordinates. */
const MOST_OF_ONE = 0.5;
const SWAPPED = 'Are columns swapped, or were numbers changed by a spreadsheet? Take the file as published';
const CUT = 'Were names cut? Take the file as published';
const ENCODING = 'The file was converted from one encoding to another: take it as published, in UTF-8';

/** Finds columns in which too many values do not look like the values of this column. */
export function guardColumns({ sources, collector, before, limits }: EditionToJudge): Verdict[] {
  const faults = byFile(collector.columns.all()).flatMap((tally) => {
    const { register, column, seen, odd } = tally;
    const earlier = valuesBefore(before, tally)?.odd ?? (knownBefore(before, tally) ? 0 : undefined);
    const limit = earlier === undefined ? (expectationOf(register, column.key).oddest ?? ODDEST) : limits.columns;
    if (!hasSpread(odd, seen, earlier ?? 0, limit)) return [];
    const figures = `${countText(tally, odd)} do not belong there (limit ${percent(limit)}${earlier === undefined ? '' : ' more than before'})${exampleText(sources, tally, tally.oddExample)}`;
    return [{ register, figures }];
  });
  return verdictsOn('columns', faults, { fine: 'values look like their columns', remedy: SWAPPED });
}

/** Finds columns with damaged characters, and columns in which letters have lost their accents. */
export function guardCharacters({ sources, collector, before, limits }: EditionToJudge): Verdict[] {
  const faults = byRegister(collector.columns.all()).flatMap((tally) => {
    const { register, seen, damaged, accented } = tally;
    const earlier = valuesBefore(before, tally);
    const found: string[] = [];
    if (hasSpread(damaged, seen, earlier?.damaged ?? 0, limits.characters)) {
      found.push(
        `${countText(tally, damaged)} have characters that stand for others (limit ${percent(limits.characters)}${earlier?.damaged === undefined ? '' : ' more than before'})${exampleText(sources, tally, tally.damagedExample)}`,
      );
    }
    if (hasDeclined((earlier?.accented ?? 0) * seen, accented, ACCENTS_LOST)) {
      found.push(`${countText(tally, accented)} have accents, ${percent(earlier?.accented ?? 0)} before`);
    }
    const { accents = 0 } = expectationOf(register, tally.column.key);
    if (!earlier && seen >= LEAST_OF_FIRST_IMPORT && accented < accents * seen) {
      found.push(`${countText(tally, accented)} have accents (at least ${percent(accents)} in every edition)`);
    }
    return found.map((figures) => ({ register, figures }));
  });
  const fine = 'no column has more doubtful characters than before';
  return verdictsOn('characters', faults, { fine, remedy: ENCODING });
}

/** Finds columns in which the commonest values of the edition before have become too rare, or in which most lines have the same value. */
export function guardCommonValues({ collector, before, limits }: EditionToJudge): Verdict[] {
  const faults = byRegister(collector.columns.all()).flatMap((tally) => {
    const common = Object.entries(valuesBefore(before, tally)?.common ?? {});
    const figures = oneForAll(tally, common) ?? otherThanBefore(tally, common, limits.commonValues);
    return figures === undefined ? [] : [{ register: tally.register, figures }];
  });
  return verdictsOn('commonValues', faults, { fine: 'the commonest values are those of before', remedy: SWAPPED });
}

function oneForAll(tally: ColumnTally, before: readonly [string, number][]): string | undefined {
  const [top] = commonest(tally, 1);
  const { variedFrom = Number.POSITIVE_INFINITY } = expectationOf(tally.register, tally.column.key);
  if (!top || tally.seen < variedFrom || top[1] <= tally.seen * MOST_OF_ONE) return undefined;
  return before.some(([, share]) => share > MOST_OF_ONE) ? undefined : `${countText(tally, top[1])} are "${top[0]}"`;
}

function otherThanBefore(
  tally: ColumnTally,
  before: readonly [value: string, share: number][],
  limit: number,
): string | undefined {
  const { lasting, variedFrom } = expectationOf(tally.register, tally.column.key);
  if (!lasting) return undefined;
  // If most lines of the edition before had the same name, that edition was a trial. Its values need not be found in this edition.
  if (variedFrom !== undefined && (before[0]?.[1] ?? 0) > MOST_OF_ONE) return undefined;
  const share = before.reduce((sum, [, one]) => sum + one, 0);
  const found = before.reduce((sum, [value]) => sum + (tally.values.get(value) ?? 0), 0);
  if (!hasDeclined(share * tally.seen, found, limit)) return undefined;
  const names = (values: readonly (readonly [string, number])[]) =>
    values
      .slice(0, 3)
      .map(([value]) => `"${value}"`)
      .join(', ');
  return `${countText(tally, found)} are those that were the commonest before (${names(before)}, ${percent(share)} in all); the commonest are ${names(commonest(tally, 3)) || 'none'} now`;
}

/** Returns the `most` commonest values of a column, each with its number of occurrences. */
export function commonest({ values }: ColumnTally, most: number): [value: string, count: number][] {
  return [...values].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)).slice(0, most);
}

function valuesBefore(before: EditionToJudge['before'], { register, column }: ColumnTally): ValueShares | undefined {
  return before?.statistics?.values[register]?.[column.label];
}

function knownBefore(before: EditionToJudge['before'], { register, column }: ColumnTally): boolean {
  return (before?.statistics?.columns[register]?.[column.label] ?? 0) > 0;
}

function countText({ file, column, seen, filled }: ColumnTally, count: number): string {
  const all = seen !== filled ? `about ${Math.round(count)} of ${filled}` : `${Math.round(count)} of ${filled}`;
  return `${file}, column "${column.label}": ${all} values (${percent(count / Math.max(1, seen))})`;
}

function exampleText(sources: EditionToJudge['sources'], tally: ColumnTally, example: Example | undefined): string {
  if (!example) return '';
  return `, such as "${printable(example.value.slice(0, 60))}" in ${unitOf(sources, tally)} ${example.line}`;
}

// Guards on lines that the import cannot use.

// This guard notices that family and given names are swapped in all registers. A comparison of the registers with each other would not
// notice it, because they would still agree.

/** Minimum number of people for this guard. Among fewer people, there may be more different given names than family names by chance. */
const ENOUGH = 500;
/**
 * The names are taken as swapped if the number of different given names is more than this many times the number of family names. In a
 * correct register it is far smaller: France has some 1.4 million family names, and a hundredth as many given names.
 */
const MORE = 1.2;

export function guardNameVariety({ collector }: Pick<EditionToJudge, 'collector'>): Verdict[] {
  const { people, families, givens } = collector.nameVariety.all();
  if (people < ENOUGH) return [];
  return [
    verdict('namesDiffer', {
      register: 'activities',
      passed: givens <= families * MORE,
      figures: `${people} people have ${families} different family names and ${givens} given names`,
      remedy: 'Are the columns of family and given names swapped? Take the files as published',
    }),
  ];
}

// This guard finds columns in which something has cut the values at one length.

/** Minimum number of values with the greatest length, and of different values among them, from which a cut is assumed. */
const LEAST_CUT = { different: 12, values: 30 };
/**
 * A cut is assumed if the greatest length has at least this many times as many values as the length below it. Without a cut, the longest
 * names and towns are the rarest.
 */
const PILED_UP = 3;

/**
 * Finds columns in which many values have exactly the greatest length. It is no fault if the edition before had the same greatest length.
 */
export function guardLengths({ collector, before }: EditionToJudge): Verdict[] {
  const faults = byRegister(collector.columns.all()).flatMap((tally) => {
    const { register, column, file } = tally;
    const { uncut } = expectationOf(register, column.key);
    const cut = uncut === undefined || tally.rows < LEAST_OF_REGISTER ? undefined : piledUp(tally);
    if (cut === undefined || cut.length >= (uncut ?? 0) || valuesBefore(before, tally)?.cut === cut.length) return [];
    const figures = `${file}, column "${column.label}": about ${Math.round(cut.count)} values have ${cut.length} characters, the greatest length, and about ${Math.round(cut.shorter)} have one less`;
    return [{ register, figures }];
  });
  return verdictsOn('lengths', faults, { fine: 'values do not pile up at a greatest length', remedy: CUT });
}

/**
 * Returns the greatest length of the values of a column if the values seem to have been cut: many different values have this length, and
 * few are one character shorter. Also returns how many values have each of the two lengths. Undefined if nothing seems cut.
 */
export function piledUp({
  lengths,
  marks,
}: ColumnTally): { length: number; count: number; shorter: number } | undefined {
  const length = lengths.findLastIndex((count) => count > 0);
  const [count = 0, shorter = 0] = [lengths[length], lengths[length - 1]];
  const different = (marks[length] ?? 0).toString(2).replaceAll('0', '').length;
  if (different < LEAST_CUT.different || count < LEAST_CUT.values || count < PILED_UP * (shorter + 1)) return undefined;
  return { length, count, shorter };
}
