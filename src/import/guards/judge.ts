// All guards that judge an edition, in the order of the report.

import { guardChanged, guardNamesChanged } from './changes.ts';
import { guardConsistency } from './consistency.ts';
import { guardMinimum, guardRegisters, guardRemoved, guardShrinkage } from './counts.ts';
import { guardDepartments } from './departments.ts';
import { guardDrift, guardTurnover } from './drift.ts';
import { guardDriftWithin } from './drift-within.ts';
import { guardMisnamed, guardOlderEdition, guardRegistersApart } from './editions.ts';
import { guardFillFloors, guardFillRates } from './fill-rates.ts';
import { guardFusedStructures, guardNeededKeys, guardUnknownState } from './finess.ts';
import { guardPartial } from './first-load.ts';
import type { BuiltEdition, MappedEdition } from './measured-edition.ts';
import {
  guardCharacters,
  guardColumns,
  guardCommonValues,
  guardNameVariety,
  guardUnusableLines,
  guardUnusableLinesInAll,
} from './values.ts';
import type { Verdict } from './verdict.ts';

const OF_MAPPED: readonly ((edition: MappedEdition) => Verdict[])[] = [
  guardUnusableLines,
  guardUnusableLinesInAll,
  guardColumns,
  guardNeededKeys,
  guardUnknownState,
  guardFusedStructures,
  guardCharacters,
  guardCommonValues,
  guardFillRates,
  guardFillFloors,
  guardDepartments,
  guardPartial,
  guardOlderEdition,
  guardRegistersApart,
  guardMisnamed,
  guardMinimum,
  guardRegisters,
  guardShrinkage,
  guardDrift,
  guardDriftWithin,
  guardConsistency,
  guardNameVariety,
];

const OF_BUILT: readonly ((edition: BuiltEdition) => Verdict[])[] = [
  guardRemoved,
  guardChanged,
  guardNamesChanged,
  guardTurnover,
];

/** What all guards say about an edition whose snapshot is finished; whether that one answers is not among it. */
export function judgeEdition(edition: BuiltEdition): Verdict[] {
  return [...OF_MAPPED.flatMap((guard) => guard(edition)), ...OF_BUILT.flatMap((guard) => guard(edition))];
}
