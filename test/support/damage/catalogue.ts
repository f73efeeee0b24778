// All damages that are tried on editions.

import { ARCHIVES } from './damages/archives.ts';
import { BYTES } from './damages/bytes.ts';
import { CELLS } from './damages/cells.ts';
import type { Damage } from './damages/damage.ts';
import { FHIR } from './damages/fhir.ts';
import { FINESS } from './damages/finess.ts';
import { FIRST_LOADS } from './damages/first-loads.ts';
import { GROWTH } from './damages/growth.ts';
import { LINES } from './damages/lines.ts';
import { MADE_UP_PEOPLE } from './damages/made-up-people.ts';
import { MADE_UP_PLACES } from './damages/made-up-places.ts';
import { MAILBOXES } from './damages/mailboxes.ts';
import { REGISTERS } from './damages/registers.ts';
import { SIBLINGS } from './damages/siblings.ts';

/** Damages to files: broken downloads, other encodings, lost lines and columns. */
export const OF_FILES: readonly Damage[] = [
  ...BYTES,
  ...LINES,
  ...CELLS,
  ...REGISTERS,
  ...FINESS,
  ...FHIR,
  ...ARCHIVES,
];
/** Damages to facts, in files that are whole: what belongs to one person or structure stands beside another. */
export const OF_FACTS: readonly Damage[] = [
  ...MAILBOXES,
  ...SIBLINGS,
  ...GROWTH,
  ...FIRST_LOADS,
  ...MADE_UP_PEOPLE,
  ...MADE_UP_PLACES,
];
export const DAMAGES: readonly Damage[] = [...OF_FILES, ...OF_FACTS];
