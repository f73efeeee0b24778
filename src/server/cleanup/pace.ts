// How fast expired records are removed: in batches of some two milliseconds, which on SQLite hold up the whole process, with
// pauses between them; faster while that does not keep up with what expires.

import { setTimeout } from 'node:timers/promises';

/** Removes so many at most; resolves with how many, 0 when that was all. */
export type Remove = (most: number) => Promise<number>;

/** Milliseconds that a batch should take, and the rows that it may have. */
const BATCH = 2;
const FIRST = 25;
const FEWEST = 5;
const MOST = 500;
/** Share of the time in which batches run: at first, and at most; how fast it grows, and after how many milliseconds of a pass. */
const SHARE = 0.05;
const MOST_SHARE = 0.3;
const GROWTH = 1.5;
const BEHIND_AFTER = 30_000;
/** Milliseconds. Longest pause: a slow disk must not make it stand still. */
const LONGEST_PAUSE = 500;

/** Paces batches until the signal; the state goes from pass to pass. */
export function createPace(signal: AbortSignal) {
  let share = SHARE;
  let changed = 0;
  return {
    /** A pass begins. */
    begin(): void {
      changed = performance.now();
    },
    /** A pass ended: one that was quick leaves the next one more time. */
    end(): void {
      if (performance.now() - changed < BEHIND_AFTER / 2) share = Math.max(share / GROWTH, SHARE);
    },
    /** Rows of one batch after the other. */
    async untilNoneIsLeft(remove: Remove): Promise<void> {
      let most = FIRST;
      while (!signal.aborted) {
        const began = performance.now();
        if ((await remove(Math.round(most))) === 0) return;
        const took = performance.now() - began;
        // At most twice and at least half as many as before: a single slow batch tells little.
        const fitting = most * Math.min(2, Math.max(0.5, BATCH / took));
        most = Math.min(MOST, Math.max(FEWEST, fitting));
        if (performance.now() - changed > BEHIND_AFTER) {
          share = Math.min(share * GROWTH, MOST_SHARE);
          changed = performance.now();
        }
        const pause = Math.min(took / share - took, LONGEST_PAUSE);
        await setTimeout(pause, undefined, { signal }).catch(() => {});
      }
    },
  };
}
