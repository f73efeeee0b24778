// The figures of an edition that are stored for the comparison with the next one.

import type { Collector } from '#import/collect/collector.ts';
import { expectationOf } from '#import/collect/column-expectations.ts';
import { byRegister, type ColumnTally } from '#import/collect/column-tally.ts';
import { consistencyShares } from '#import/guards/consistency.ts';
import { pairFigures } from '#import/guards/pairs.ts';
import { commonest, piledUp } from '#import/guards/values.ts';
import type { EditionStatistics, ValueShares } from '#store/snapshots/judgements.ts';

/** Number of the commonest values of a column that are stored. */
const COMMONEST = 8;

/** Returns the statistics of an edition that was not read. */
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
    ...{ elements, professions, linesPerPerson: lines / people, largest: share(largest.people, people) },
    ...{ duplicates: share(duplicates.people, people), testNames: share(tests.length, people) },
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

/** Returns a share, rounded to five decimal places. */
function share(count: number, all: number): number {
  return Math.round((count / Math.max(1, all)) * 1e5) / 1e5;
}
