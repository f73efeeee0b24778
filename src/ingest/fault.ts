// Owns the error by which an import refuses its input: what is wrong, where, and what to do about it.
// Does not own the guards, which judge a whole edition after it was read (`guards.ts`).

export interface FaultPlace {
  file?: string;
  /** Counted from 1. */
  line?: number;
  column?: string;
}

/** The input cannot be used. `message` names file, line or column, the fault and the remedy, in this order. */
export class IngestFault extends Error {
  override name = 'IngestFault';
  readonly place: FaultPlace;

  constructor(place: FaultPlace, fault: string, remedy: string) {
    const where = [
      place.file,
      place.line === undefined ? undefined : `line ${place.line}`,
      place.column === undefined ? undefined : `column "${place.column}"`,
    ].filter((part) => part !== undefined);
    super(`${where.length > 0 ? `${where.join(', ')}: ` : ''}${fault} ${remedy}`);
    this.place = place;
  }
}
