// The figures of an edition. Some are stored, so that the next edition can be compared with them. Others are shown on the page of
// `directory report`.

import type { Collector, DoubtfulResource } from '#import/collect/collector.ts';
import { expectationOf } from '#import/collect/column-expectations.ts';
import { byRegister, type ColumnTally } from '#import/collect/column-tally.ts';
import type { PairKey } from '#import/collect/pairs.ts';
import type { Measured } from '#import/collect/population-figures.ts';
import type { WarningKind } from '#import/collect/warnings.ts';
import { consistencyShares } from '#import/guards/consistency.ts';
import { measurePairs, pairFigures } from '#import/guards/pairs.ts';
import { commonest, piledUp } from '#import/guards/values.ts';
import type { EditionStatistics, ValueShares } from '#store/snapshots/judgements.ts';

/** Number of values of a column that are stored, the commonest first. */
const COMMONEST = 8;

/** Returns empty statistics, for an edition that was not read or mapped. */
export function noStatistics(): EditionStatistics {
  return { columns: {}, values: {}, departments: {} };
}

export function statisticsOf(collector: Collector): EditionStatistics {
  const { columns, departments } = collector;
  const statistics: EditionStatistics = {
    ...noStatistics(),
    departments,
    consistency: consistencyShares({ collector }),
    pairs: pairFigures(collector),
    ...populationFigures(collector),
  };
  for (const tally of byRegister(columns.all())) {
    const { register, column, filled, rows } = tally;
    if (column.to === undefined) continue;
    statistics.columns[register] ??= {};
    statistics.columns[register][column.label] = share(filled, rows);
    const shares = sharesOf(tally);
    if (Object.keys(shares).length === 0) continue;
    statistics.values[register] ??= {};
    statistics.values[register][column.label] = shares;
  }
  return statistics;
}

function populationFigures({ populations }: Collector): Partial<EditionStatistics> {
  const measured = populations.measured();
  const { people, lines, professions, elements, largest, duplicates, tests, shared, addresses } = measured;
  if (people === 0) return { elements };
  return {
    elements,
    professions,
    linesPerPerson: lines / people,
    largest: share(largest.people, people),
    duplicates: share(duplicates.people, people),
    testNames: share(tests.length, people),
    shared: share(shared[0]?.people ?? 0, addresses),
  };
}

function sharesOf(tally: ColumnTally): ValueShares {
  const { register, column, seen, odd, damaged, accented } = tally;
  const { lasting, uncut } = expectationOf(register, column.key);
  const cut = uncut === undefined ? undefined : piledUp(tally)?.length;
  const common = lasting ? commonest(tally, COMMONEST).map(([value, count]) => [value, share(count, seen)]) : [];
  return {
    ...(odd > 0 && { odd: share(odd, seen) }),
    ...(damaged > 0 && { damaged: share(damaged, seen) }),
    ...(cut !== undefined && { cut }),
    ...(accented > 0 && { accented: share(accented, seen) }),
    ...(common.length > 0 && { common: Object.fromEntries(common) }),
  };
}

/** Returns the share of `count` in `all` (0-1), rounded to five decimal places. */
function share(count: number, all: number): number {
  return Math.round((count / Math.max(1, all)) * 1e5) / 1e5;
}

export interface Quality extends Pick<Measured, 'matrix' | 'labels' | 'withoutPlace' | 'tests'> {
  /** Number of people by profession. */
  professions: Record<string, number>;
  /** Doubtful records of the kinds that have no list of their own on the page. */
  doubtful: DoubtfulResource[];
  duplicates: Measured['duplicates'];
  /**
   * Numbers of mail addresses that have the owner's name (`own`), another person's name (`other`), or no name (`neutral`). `listed` holds
   * some of the mailboxes with another person's name.
   */
  mailboxes: { own: number; other: number; neutral: number; listed: DoubtfulResource[]; shared: Measured['shared'] };
  pairs: PairQuality[];
}

/** How well the values of a pair fit each other, as in `PairFigures`. `runs` are the runs of lines in which they do not fit. */
interface PairQuality {
  key: PairKey;
  checked: number;
  odd: number;
  fit: number;
  runs: { from: number; to: number; checked: number; odd: number; examples: string[] }[];
}

/** Kinds of doubtful records that have a list of their own on the page. */
const LISTED_APART: ReadonlySet<WarningKind> = new Set(['mailbox-of-another', 'same-person-twice', 'test-person']);

export function qualityOf(collector: Collector): Quality {
  const { matrix, labels, withoutPlace, tests, duplicates, shared, professions } = collector.populations.measured();
  const measured = measurePairs(collector);
  const caseCounts = (wanted: string) => measured.find(({ key }) => key === wanted) ?? { checked: 0, oddCases: 0 };
  const [names, ofOthers] = [caseCounts('mailboxNames'), caseCounts('mailboxRuns')];
  const doubtful = collector.doubtful();
  return {
    matrix,
    labels,
    withoutPlace,
    tests,
    duplicates,
    professions: Object.fromEntries(
      Object.keys(matrix).map((code) => [code, professions[`profession ${code}`] ?? 0] as const),
    ),
    doubtful: doubtful.filter(({ kind }) => !LISTED_APART.has(kind)),
    mailboxes: {
      own: names.checked - names.oddCases,
      other: ofOthers.oddCases,
      neutral: names.oddCases - ofOthers.oddCases,
      listed: doubtful.filter(({ kind }) => kind === 'mailbox-of-another'),
      shared,
    },
    pairs: measured.map(({ key, checked, odd, fit, runs }) => ({
      key,
      checked,
      odd,
      fit,
      runs: runs.map(({ from, to, checked, odd, examples }) => ({ from, to, checked, odd, examples })),
    })),
  };
}
