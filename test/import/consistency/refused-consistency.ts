// Which guards on the agreement of registers refuse given counts, by the default limits.

import type { Tallies } from '#import/collect/consistency-tallies.ts';
import { guardConsistency } from '#import/guards/consistency.ts';
import type { EditionToJudge } from '#import/guards/measured-edition.ts';
import { DEFAULT_LIMITS } from '#support/config/guards.ts';

/** Verdicts that did not pass, as `names-differ:diplomas`. `before`: shares of the edition before, by comparison. */
export function refusedConsistency(consistency: Tallies, before?: Record<string, number>): string[] {
  const edition = {
    collector: { consistency },
    limits: { ...DEFAULT_LIMITS, minimum: { Practitioner: 0, Organization: 0 }, expected: [] },
    ...(before && { before: { statistics: { columns: {}, departments: {}, consistency: before } } }),
  } as unknown as EditionToJudge;
  return guardConsistency(edition)
    .filter(({ passed }) => !passed)
    .map(({ name, register }) => `${name}:${register}`);
}
