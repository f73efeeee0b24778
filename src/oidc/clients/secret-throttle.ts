// Limits the wrong secrets of a client from one network address and from the network around it (SEC-15, SEC-59). A client is
// never locked out as such, or anybody could do that to it: only the network that guesses has to wait.

import { LRUCache } from 'lru-cache';
import { prefixesOf } from '../../shared/network-prefix.ts';
import {
  clientSecretRules,
  consumeAll,
  type FailureLimits,
  memoryLimiter,
  rewardAll,
} from '../../shared/rate-limits.ts';

interface SecretAttempt {
  /** Seconds until a secret of the client from this address is checked again; 0 for now. */
  wait: number;
  /** The secret was right. */
  succeeded(): Promise<void>;
  /** It was not looked at. */
  untried(): Promise<void>;
}

export interface ClientThrottle {
  /** An attempt counts as a failure from here on, until it is reported as something else: guesses in parallel count, too. */
  begin(clientId: string, address: string): Promise<SecretAttempt>;
}

/** Clients at addresses from which they have sent a right secret. */
const MOST_PROVED = 10_000;

/** Throttling by the limits of the settings, in this process alone. */
export function createClientThrottle(limits: FailureLimits): ClientThrottle {
  const rules = clientSecretRules(limits);
  const ofAddress = memoryLimiter(rules.address);
  const ofNetwork = memoryLimiter(rules.network);
  const proved = new LRUCache<string, true>({ max: MOST_PROVED });
  return {
    begin: async (clientId, address) => {
      const { narrow, wide } = prefixesOf(address);
      const own = `${narrow} ${clientId}`;
      // Where the client itself is, its neighbours in the network keep nothing from it.
      const counts = [
        ...(proved.has(own) ? [] : [{ limiter: ofNetwork, key: `${wide} ${clientId}` }]),
        { limiter: ofAddress, key: own },
      ];
      const untried = () => rewardAll(counts);
      const succeeded = async () => {
        proved.set(own, true);
        await untried();
      };
      return { wait: await consumeAll(counts), succeeded, untried };
    },
  };
}
