// The guard on files that bear the name of another register.

import { REGISTERS } from '../sources/register-kinds.ts';
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
