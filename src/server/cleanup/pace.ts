// How fast expired records are removed: in batches of a few milliseconds, which on SQLite hold up the whole process, with pauses
// between them; faster while that does not keep up with what expires.

import { setTimeout } from 'node:timers/promises';

/** Removes so many at most; resolves with how many, 0 when that was all. */
export type Remove = (most: number) => Promise<number>;

/** Milliseconds that a batch should take. PostgreSQL is at work beside the process, and its answer alone takes one or two. */
export const BATCH_MS = { sqlite: 2, postgresql: 20 } as const;
const FIRST = 25;
const FEWEST = 25;
const MOST = 500;
/** How much more than those before a batch is believed to cost for each row: a single slow one tells little. */
const SLOWER = 1.3;
/** Share of the time in which batches run: at first, and at most; how fast it grows, and after how many milliseconds of a pass. */
const SHARE = 0.05;
const MOST_SHARE = 0.3;
const GROWTH = 1.5;
const BEHIND_AFTER = 30_000;
/** Milliseconds. Longest pause: a slow disk must not make it stand still. */
const LONGEST_PAUSE = 250;

/** Paces batches of so many milliseconds until the signal; what was learnt goes from pass to pass. */
export function createPace(batchMs: number, signal: AbortSignal) {
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
      let cost = Number.POSITIVE_INFINITY;
      while (!signal.aborted) {
        const began = performance.now();
        const removed = await remove(most);
        if (removed === 0) return;
        cost = Math.min((performance.now() - began) / removed, cost * SLOWER);
        const expected = cost * removed;
        most = Math.round(Math.min(MOST, most * 2, Math.max(FEWEST, batchMs / cost)));
        if (performance.now() - changed > BEHIND_AFTER) {
          share = Math.min(share * GROWTH, MOST_SHARE);
          changed = performance.now();
        }
        const pause = Math.min(expected / share - expected, LONGEST_PAUSE);
        await setTimeout(pause, undefined, { signal }).catch(() => {});
      }
    },
  };
}
