// The 64-bit hash under which exact keys and ids are indexed.

/** Held here because it runs so often: looking the global up each time takes longer than the multiplication. */
const { imul } = Math;

/**
 * Writes 64 bits of hash over UTF-16 code units into `hash`: the high half, then the low one. The result is no object of its own because
 * this runs some ten million times in an import. The mixing is that of cyrb53 (public domain).
 */
export function hashKey(key: string, hash: Uint32Array): void {
  let a = 0xdeadbeef ^ key.length;
  let b = 0x41c6ce57 ^ key.length;
  for (let index = 0; index < key.length; index++) {
    const unit = key.charCodeAt(index);
    a = imul(a ^ unit, 2654435761);
    b = imul(b ^ unit, 1597334677);
  }
  a = imul(a ^ (a >>> 16), 2246822507) ^ imul(b ^ (b >>> 13), 3266489909);
  b = imul(b ^ (b >>> 16), 2246822507) ^ imul(a ^ (a >>> 13), 3266489909);
  hash[0] = b;
  hash[1] = a;
}
