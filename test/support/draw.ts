// Seeded random draws of tests.

import { type Draw as BasicDraw, createDraw as createBasicDraw } from '#sandbox/draw.ts';

export interface Draw extends BasicDraw {
  /** Up to `count` of the list, each once. */
  some<Item>(list: readonly Item[], count: number): Item[];
  /** The first 2 to 7 characters of a word, or all of a shorter one. */
  prefix(word: string, longest?: number): string;
}

/** Draws what the sandbox draws with the same seed, and more. */
export function createDraw(seed: number): Draw {
  const { between, one } = createBasicDraw(seed);
  return {
    between,
    one,
    some(list, count) {
      const rest = [...list];
      return Array.from({ length: Math.min(count, rest.length) }, () =>
        rest.splice(between(0, rest.length - 1), 1),
      ).flat();
    },
    prefix: (word, longest = 7) => [...word].slice(0, between(2, longest)).join(''),
  };
}
