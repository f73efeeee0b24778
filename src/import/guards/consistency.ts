// Guards on how far the registers of one edition agree with each other: the best there are at a first load.

import { COMPARISONS, type ComparisonKey, type ConsistencyGuard, type Tally } from '../consistency/tallies.ts';
import { titleOf } from './counts.ts';
import type { MappedEdition } from './measured-edition.ts';
import { percent, type Verdict, verdict } from './verdict.ts';

/** Cases beyond what was to be expected that may be chance. */
const CHANCE = 10;

const REMEDIES: Readonly<Record<ConsistencyGuard, string>> = {
  unknownPeople: 'Give the whole registers of one day',
  namesDiffer: 'Is a file of another day, or are its columns swapped or its lines shifted? Take it as published',
  professionsDiffer: 'Is a file of another day, or are its columns swapped or its lines shifted? Take it as published',
  danglingStructures: 'Give the whole files of one day',
  coverage: 'Give the whole file',
  fused: 'Are the identifiers of a file shifted? Take it as published',
};

/** One comparison that there were cases of. */
export interface MeasuredComparison extends Tally {
  key: ComparisonKey;
  guard: ConsistencyGuard;
  register: string;
  /** Which cases are counted, and what is odd about some: in words. */
  whole: string;
  what: string;
  share: number;
  /** Share in the edition before. */
  before?: number;
}

/** Guards on registers that are each compared with the register of activities. */
const WITH_ACTIVITIES: readonly ConsistencyGuard[] = ['unknownPeople', 'namesDiffer', 'professionsDiffer'];

type Measured = Pick<MappedEdition, 'collector' | 'before'>;

/** How far the registers agree, comparison by comparison. */
export function measureConsistency({ collector, before }: Measured): MeasuredComparison[] {
  return (Object.keys(COMPARISONS) as ComparisonKey[]).flatMap((key) => {
    const tally = collector.consistency.all[key];
    if (tally.checked === 0) return [];
    const { guard, register, checked: whole, odd: what } = COMPARISONS[key];
    const earlier = before?.statistics?.consistency?.[key];
    const share = tally.odd / tally.checked;
    return [{ key, guard, register, whole, what, ...tally, share, ...(earlier !== undefined && { before: earlier }) }];
  });
}

/** Shares of what does not agree, for the next edition. */
export function consistencyShares(edition: Measured): Record<string, number> {
  return Object.fromEntries(measureConsistency(edition).map(({ key, share }) => [key, share]));
}

/** Shares that are larger than in the edition before, or at a first load than usual. */
export function guardConsistency({ limits, ...edition }: MappedEdition): Verdict[] {
  const measured = measureConsistency(edition).map((one) => {
    const { key, guard, odd, checked, whole, what, share, before, register, examples } = one;
    const expected = before ?? COMPARISONS[key].usual;
    const limit = limits[guard];
    const passed = share - expected <= limit || odd - expected * checked < CHANCE;
    const beside = `${before === undefined ? 'usual' : 'before'} ${percent(expected)}, limit ${percent(limit)} more`;
    const such = passed || examples.length === 0 ? '' : `; such as ${examples.join('; ')}`;
    const figures = `${titleOf(register)}: ${odd} of ${checked} ${whole} ${what} (${percent(share)}, ${beside})${such}`;
    return { guard, register, passed, figures };
  });
  return [...Map.groupBy(measured, ({ guard }) => guard)].flatMap(([guard, group]) => {
    const failed = group.filter(({ passed }) => !passed);
    // Where all others contradict the register of activities, that one is at fault.
    if (WITH_ACTIVITIES.includes(guard) && failed.length > 1 && failed.length === group.length) {
      const figures = failed.map((one) => one.figures).join('; ');
      return [verdict(guard, { register: 'activities', passed: false, figures, remedy: REMEDIES[guard] })];
    }
    return group.map(({ register, passed, figures }) =>
      verdict(guard, { register, passed, figures, remedy: REMEDIES[guard] }),
    );
  });
}
