/**
 * Returns options for a cache of lru-cache with at most `most` entries. They limit the total size, and give each entry the size 1. With
 * them, the cache takes memory as entries come; the option `max` would take the memory of all entries at once.
 */
export function entriesAtMost(most: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: most, sizeCalculation: () => 1 };
}
