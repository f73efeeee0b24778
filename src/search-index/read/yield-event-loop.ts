// Lets other requests run during a long search: a search that has held the event loop for a while yields it.

import { setImmediate } from 'node:timers/promises';
import { Abandoned } from '#search-index/search-errors.ts';

/** Milliseconds for which a search holds the event loop. */
const SLICE = 8;

export type Yielder = ReturnType<typeof createYielder>;

/**
 * Starts a slice of time. When the next yield is `due`, `yield` resolves in a later turn of the event loop, or rejects with `Abandoned` if
 * nobody waits for the work any more.
 */
export function createYielder(abandoned: () => boolean = () => false) {
  let end = performance.now() + SLICE;
  return {
    due: () => performance.now() > end,
    async yield() {
      await setImmediate();
      if (abandoned()) throw new Abandoned();
      end = performance.now() + SLICE;
    },
  };
}
