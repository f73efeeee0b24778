// Lets other requests run during a long search: every few milliseconds, the search waits for the next turn of the event loop.

import { setImmediate } from 'node:timers/promises';
import { Abandoned } from '#search-index/search-errors.ts';

/** Milliseconds for which a search may block the event loop. */
const SLICE = 8;

export type Yielder = ReturnType<typeof createYielder>;

/**
 * Makes a yielder for one search. Once `due` returns true, the search should call `yield`, which resolves in a later turn of the event
 * loop. `yield` rejects with `Abandoned` if nobody waits for the search any more.
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
