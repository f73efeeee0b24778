// Why an import refuses its input: what is wrong, in which file, line or column, and what to do about it.

import { printable } from '../shared/log/printable.ts';

export interface SourceLocation {
  file?: string;
  /** Counted from 1. */
  line?: number;
  column?: string;
}

/**
 * The input cannot be used. `message` names file, line or column, the fault and the remedy, in this order; what it quotes
 * of the file is printable.
 */
export class ImportError extends Error {
  override name = 'ImportError';
  readonly place: SourceLocation;

  constructor(place: SourceLocation, fault: string, remedy: string) {
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
export class ImportAlreadyRunning extends ImportError {
  override name = 'ImportAlreadyRunning';
  readonly holder: string;

  /** `holder`: as `process 4711 on myhost`. */
  constructor(holder: string) {
    super({}, `Another import is running (${holder}).`, 'Wait for it to end.');
    this.holder = holder;
  }
}

/** Nothing is wrong with the input: the machine could not do it, and may be able to later. */
export class MachineError extends ImportError {
  override name = 'MachineError';
}
