// Waits for an answer, but not for ever.

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
