// The guards of an edition: their limits by default, and the table of the documentation.

import { GUARDS, type GuardKey, type GuardRow, guardName, type LimitedGuard } from '#config/service/guard-table.ts';
import { alignedTable } from '#support/markdown-table.ts';

const ROWS = Object.entries(GUARDS) as [GuardKey, GuardRow][];

/** The limits and the country where `service.yaml` says nothing. */
export const DEFAULT_LIMITS = {
  ...(Object.fromEntries(ROWS.flatMap(([key, { limit }]) => (limit ? [[key, limit.byDefault]] : []))) as Record<
    LimitedGuard,
    number
  >),
  country: 'FR',
};

/** The guards as a Markdown table. */
export function guardTable(): string {
  const rows = ROWS.map(([key, { measures, limit, why, absolute }]) => [
    `\`${guardName(key)}\`${absolute ? ' (may not be accepted)' : ''}`,
    `${measures.charAt(0).toUpperCase()}${measures.slice(1)}`,
    limit
      ? limit.fixed
        ? `${limit.byDefault}, fixed`
        : `\`${key}: ${limit.byDefault}\`${limit.kind === 'days' ? ' days' : ''}`
      : '',
    `${why.charAt(0).toUpperCase()}${why.slice(1)}`,
  ]);
  return alignedTable(['Guard', 'What it measures', 'Limit', 'Why'], rows);
}
