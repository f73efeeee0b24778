// Reports an error that repeats itself only once a minute.

/** Milliseconds after which the same error is reported again. */
const AGAIN_AFTER = 60_000;

/** Makes a function that passes errors on to `report`, but not the same one again within a minute. */
export function sparingly(report: (error: Error) => void): (error: unknown) => undefined {
  let reported = { message: '', at: 0 };
  return (error) => {
    const failure = error instanceof Error ? error : new Error(String(error));
    if (failure.message === reported.message && Date.now() - reported.at < AGAIN_AFTER) return;
    reported = { message: failure.message, at: Date.now() };
    report(failure);
  };
}
