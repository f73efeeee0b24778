// What a first load must hold: nothing before it says which registers are expected.

import { OTHER_PEOPLE } from '#config/service/guard-table.ts';
import { titleOf } from '#import/registers/register-kinds.ts';
import type { MappedEdition } from './measured-edition.ts';
import { whereabouts } from './published-names.ts';
import { type Acceptance, type Verdict, verdict } from './verdict.ts';

/** The two registers of FINESS: one is of no use without the other. */
const FINESS = ['finess structureej', 'finess structureet'];

/** The registers that are missing at a first load; an edition of FHIR resources alone needs none. */
export function guardPartial({ sources, incoming, collector, before, limits }: MappedEdition): Verdict[] {
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
      const hint = given ? '' : whereabouts(register, { sources, incoming, collector });
      return verdict('partial', {
        register,
        passed: given,
        figures: `${titleOf(register)}: ${given ? 'given' : 'not given'}${hint}`,
        remedy: hint === '' ? 'Give its file, too' : 'Take it as published, and whole',
      });
    });
}

/** Whether the operator has this edition judged like a first load. */
export function acceptsOtherPeople(accept: readonly Acceptance[]): boolean {
  return accept.some(({ name }) => name === OTHER_PEOPLE);
}

/** What is not compared for that: a reason like others, so that it is named wherever they are. `served`: the snapshot before. */
export function unlikeBefore(accept: readonly Acceptance[], served: string | undefined): Verdict[] {
  if (served === undefined || !acceptsOtherPeople(accept)) return [];
  return [
    {
      name: OTHER_PEOPLE,
      passed: false,
      accepted: true,
      figures: `nothing was compared with snapshot ${served} before`,
    },
  ];
}
