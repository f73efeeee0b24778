// Guards on how far the registers of one edition agree with each other. They matter most at a first import, because they need no earlier
// edition. Their limits are in `config/service/guard-table.ts`.

import {
  type Cases,
  COMPARISONS,
  type ComparisonKey,
  type ConsistencyGuard,
  type Tally,
} from '#import/collect/consistency-tallies.ts';
import { titleOf } from '#import/registers/register-kinds.ts';
import type { EditionToJudge } from './measured-edition.ts';
import { LEAST_CASES, percent, type Verdict, verdict } from './verdict.ts';

/** A comparison fails only if it has at least this many odd cases more than expected. A smaller excess may be chance. */
const CHANCE = 10;

const REMEDIES: Readonly<Record<ConsistencyGuard, string>> = {
  unknownPeople: 'Give the whole registers of one day',
  namesDiffer: 'Is a file of another day, or are its columns swapped or its lines shifted? Take it as published',
  professionsDiffer: 'Is a file of another day, or are its columns swapped or its lines shifted? Take it as published',
  labelsDiffer: 'Are a column of codes and that of their labels shifted against each other? Take the file as published',
  danglingStructures: 'Give the whole files of one day',
  coverage: 'Give the whole file',
  fused: 'Are the identifiers of a file shifted? Take it as published',
};

/** A comparison with its result. It has at least one case. */
interface MeasuredComparison extends Tally {
  key: ComparisonKey;
  guard: ConsistencyGuard;
  register: string;
  /** Words for all cases that were compared. */
  whole: string;
  /** Words that tell what is odd about the odd cases. */
  what: string;
  share: number;
  /** Share of odd cases in the edition before. */
  before?: number;
}

/** Guards that compare another register with the register of activities. */
const WITH_ACTIVITIES: readonly ConsistencyGuard[] = ['unknownPeople', 'namesDiffer', 'professionsDiffer'];

type Measured = Pick<EditionToJudge, 'collector' | 'before'>;

/** Returns the result of each comparison that has cases. */
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

/** Returns the share of odd cases in each comparison. The next edition is compared with these shares. */
export function consistencyShares(edition: Measured): Record<string, number> {
  return Object.fromEntries(measureConsistency(edition).map(({ key, share }) => [key, share]));
}

/**
 * Compares the share of odd cases in each comparison with that of the edition before, or at a first import with the usual share. If all
 * cases together pass, each group of people is checked for a majority of odd cases.
 */
export function guardConsistency({ limits, ...edition }: EditionToJudge): Verdict[] {
  const measured = measureConsistency(edition).map((one) => {
    const { key, guard, odd, checked, whole, what, share, before, register, examples, groups } = one;
    const expected = before ?? COMPARISONS[key].usual;
    const limit = limits[guard];
    const excess = odd - expected * checked;
    const isWhole = share - expected > limit && excess >= CHANCE;
    const places = isWhole || limit >= 1 || excess < LEAST_CASES ? [] : oddGroups(groups);
    const passed = !isWhole && places.length === 0;
    const beside = `${before === undefined ? 'usual' : 'before'} ${percent(expected)}, limit ${percent(limit)} more`;
    const where = places
      .slice(0, 3)
      .map((place) => `, but ${groups[place]?.odd} of ${groups[place]?.checked} of ${place}`);
    const such = (listed: number) =>
      passed || examples.length === 0 ? '' : `; such as ${examples.slice(0, listed).join('; ')}`;
    const measures = `${titleOf(register)}: ${odd} of ${checked} ${whole} ${what} (${percent(share)}, ${beside})${where.join('')}`;
    const [figures, short] = [measures + such(examples.length), measures + such(1)];
    return { key, guard, register, passed, figures, short, groups, places };
  });
  return [...Map.groupBy(measured, ({ guard }) => guard)].flatMap(([guard, group]) => {
    const failed = group.filter(({ passed }) => !passed);
    // If all other registers contradict the register of activities, the fault is in the activities and not in all the others.
    const contradicting = group.filter(({ key }) => key !== 'skillsInSkills');
    if (WITH_ACTIVITIES.includes(guard) && isContradictedByAll(contradicting)) {
      const figures = failed.map(({ short }) => short).join('; ');
      return [verdict(guard, { register: 'activities', passed: false, figures, remedy: REMEDIES[guard] })];
    }
    return group.map(({ register, passed, figures }) =>
      verdict(guard, { register, passed, figures, remedy: REMEDIES[guard] }),
    );
  });
}

interface Compared {
  passed: boolean;
  groups: Readonly<Record<string, Cases>>;
  places: readonly string[];
}

/**
 * Returns the groups in which more than half of the cases are odd. Such a group is refused, whatever share of odd cases is expected of all
 * people.
 */
function oddGroups(groups: Readonly<Record<string, Cases>>): string[] {
  return Object.keys(groups).filter((group) => (groups[group]?.odd ?? 0) >= LEAST_CASES && isMostlyOdd(groups[group]));
}

function isMostlyOdd({ checked, odd }: Cases = { checked: 0, odd: 0 }): boolean {
  return odd > checked / 2;
}

/**
 * Tells whether several registers contradict the register of activities and no register confirms it. If only some groups of people fail, a
 * register that passes is considered only if it has people of these groups.
 */
function isContradictedByAll(group: readonly Compared[]): boolean {
  const places = group.flatMap((one) => one.places);
  const contradicts = ({ passed, groups }: Compared) => !passed || places.some((place) => isMostlyOdd(groups[place]));
  const concerned = group.filter(
    (one) => places.length === 0 || !one.passed || places.some((place) => one.groups[place]),
  );
  return concerned.length > 1 && concerned.every(contradicts);
}
