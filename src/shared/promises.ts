// Two ways to ask for a promise: not for ever, and once for all who ask.

/** Resolves with the result, or with a substitute if there is none within that many milliseconds. */
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
