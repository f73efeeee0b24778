// Makes a value at its first use, for all who ask.

/** Gives what `make` promises, which is asked once. After a failure, the next caller tries again. */
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
