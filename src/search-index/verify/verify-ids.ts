// Owns the ids of one type while a snapshot is checked: which there are, and which came before. As fingerprints, because
// millions of texts would not fit. Does not own what refers to them (`sqlite-verify-resources.ts`).

import { fingerprint, highHalf } from '../file-layout.ts';

export interface KnownIds {
  /** Adds an id; false when it was there already. */
  add(id: string): boolean;
  has(id: string): boolean;
}

/** Room for `count` ids; some 16 to 32 bytes for each. */
export function createKnownIds(count: number): KnownIds {
  const slots = 2 ** Math.ceil(Math.log2(Math.max(8, count * 1.5)));
  // Two halves of a fingerprint in each slot; 0 and 0 where there is none.
  const halves = new Uint32Array(slots * 2);
  let used = 0;
  const slotOf = (high: number, low: number): number => {
    let slot = low & (slots - 1);
    while ((halves[slot * 2] !== high || halves[slot * 2 + 1] !== low) && !isFree(slot))
      slot = (slot + 1) & (slots - 1);
    return slot;
  };
  const isFree = (slot: number) => halves[slot * 2] === 0 && halves[slot * 2 + 1] === 0;
  return {
    add(id) {
      const low = fingerprint(id);
      const high = highHalf();
      const slot = slotOf(high, low);
      if (!isFree(slot)) return false;
      // More than announced: the caller has found that out already, and the rest need not be told apart.
      if (used++ >= slots - 2) return true;
      halves[slot * 2] = high;
      halves[slot * 2 + 1] = low;
      return true;
    },
    has(id) {
      const low = fingerprint(id);
      return !isFree(slotOf(highHalf(), low));
    },
  };
}
