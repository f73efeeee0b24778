// Waits for an answer, but not for ever.

/** The answer; or, when there is none within so many milliseconds, something else. */
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
