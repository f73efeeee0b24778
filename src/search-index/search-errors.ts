// The errors with which a search may reject, apart from errors of a damaged file.

/** The search was refused, because it would take too long. The message names the remedy. */
export class TooCostly extends Error {
  override name = 'TooCostly';
}

/** The search was stopped, because nobody waits for it any more. */
export class Abandoned extends Error {
  override name = 'Abandoned';

  constructor(message = 'nobody waits for this search any more') {
    super(message);
  }
}

/** A search cannot be answered now, because too many searches wait, it took too long, or its thread died. The message gives the reason. */
export class Unavailable extends Error {
  override name = 'Unavailable';
  /** Seconds after which a client may try again. */
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number) {
    super(message);
    this.retryAfter = retryAfter;
  }
}
