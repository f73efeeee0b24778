// Caches the data that was read for each segment, up to a maximum number of bytes.

import { LRUCache } from 'lru-cache';

/**
 * Makes a function that calls `read` for a field and a segment, and remembers its results. A result is an array of numbers, or an object of
 * such arrays.
 */
export function cachedBySegment<Part extends object>(
  bytes: number,
  read: (field: number, segment: number) => Part,
): (field: number, segment: number) => Part {
  const memoMethod = (key: number) => read(key >>> 16, key & 0xffff);
  const remembered = new LRUCache<number, Part>({ maxSize: bytes, sizeCalculation: sizeInBytes, memoMethod });
  return (field, segment) => remembered.memo(field * 65_536 + segment);
}

/** Returns the bytes of the arrays plus 1, because an LRU cache refuses the size 0. */
function sizeInBytes(part: object): number {
  const arrays = ArrayBuffer.isView(part) ? [part] : Object.values(part).filter((one) => ArrayBuffer.isView(one));
  return arrays.reduce((sum, { byteLength }) => sum + byteLength, 1);
}
