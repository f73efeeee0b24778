// What a first load must hold: nothing before it says which registers are expected.

import { titleOf } from './counts.ts';
import type { MappedEdition } from './measured-edition.ts';
import { whereabouts } from './published-names.ts';
import { type Verdict, verdict } from './verdict.ts';

/** The two registers of FINESS: one is of no use without the other. */
const FINESS = ['finess structureej', 'finess structureet'];

/** The registers that are missing at a first load; an edition of FHIR resources alone needs none. */
export function guardPartial({ sources, incoming, before, limits }: MappedEdition): Verdict[] {
  const kinds = new Set(sources.map(({ recognised }) => recognised.kind));
  if (before || (kinds.size === 1 && kinds.has('fhir'))) return [];
  const held = new Set(
    sources.flatMap(({ recognised, report }) => [
      recognised.kind,
      ...Object.keys(report.parts ?? {}).map((part) => `${recognised.kind} ${part}`),
    ]),
  );
  return limits.expected
    .flatMap((register) => (register === 'finess' && kinds.has('finess') ? FINESS : [register]))
    .map((register) => {
      const given = held.has(register);
      const hint = given ? '' : whereabouts(register, { sources, incoming });
      return verdict('partial', {
        register,
        passed: given,
        figures: `${titleOf(register)}: ${given ? 'given' : 'not given'}${hint}`,
        remedy: hint === '' ? 'Give its file, too' : 'Take it as published, and whole',
      });
    });
}
