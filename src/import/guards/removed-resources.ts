// Guards on resources that were removed: by this edition, and by all editions of the last 30 days together. Their limits are in
// `config/service/guard-table.ts`.

import { RESOURCE_TYPES, type ResourceType } from '#search-index/index.ts';
import { changedSinceAccepted, refusedBy, sinceAccepted } from './drift.ts';
import type { BuiltEdition } from './measured-edition.ts';
import { hasLost, LEAST_CASES, limitText, type Verdict, verdict } from './verdict.ts';

/**
 * Compares the number of removed resources with the limit. Only removed resources are considered, so new ones cannot make up for a loss.
 */
export function guardRemoved({ changes, before, limits }: BuiltEdition): Verdict[] {
  if (!before) return [];
  return RESOURCE_TYPES.map((type) => {
    const { removed } = changes[type];
    const size = before.counts[type];
    return verdict('removed', {
      register: type,
      passed: !hasLost(removed, size, limits.removed),
      ...(isNotable(removed, size, limits.removed) && { notable: true }),
      figures: `${removed} of ${size} are not in this edition ${limitText(removed, size, limits.removed)}`,
      remedy: 'Are these files of another population? If so, use --accept other-people',
    });
  });
}

/** A removal of more than this share of the limit is notable: it passes, but the operator should look at it. */
const NOTABLE = 0.25;

function isNotable(removed: number, before: number, limit: number): boolean {
  return removed >= LEAST_CASES && removed > NOTABLE * limit * before && !hasLost(removed, before, limit);
}

/**
 * Adds up the resources that the editions of the last 30 days removed, including this edition. Compares the sum with the number of
 * resources before the first of these removals.
 */
export function guardTurnover(edition: BuiltEdition): Verdict[] {
  const { changes, before, history, limits } = edition;
  if (!before) return [];
  const known = refusedBy(...guardRemoved(edition));
  const earlier = sinceAccepted(history);
  const counted = changedSinceAccepted(history);
  return RESOURCE_TYPES.filter((type) => !known(type)).map((type: ResourceType) => {
    const removed = counted.reduce((sum, one) => sum + one.removed[type], changes[type].removed);
    const size = earlier.at(-1)?.counts[type] ?? before.counts[type];
    const limit = Math.max(limits.turnover, limits.removed);
    return verdict('turnover', {
      register: type,
      passed: !hasLost(removed, size, limit),
      figures: `${removed} went in ${counted.length + 1} editions, of ${size} ${limitText(removed, size, limit)}`,
      remedy: 'Do the files of these days hold other people from day to day?',
    });
  });
}

/**
 * Checks whether the files of two days were joined. A sign of this is that no person and no role was removed, although at least
 * `LEAST_CASES` were added. An edition with this sign is notable. It is refused if removals are usual: in the last 30 days, each edition
 * that removed anybody removed at least `LEAST_CASES`.
 */
export function guardNobodyLeft({ changes, history }: BuiltEdition): Verdict[] {
  const { Practitioner: people, PractitionerRole: roles } = changes;
  const added = people.added + roles.added;
  if (people.removed + roles.removed > 0 || added < LEAST_CASES || history.length === 0) return [];
  const earlier = changedSinceAccepted(history);
  // An edition that removed nobody is left out, because the registers may have been published without any change on that day.
  const gone = earlier.map(({ removed }) => removed.Practitioner + removed.PractitionerRole);
  const fewest = Math.min(...gone.filter((count) => count > 0));
  const passed = !Number.isFinite(fewest) || fewest < LEAST_CASES;
  return [
    verdict('removed', {
      register: 'Practitioner',
      passed,
      ...(passed && { notable: true }),
      figures: `${added} people and roles came and none is gone${passed ? '' : `; ${fewest} and more went in each edition of 30 days`}`,
      remedy: 'Were the files of two days joined? Take those of one day',
    }),
  ];
}
