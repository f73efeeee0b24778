// The 64-bit hash under which exact keys and ids are indexed.

/** Held here because it runs so often: looking the global up each time takes longer than the multiplication. */
const { imul } = Math;

let lastHigh = 0;

/**
 * 64 bits of hash over UTF-16 code units, as two unsigned halves: the low one is returned, the high one is given by
 * `highHalf()` until the next call. (Two values without an object: this runs some ten million times in an import.)
 * The mixing is that of cyrb53 (public domain).
 */
export function hashKey(key: string): number {
  let a = 0xdeadbeef ^ key.length;
  let b = 0x41c6ce57 ^ key.length;
  for (let index = 0; index < key.length; index++) {
    const unit = key.charCodeAt(index);
    a = imul(a ^ unit, 2654435761);
    b = imul(b ^ unit, 1597334677);
  }
  a = imul(a ^ (a >>> 16), 2246822507) ^ imul(b ^ (b >>> 13), 3266489909);
  b = imul(b ^ (b >>> 16), 2246822507) ^ imul(a ^ (a >>> 13), 3266489909);
  lastHigh = b >>> 0;
  return a >>> 0;
}

/** The high half of the hash computed last. */
export function highHalf(): number {
  return lastHigh;
}
