// What a first load must hold: nothing before it says which registers are expected.

import { REGISTERS } from '../sources/register-kinds.ts';
import type { MappedEdition } from './measured-edition.ts';
import { type Verdict, verdict } from './verdict.ts';

/** The registers that are missing at a first load; an edition of FHIR resources alone needs none. */
export function guardPartial({ sources, before, limits }: MappedEdition): Verdict[] {
  const kinds = new Set(sources.map(({ recognised }) => recognised.kind));
  if (before || (kinds.size === 1 && kinds.has('fhir'))) return [];
  return limits.expected.map((register) =>
    verdict('partial', {
      register,
      passed: kinds.has(register),
      figures: `${REGISTERS[register].title}: ${kinds.has(register) ? 'given' : 'not given'}`,
      remedy: 'Give its file, too',
    }),
  );
}
