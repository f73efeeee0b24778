// The quality of an edition, for the page of `directory report`.

import type { Collector, DoubtfulResource } from '#import/collect/collector.ts';
import type { PairKey } from '#import/collect/pairs.ts';
import type { Measured } from '#import/collect/population-figures.ts';
import type { WarningKind } from '#import/collect/warnings.ts';
import { measurePairs } from '#import/guards/pairs.ts';

export interface Quality extends Pick<Measured, 'matrix' | 'labels' | 'withoutPlace' | 'tests'> {
  /** Number of people by profession. */
  professions: Record<string, number>;
  /** Doubtful records that are in no other list. */
  doubtful: DoubtfulResource[];
  duplicates: Measured['duplicates'];
  /** Numbers of addresses with the owner's name, with another's name, and with none. `listed` holds some of those with another's name. */
  mailboxes: { own: number; other: number; neutral: number; listed: DoubtfulResource[]; shared: Measured['shared'] };
  pairs: PairQuality[];
}

/** How far the values of a pair belong together, as in `PairFigures`. `runs` are the lines in which they do not belong together. */
interface PairQuality {
  key: PairKey;
  checked: number;
  odd: number;
  fit: number;
  runs: { from: number; to: number; checked: number; odd: number; examples: string[] }[];
}

/** Kinds of doubtful records that have lists of their own. */
const LISTED_APART: ReadonlySet<WarningKind> = new Set(['mailbox-of-another', 'same-person-twice', 'test-person']);

export function qualityOf(collector: Collector): Quality {
  const { matrix, labels, withoutPlace, tests, duplicates, shared, professions } = collector.populations.measured();
  const measured = measurePairs(collector);
  const caseCounts = (wanted: string) => measured.find(({ key }) => key === wanted) ?? { checked: 0, oddCases: 0 };
  const [names, ofOthers] = [caseCounts('mailboxNames'), caseCounts('mailboxRuns')];
  const doubtful = collector.doubtful();
  return {
    ...{ matrix, labels, withoutPlace, tests, duplicates },
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
      ...{ key, checked, odd, fit },
      runs: runs.map(({ from, to, checked, odd, examples }) => ({ from, to, checked, odd, examples })),
    })),
  };
}
