// The ids of one resource type while a snapshot is verified, as 64-bit hashes: millions of strings would not fit.

import { hashKey, highHalf } from '../hash-key.ts';

export interface KnownIds {
  /** Adds an id; false when it was there already. */
  add(id: string): boolean;
  has(id: string): boolean;
}

/** An open-addressing hash set for `count` ids; 16 to 32 bytes for each. */
export function createKnownIds(count: number): KnownIds {
  const slots = 2 ** Math.ceil(Math.log2(Math.max(8, count * 1.5)));
  // The two halves of a hash in each slot; 0 and 0 where there is none.
  const halves = new Uint32Array(slots * 2);
  let used = 0;
  const isFree = (slot: number) => halves[slot * 2] === 0 && halves[slot * 2 + 1] === 0;
  const slotOf = (high: number, low: number): number => {
    let slot = low & (slots - 1);
    while ((halves[slot * 2] !== high || halves[slot * 2 + 1] !== low) && !isFree(slot))
      slot = (slot + 1) & (slots - 1);
    return slot;
  };
  return {
    add(id) {
      const low = hashKey(id);
      const high = highHalf();
      const slot = slotOf(high, low);
      if (!isFree(slot)) return false;
      // More rows than the registry knows of are reported by the caller: what exceeds the set is not stored.
      if (used++ >= slots - 2) return true;
      halves[slot * 2] = high;
      halves[slot * 2 + 1] = low;
      return true;
    },
    has(id) {
      const low = hashKey(id);
      return !isFree(slotOf(highHalf(), low));
    },
  };
}
