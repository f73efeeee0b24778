// All damages that are tried on editions.

import { ARCHIVES } from './damages/archives.ts';
import { BYTES } from './damages/bytes.ts';
import { CELLS } from './damages/cells.ts';
import type { Damage } from './damages/damage.ts';
import { FHIR } from './damages/fhir.ts';
import { FINESS } from './damages/finess.ts';
import { LINES } from './damages/lines.ts';
import { REGISTERS } from './damages/registers.ts';

export const DAMAGES: readonly Damage[] = [...BYTES, ...LINES, ...CELLS, ...REGISTERS, ...FINESS, ...FHIR, ...ARCHIVES];
