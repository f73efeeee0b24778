// Controls how fast expired records are removed. A batch takes a few milliseconds, in which SQLite blocks the whole process. Batches have
// pauses between them, which get shorter while more records expire than are removed.

import { setTimeout } from 'node:timers/promises';

/** Removes at most `most` records. Resolves with their number; 0 means that none is left. */
export type Remove = (most: number) => Promise<number>;

/**
 * Milliseconds that a batch should take. They are more for PostgreSQL, which works in another process, and takes one or two milliseconds
 * for a response alone.
 */
export const BATCH_MS = { sqlite: 2, postgresql: 20 } as const;
const FIRST = 25;
const FEWEST = 25;
const MOST = 500;
/** Factor by which one batch may raise the expected cost of a row. A single slow batch proves little. */
const SLOWER = 1.3;
/**
 * The share of the time in which batches run: its minimum, its maximum, the factor by which it grows, and the milliseconds of a pass after
 * which it grows.
 */
const SHARE = 0.05;
const MOST_SHARE = 0.3;
const GROWTH = 1.5;
const BEHIND_AFTER = 30_000;
/** Longest pause in milliseconds: a slow disk must not bring removal to a standstill. */
const LONGEST_PAUSE = 250;

/** Makes a pace for batches of `batchMs` milliseconds, until `signal` aborts. The share of the time carries over from pass to pass. */
export function createPace(batchMs: number, signal: AbortSignal) {
  let share = SHARE;
  let changed = 0;
  return {
    /** Call it when a pass begins. */
    begin(): void {
      changed = performance.now();
    },
    /** Call it when a pass has ended. A quick pass makes the share of the next one smaller. */
    end(): void {
      if (performance.now() - changed < BEHIND_AFTER / 2) share = Math.max(share / GROWTH, SHARE);
    },
    /** Removes rows in one batch after the other until none is left. */
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
