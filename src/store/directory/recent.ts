// Owns memory of what was read last from a snapshot file, up to a size: a file never changes, so what is remembered is right
// as long as the file is open. Does not own what is worth remembering.

/**
 * `read` with a memory of about `limit`, in what `sizeOf` measures: two halves, and what was not asked for since they were
 * exchanged last is forgotten. What was not found is not remembered.
 */
export function rememberRecent<Key extends string | number, Value extends object | string>(
  limit: number,
  sizeOf: (value: Value) => number,
  read: (key: Key) => Value | undefined,
): (key: Key) => Value | undefined {
  let newer = new Map<Key, Value>();
  let older = new Map<Key, Value>();
  let size = 0;
  return (key) => {
    const known = newer.get(key);
    if (known !== undefined) return known;
    const value = older.get(key) ?? read(key);
    if (value === undefined) return undefined;
    newer.set(key, value);
    size += sizeOf(value);
    if (size >= limit / 2) {
      older = newer;
      newer = new Map();
      size = 0;
    }
    return value;
  };
}
