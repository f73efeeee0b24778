// Owns the error by which an import refuses its input: what is wrong, where, and what to do about it.
// Does not own the guards, which judge a whole edition after it was read (`guards.ts`).

import { printable } from '../shared/log/printable.ts';

export interface FaultPlace {
  file?: string;
  /** Counted from 1. */
  line?: number;
  column?: string;
}

/**
 * The input cannot be used. `message` names file, line or column, the fault and the remedy, in this order; what it quotes
 * of the file is printable.
 */
export class IngestFault extends Error {
  override name = 'IngestFault';
  readonly place: FaultPlace;

  constructor(place: FaultPlace, fault: string, remedy: string) {
    const where = [
      place.file,
      place.line === undefined ? undefined : `line ${place.line}`,
      place.column === undefined ? undefined : `column "${place.column}"`,
    ].filter((part) => part !== undefined);
    super(printable(`${where.length > 0 ? `${where.join(', ')}: ` : ''}${fault} ${remedy}`));
    this.place = place;
  }
}

/** Another import holds the lock. */
export class ImportUnderWay extends IngestFault {
  override name = 'ImportUnderWay';
  readonly holder: string;

  /** `holder`: as `process 4711 on myhost`. */
  constructor(holder: string) {
    super({}, `Another import is running (${holder}).`, 'Wait for it to end.');
    this.holder = holder;
  }
}

/** Nothing is wrong with the input: the machine could not do it, and may be able to later. */
export class MachineFault extends IngestFault {
  override name = 'MachineFault';
}
