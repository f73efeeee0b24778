/**
 * Options of a cache (lru-cache) with at most `most` entries. They limit its size, where each entry counts as 1, so that it takes memory as
 * entries come: the option `max` would take the memory of all entries at once.
 */
export function entriesAtMost(most: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: most, sizeCalculation: () => 1 };
}
