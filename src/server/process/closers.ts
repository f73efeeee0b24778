// Closes opened parts in the reverse order, at the end or when a start fails half-way.

export interface Closers {
  /** Adds the function that closes the part that was just opened. */
  add(close: () => unknown): void;
  /**
   * Closes every part, the last opened one first. If one fails to close, the others are closed all the same, and the first failure is
   * thrown at the end.
   */
  close(): Promise<void>;
}

function createClosers(): Closers {
  const stack: (() => unknown)[] = [];
  return {
    add: (close) => void stack.push(close),
    close: async () => {
      const failures: unknown[] = [];
      for (let close = stack.pop(); close; close = stack.pop()) {
        try {
          await close();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Runs `open`, which adds each opened part to `closers`. If `open` fails, the parts that it had opened are closed. */
export async function openWithClosers<Opened>(open: (closers: Closers) => Promise<Opened>): Promise<Opened> {
  const closers = createClosers();
  try {
    return await open(closers);
  } catch (error) {
    // A failure of closing is not reported, because the failure of the start is the cause.
    await closers.close().catch(() => {});
    throw error;
  }
}
