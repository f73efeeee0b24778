// Owns how many refusals of one network address the audit trail keeps one by one: a stranger must not fill the disk.
// Does not own throttling of the strangers themselves (`src/signin/throttle.ts`).

import { networkOf } from './network.ts';

export interface FloodGuard {
  /** Whether a refusal of this address is kept; otherwise it is counted. */
  keeps(address: string, now: number): boolean;
  /** Addresses whose minute is over, with the number of refusals that were only counted. */
  counted(now: number): { address: string; count: number }[];
}

const MINUTE = 60_000;
/** Far more than people mistype, and 180 000 rows a day at most. */
const KEPT_PER_MINUTE = 120;
const MOST_NETWORKS = 10_000;

/** Counts by network and minute. `now` is in milliseconds. */
export function createFloodGuard(kept = KEPT_PER_MINUTE): FloodGuard {
  const networks = new Map<string, { since: number; count: number }>();
  return {
    keeps: (address, now) => {
      const network = networkOf(address);
      let seen = networks.get(network);
      if (!seen) {
        // So many at once are an attack from everywhere: its records are those of the first ones.
        if (networks.size >= MOST_NETWORKS) return false;
        seen = { since: now, count: 0 };
        networks.set(network, seen);
      }
      seen.count += 1;
      return seen.count <= kept;
    },
    counted: (now) => {
      const over: { address: string; count: number }[] = [];
      for (const [address, { since, count }] of networks) {
        if (now - since < MINUTE) continue;
        networks.delete(address);
        if (count > kept) over.push({ address, count: count - kept });
      }
      return over;
    },
  };
}
