// The quality of an edition, for the page of `directory report`.

import type { DoubtfulResource } from '#import/collect/collector.ts';
import type { Measured } from '#import/collect/populations.ts';

export interface Quality {
  /** People by profession and department. */
  matrix: Measured['matrix'];
  /** Labels of the professions. */
  labels: Record<string, string>;
  doubtful: DoubtfulResource[];
  duplicates: Measured['duplicates']['groups'];
  withoutPlace: Measured['withoutPlace'];
  mailboxes: {
    own: number;
    other: number;
    neutral: number;
    listed: DoubtfulResource[];
    shared: Measured['shared'];
  };
  tests: DoubtfulResource[];
  pairs: { key: string; fit: number; odd: number; checked: number; run?: string }[];
}
