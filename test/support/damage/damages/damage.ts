// What a damage is: a pure function on the files of an edition, and what is expected of an import of its result.

import type { EditionFiles } from '#support/damage/edition-files.ts';
import type { Draw } from '#support/draw.ts';

/**
 * `same`: read exactly as the undamaged edition. A pattern: refused by one of these guards (`unreadable`: before any guard). Both: one of
 * them, where it depends on the register. `warned`: loaded with such a warning. `seen`: refused, or loaded with any warning that the
 * undamaged edition does not have as often.
 */
export type Expectation = 'same' | 'seen' | { warned: RegExp } | RegExp | readonly ['same', RegExp];

export interface Damage {
  name: string;
  /** Upon the edition of the day before. */
  renewal: Expectation;
  /**
   * Into an empty directory; `unseen`: it may be silent, as nothing says what is missing. Absent: as a renewal, or silent if the guide
   * (`docs/directory-guards.md`) names the damage.
   */
  firstLoad?: Expectation | 'unseen';
  /** The form of the edition that it applies to; absent: registers as text. */
  form?: EditionForm;
  apply(files: EditionFiles, context: DamageContext): EditionFiles;
}

export type EditionForm = 'finess-json' | 'fhir' | 'few-mailboxes' | 'unlike-mailboxes';

export interface DamageContext {
  /** Says where. */
  draw: Draw;
  dayBefore: EditionFiles;
  /** Other people under other numbers. */
  otherPeople: EditionFiles;
}
