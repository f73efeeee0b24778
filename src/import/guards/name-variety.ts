// The guard on family and given names in each other's column in all registers, where none contradicts the others.

import type { MappedEdition } from './measured-edition.ts';
import { type Verdict, verdict } from './verdict.ts';

/** People below which given names may happen to vary as much. */
const ENOUGH = 500;
/** France has some 1.4 million family names and uses a hundredth of them as given names. */
const MORE = 1.2;

export function guardNameVariety({ collector }: Pick<MappedEdition, 'collector'>): Verdict[] {
  const { people, families, givens } = collector.nameVariety.all();
  if (people < ENOUGH) return [];
  return [
    verdict('namesDiffer', {
      register: 'activities',
      passed: givens <= families * MORE,
      figures: `${people} people have ${families} different family names and ${givens} given names`,
      remedy: 'Are the columns of family and given names swapped? Take the files as published',
    }),
  ];
}
