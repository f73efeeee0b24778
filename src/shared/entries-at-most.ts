/**
 * Options of a cache (lru-cache) with at most so many entries. Counted by size, it takes memory as entries come: its `max` would take that of
 * all entries before the first one.
 */
export function entriesAtMost(most: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: most, sizeCalculation: () => 1 };
}
