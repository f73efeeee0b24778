// Drift of what many editions took from one column or one department: each of them stayed below the limits of one. What a
// single edition takes too much of is said by the guards of one edition alone.

import { byRegister } from '#import/collect/column-tally.ts';
import type { LoadedEdition } from '#store/snapshots/judgements.ts';
import { hasDeclined } from './decline.ts';
import { declined } from './departments.ts';
import { NEW_BEGINNING, sinceAccepted } from './drift.ts';
import type { MappedEdition } from './measured-edition.ts';
import { percent, type Verdict, verdict } from './verdict.ts';

/** Named in one verdict. */
const NAMED = 5;

/** Columns and departments against each edition of the last 30 days but the one before. */
export function guardDriftWithin(edition: MappedEdition): Verdict[] {
  return [...columns(edition), ...departments(edition)];
}

function columns({ collector, before, history, limits }: MappedEdition): Verdict[] {
  const earlier = sinceAccepted(history, [...NEW_BEGINNING, 'fill-rates']);
  const limit = Math.max(limits.drift, limits.fillRates);
  const shareIn = (statistics: LoadedEdition['statistics'] | undefined, register: string, label: string) =>
    statistics?.columns[register]?.[label] ?? 0;
  const emptied = byRegister(collector.columns.all()).flatMap(({ register, column: { label, to }, rows, filled }) => {
    const share = shareIn(before?.statistics, register, label);
    if (to === undefined || hasDeclined(share * rows, filled, limits.fillRates)) return [];
    // Filled cells: where lines without them came, nothing was lost.
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

function departments({ statistics, before, history, limits }: MappedEdition): Verdict[] {
  const earlier = sinceAccepted(history, [...NEW_BEGINNING, 'departments']);
  const limit = Math.max(limits.drift, limits.departments);
  const { departments: now } = statistics;
  return (['Practitioner', 'Organization'] as const).flatMap((type) => {
    const atOnce = declined(type, { now, before: before?.statistics?.departments ?? {} }, limits.departments).lost;
    const found = new Map<string, { figures: string }>();
    for (const { statistics: of, madeAt } of earlier) {
      for (const { name, before: count, now: left } of declined(type, { now, before: of.departments }, limit).lost) {
        if (atOnce.some((one) => one.name === name)) continue;
        found.set(name, {
          figures: `department ${name}: ${count} on ${madeAt.toISOString().slice(0, 10)}, ${left} now`,
        });
      }
    }
    return found.size > 0 ? [drifted(type, [...found.values()], limit)] : [];
  });
}

function drifted(register: string, found: readonly { figures: string }[], limit: number): Verdict {
  const list = found.slice(0, NAMED).map(({ figures }) => figures);
  const more = found.length > NAMED ? ` and ${found.length - NAMED} more` : '';
  const figures = `${list.join('; ')}${more} (in 30 days; limit: a fall by ${percent(limit)})`;
  return verdict('drift', { register, passed: false, figures });
}
