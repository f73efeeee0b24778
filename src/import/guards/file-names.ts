// Guards on the names of files: a name that promises another register, and one content under two names.

import { REGISTERS, type RegisterKind } from '../sources/register-kinds.ts';
import type { Source } from '../sources/sources.ts';
import { titleOf } from './counts.ts';
import type { MappedEdition } from './measured-edition.ts';
import { misnamedSources } from './published-names.ts';
import { type Verdict, verdict } from './verdict.ts';

export function guardMisnamed({ sources }: MappedEdition): Verdict[] {
  return misnamedSources(sources).map(({ source: { input, recognised }, promised }) =>
    verdict('misnamed', {
      register: promised,
      passed: false,
      figures: `${input.name} bears the name of ${titleOf(promised)} and holds ${REGISTERS[recognised.kind].title}`,
      remedy: 'Take the file as published',
    }),
  );
}

const IDEMPOTENT: readonly RegisterKind[] = ['fhir'];

/** Files of one content: its lines would be counted twice, and the next edition found to have lost half of them. */
export function guardRepeated({ sources }: MappedEdition): Verdict[] {
  const ofRegisters = sources.filter(({ recognised }) => !IDEMPOTENT.includes(recognised.kind));
  return [...Map.groupBy(ofRegisters, ({ checksum }) => checksum).values()]
    .filter((same) => same.length > 1)
    .map((same) =>
      verdict('repeatedFile', {
        register: (same[0] as Source).recognised.kind,
        passed: false,
        figures: `${same.map(({ input }) => input.name).join(' and ')} hold the same`,
        remedy: 'Leave one of them out',
      }),
    );
}
