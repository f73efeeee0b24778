// Owns how many refusals of one network address the audit trail keeps one by one: a stranger must not fill the disk.
// Does not own throttling of the strangers themselves (`src/signin/throttle.ts`).

import { networkOf } from '../network-prefix.ts';

export interface FloodGuard {
  /** Whether a refusal of this address is kept; otherwise it is counted. */
  keeps(address: string, now: number): boolean;
  /** Networks whose minute is over, with the number of refusals that were only counted; with `all`, of this minute as well. */
  counted(now: number, all?: boolean): { address: string; count: number }[];
  /** Whether there are refusals that `counted` has not told yet. */
  readonly counting: boolean;
}

const MINUTE = 60_000;
/** Far more than people mistype, and 180 000 rows a day at most. */
const KEPT_PER_MINUTE = 120;
const MOST_NETWORKS = 10_000;

/** Counts by network and minute. `now` is in milliseconds, and never goes back. */
export function createFloodGuard(kept = KEPT_PER_MINUTE): FloodGuard {
  const networks = new Map<string, { since: number; count: number }>();
  let over: { address: string; count: number }[] = [];
  let counting = 0;
  const end = (network: string, count: number) => {
    networks.delete(network);
    if (count <= kept) return;
    counting -= 1;
    over.push({ address: network, count: count - kept });
  };
  return {
    keeps: (address, now) => {
      const network = networkOf(address);
      let seen = networks.get(network);
      if (seen && now - seen.since >= MINUTE) {
        end(network, seen.count);
        seen = undefined;
      }
      if (!seen) {
        // So many at once are an attack from everywhere: its records are those of the first ones.
        if (networks.size >= MOST_NETWORKS) return false;
        seen = { since: now, count: 0 };
        networks.set(network, seen);
      }
      seen.count += 1;
      if (seen.count === kept + 1) counting += 1;
      return seen.count <= kept;
    },
    counted: (now, all = false) => {
      for (const [network, { since, count }] of networks) if (all || now - since >= MINUTE) end(network, count);
      const told = over;
      over = [];
      return told;
    },
    get counting() {
      return counting > 0 || over.length > 0;
    },
  };
}
