// The counts of an edition's people in all threads.

import { createCounts, type PopulationNotes } from './population-counts.ts';
import { type Measured, measuredIn } from './population-figures.ts';

export function createPopulations() {
  const counts = createCounts();
  const added: PopulationNotes[] = [];
  let measured: Measured | undefined;
  return {
    ...counts,
    /** Adds the counts of another thread. */
    add(notes: PopulationNotes): void {
      added.push(notes);
    },
    /** The counts of all threads. They are complete at the first call. */
    measured(): Measured {
      measured ??= measuredIn([counts.notes(), ...added]);
      return measured;
    },
  };
}
