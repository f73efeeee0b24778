// Owns how many wrong secrets of a client one network address may send before it has to wait (SEC-15).
// Does not own the comparison of secrets (`amendments.ts`).
//
// Counted in this process alone: right secrets, which nearly all are, must not cost a look into the database. A client is
// never locked out as such, or anybody could do it: only the address that guesses waits.

import type { Settings } from '../../config/settings.ts';
import { networkOf } from '../../shared/network-prefix.ts';

const MOST_KEYS = 10_000;

export interface ClientThrottle {
  /** Seconds until a secret of the client from this address is looked at again; 0 for now. */
  wait(clientId: string, address: string): number;
  failed(clientId: string, address: string): void;
}

/** Throttling by the limits of the settings. `now` in milliseconds, never going back. */
export function createClientThrottle(
  { addressFailures, failureWindow }: Settings['limits'],
  now: () => number = () => performance.now(),
): ClientThrottle {
  const failures = new Map<string, { count: number; until: number }>();
  const keyOf = (clientId: string, address: string) => `${networkOf(address)} ${clientId}`;
  const open = (key: string) => {
    const found = failures.get(key);
    if (found && found.until > now()) return found;
    failures.delete(key);
    return undefined;
  };
  return {
    wait(clientId, address) {
      if (failures.size === 0) return 0;
      const found = open(keyOf(clientId, address));
      return found && found.count >= addressFailures ? Math.max(1, Math.ceil((found.until - now()) / 1000)) : 0;
    },
    failed(clientId, address) {
      const key = keyOf(clientId, address);
      const found = open(key) ?? { count: 0, until: now() + failureWindow * 1000 };
      found.count += 1;
      failures.set(key, found);
      if (failures.size > MOST_KEYS) failures.delete(failures.keys().next().value ?? '');
    },
  };
}
