// Owns memory of bounded size: what was not asked for lately is forgotten. Does not own what is worth remembering, nor how
// long it is right.

export interface Recent<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  empty(): boolean;
}

/**
 * A table of about `limit`, in what `sizeOf` measures (entries, unless given): two halves, and what was not asked for since
 * they were exchanged last is forgotten.
 */
export function createRecent<Key, Value>(
  limit: number,
  sizeOf: (value: Value) => number = () => 1,
): Recent<Key, Value> {
  let newer = new Map<Key, Value>();
  let older = new Map<Key, Value>();
  let size = 0;
  const set = (key: Key, value: Value) => {
    newer.set(key, value);
    size += sizeOf(value);
    if (size < limit / 2) return;
    older = newer;
    newer = new Map();
    size = 0;
  };
  return {
    set,
    empty: () => newer.size === 0 && older.size === 0,
    get: (key) => {
      const known = newer.get(key);
      if (known !== undefined) return known;
      const old = older.get(key);
      if (old !== undefined) set(key, old);
      return old;
    },
  };
}

/** `read` with a memory of about `limit`, for what never changes. What was not found is not remembered. */
export function rememberRecent<Key, Value>(
  limit: number,
  sizeOf: (value: Value) => number,
  read: (key: Key) => Value | undefined,
): (key: Key) => Value | undefined {
  const recent = createRecent<Key, Value>(limit, sizeOf);
  return (key) => {
    const known = recent.get(key);
    if (known !== undefined) return known;
    const value = read(key);
    if (value !== undefined) recent.set(key, value);
    return value;
  };
}
