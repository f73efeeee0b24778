// Closes opened parts in the opposite order: at the end, or when a start fails half-way.

export interface Closers {
  /** Adds how the part that was just opened is closed. */
  add(close: () => unknown): void;
  /** Closes every part, the last one first. A failure does not keep the others open. The first failure is thrown at the end. */
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

/** Runs `open`, which adds each opened part to `closers`. If it fails, those parts are closed again. */
export async function openWithClosers<Opened>(open: (closers: Closers) => Promise<Opened>): Promise<Opened> {
  const closers = createClosers();
  try {
    return await open(closers);
  } catch (error) {
    // The failure of the start is the cause, so only that one is reported.
    await closers.close().catch(() => {});
    throw error;
  }
}
