// What a damage is: a pure function on the files of an edition, and what is expected of an import of its result.

import type { EditionFiles } from '#support/damage/edition-files.ts';
import type { Draw } from '#support/draw.ts';

/**
 * Read exactly as the undamaged edition, or refused by one of these guards (`unreadable`: before any guard), or either where it
 * depends on the register.
 */
export type Expectation = 'same' | RegExp | readonly ['same', RegExp];

export interface Damage {
  name: string;
  /** Upon the edition of the day before. */
  renewal: Expectation;
  /** Into an empty directory; `unseen`: it may be silent, as nothing says what is missing. Absent: as a renewal. */
  firstLoad?: Expectation | 'unseen';
  /** The form of the edition that it applies to; absent: registers as text. */
  form?: EditionForm;
  apply(files: EditionFiles, context: DamageContext): EditionFiles;
}

export type EditionForm = 'finess-json' | 'fhir';

export interface DamageContext {
  /** Says where. */
  draw: Draw;
  dayBefore: EditionFiles;
  /** Other people under other numbers. */
  otherPeople: EditionFiles;
}
