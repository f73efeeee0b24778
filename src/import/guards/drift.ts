// Guards on losses that add up over many editions, although each edition stayed below the limits for one edition. The limits are in
// `config/service/guard-table.ts`.

import { byRegister } from '#import/collect/column-tally.ts';
import { editionsOf } from '#import/registers/source.ts';
import type { LoadedEdition } from '#store/snapshots/judgements.ts';
import { guardRegisters, guardShrinkage } from './counts.ts';
import { declined, PARTS } from './departments-and-professions.ts';
import type { EditionToJudge } from './measured-edition.ts';
import { hasDeclined, hasLost, limitText, percent, type Verdict, verdict } from './verdict.ts';

/**
 * Acceptances that reset the comparison: with each of them, the operator accepts a smaller directory, or one with other content. Editions
 * before the accepted one are not compared any more.
 */
const RESETTING_ACCEPTANCES = ['other-people', 'shrinkage', 'registers', 'removed', 'drift', 'turnover'];

/**
 * Returns the latest editions of the history, back to the last one that the operator accepted by one of `RESETTING_ACCEPTANCES` or by
 * `guard`. That edition is included. Without such an edition, returns the whole history.
 */
export function sinceAccepted(history: readonly LoadedEdition[], guard?: string): readonly LoadedEdition[] {
  const at = history.findIndex(({ accepted }) =>
    accepted.some((name) => name === guard || RESETTING_ACCEPTANCES.includes(name)),
  );
  return at < 0 ? history : history.slice(0, at + 1);
}

/**
 * Returns the editions of `sinceAccepted` without the oldest one, so that their changes can be added up. The changes of the oldest edition
 * do not count: the operator has accepted them, or this edition is the state from which the changes of the last 30 days are counted.
 */
export function changedSinceAccepted(history: readonly LoadedEdition[], guard?: string): readonly LoadedEdition[] {
  return sinceAccepted(history, guard).slice(0, -1);
}

/**
 * Returns a function that tells whether a guard on this edition alone already refuses a register. The guard on 30 days then gives no
 * verdict on that register, so that the operator has to accept the loss only once.
 */
export function refusedBy(...verdicts: readonly Verdict[]): (register: string) => boolean {
  const refused = new Set(verdicts.flatMap(({ passed, register }) => (passed ? [] : [register])));
  return (register) => refused.has(register);
}

/** Compares the number of resources of each type, and of lines in each register, with the largest number in the last 30 days. */
export function guardDrift(edition: EditionToJudge): Verdict[] {
  const { sources, counts, history, limits } = edition;
  const known = refusedBy(...guardRegisters(edition), ...guardShrinkage(edition));
  const earlier = sinceAccepted(history);
  const lines = (editions: Readonly<Record<string, { lines: number }>>) =>
    Object.fromEntries(Object.entries(editions).map(([register, one]) => [register, one.lines]));
  const now: Readonly<Record<string, number>> = { ...counts, ...lines(editionsOf(sources)) };
  const most = new Map<string, { size: number; on: Date }>();
  for (const { counts: loaded, editions, madeAt } of earlier) {
    for (const [register, size] of Object.entries({ ...loaded, ...lines(editions) })) {
      if (size > (most.get(register)?.size ?? 0)) most.set(register, { size, on: madeAt });
    }
  }
  return [...most].flatMap(([register, { size, on }]) => {
    if (known(register)) return [];
    const left = now[register] ?? 0;
    // A loss that is allowed in one edition is also allowed in 30 days, even if the operator has set a lower limit for 30 days.
    const limit = Math.max(limits.drift, register in counts ? limits.shrinkage : limits.registers);
    return verdict('drift', {
      register,
      passed: !hasLost(size - left, size, limit),
      figures: `${size} on ${on.toISOString().slice(0, 10)}, ${left} now ${limitText(size - left, size, limit, ' fewer')}`,
      remedy: 'Is the loss of these days real? Look at the registers and departments that became smaller',
    });
  });
}

// The next guards find losses within a register that add up over many editions. The guards on one edition notice a lost column or
// department only if it is lost in that single edition.

/** Maximum number of columns, departments or professions that one verdict lists. */
const NAMED = 5;

/**
 * Compares the columns, departments and professions of this edition with each edition of the last 30 days. The other guards compare them
 * only with the edition before.
 */
export function guardDriftWithin(edition: EditionToJudge): Verdict[] {
  return [...columns(edition), ...parts(edition)];
}

function columns({ collector, before, history, limits }: EditionToJudge): Verdict[] {
  const earlier = sinceAccepted(history, 'fill-rates');
  const limit = Math.max(limits.drift, limits.fillRates);
  const shareIn = (statistics: LoadedEdition['statistics'] | undefined, register: string, label: string) =>
    statistics?.columns[register]?.[label] ?? 0;
  const emptied = byRegister(collector.columns.all()).flatMap(({ register, column: { label, to }, rows, filled }) => {
    const share = shareIn(before?.statistics, register, label);
    if (to === undefined || hasDeclined(share * rows, filled, limits.fillRates)) return [];
    // The numbers of filled cells are compared and not the shares, so that new lines without a value are no loss.
    const most = Math.max(
      0,
      ...earlier.map(
        ({ statistics, editions }) =>
          shareIn(statistics, register, label) * Math.min(rows, editions[register]?.lines ?? rows),
      ),
    );
    if (!hasDeclined(most, filled, limit)) return [];
    return [{ register, figures: `column "${label}": ${Math.round(most)} filled, ${filled} of ${rows} now` }];
  });
  return [...Map.groupBy(emptied, ({ register }) => register)].map(([register, found]) =>
    drifted(register, found, limit),
  );
}

function parts({ statistics, before, history, limits }: EditionToJudge): Verdict[] {
  return PARTS.flatMap((one) => {
    const { guard, register, part } = one;
    const earlier = sinceAccepted(history, guard);
    const limit = Math.max(limits.drift, limits[guard]);
    const lostSince = (of: LoadedEdition['statistics'], most: number) =>
      declined(one, { now: statistics, before: of }, most).lost;
    const atOnce = before?.statistics ? lostSince(before.statistics, limits[guard]) : [];
    const found = new Map<string, { figures: string }>();
    for (const { statistics: of, madeAt } of earlier) {
      for (const { name, before: count, now: left } of lostSince(of, limit)) {
        if (atOnce.some((other) => other.name === name)) continue;
        found.set(name, { figures: `${part}${name}: ${count} on ${madeAt.toISOString().slice(0, 10)}, ${left} now` });
      }
    }
    return found.size > 0 ? [drifted(register, [...found.values()], limit)] : [];
  });
}

function drifted(register: string, found: readonly { figures: string }[], limit: number): Verdict {
  const list = found.slice(0, NAMED).map(({ figures }) => figures);
  const more = found.length > NAMED ? ` and ${found.length - NAMED} more` : '';
  const figures = `${list.join('; ')}${more} (in 30 days; limit: a fall by ${percent(limit)})`;
  return verdict('drift', { register, passed: false, figures });
}
