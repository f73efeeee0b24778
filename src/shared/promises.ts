// Helpers for promises: a time limit, one call for all callers, work that is repeated, and errors that are reported only once a minute.

/** Resolves with the result of `answer`, or with `otherwise` if there is no result after so many milliseconds. */
export async function withinTime<Result>(
  answer: Promise<Result>,
  milliseconds: number,
  otherwise: Result,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Result>((resolve) => {
    timer = setTimeout(resolve, milliseconds, otherwise);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Makes a function that calls `make` once and returns its promise to every caller. After a failure, the next caller tries again. */
export function oncePromised<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/**
 * Makes a function that does some work. A call that comes while the work is under way does not start it again, but gets the same result.
 */
export function oneAtATime<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Work that is repeated until stopped. */
export interface Repeated {
  /** Does the work now. If the work is under way already, waits for its end instead. Rejects if the work fails. */
  now(): Promise<void>;
  /** Stops the repetition. Resolves once the work that is under way has ended. */
  stop(): Promise<void>;
}

/** Does some work every `everyMs` milliseconds, for the first time `everyMs` from now. It is never done twice at a time. */
export function repeat(work: () => Promise<void>, everyMs: number, failed: (error: unknown) => void): Repeated {
  let last = Promise.resolve();
  const now = oneAtATime(() => (last = work()));
  const timer = setInterval(() => void now().catch(failed), everyMs).unref();
  return {
    now,
    stop: async () => {
      clearInterval(timer);
      await last.catch(() => {});
    },
  };
}

/** Milliseconds after which the same error is reported again. */
const AGAIN_AFTER = 60_000;

/**
 * Makes a function that passes errors on to `report`. An error with the same message as the one before is passed on once a minute at most.
 */
export function sparingly(report: (error: Error) => void): (error: unknown) => undefined {
  let reported = { message: '', at: 0 };
  return (error) => {
    const failure = error instanceof Error ? error : new Error(String(error));
    if (failure.message === reported.message && Date.now() - reported.at < AGAIN_AFTER) return;
    reported = { message: failure.message, at: Date.now() };
    report(failure);
  };
}
