// Limits a client's wrong secrets by network address and by the surrounding network (SEC-15, SEC-59). A client as such is never locked out,
// or anybody could do that to it. Only the network that guesses must wait.

import { LRUCache } from 'lru-cache';
import { entriesAtMost } from '#shared/entries-at-most.ts';
import { limitReached } from '#shared/limits-reached.ts';
import { prefixesOf } from '#shared/network-prefix.ts';
import { clientSecretRules, consumeAll, type FailureLimits, memoryLimiter, rewardAll } from '#shared/rate-limits.ts';

interface SecretAttempt {
  /** Seconds until a secret of the client from this address is checked again; 0 if it is checked now. */
  wait: number;
  /** The secret was right. */
  succeeded(): Promise<void>;
  /** It was not looked at. */
  untried(): Promise<void>;
}

export interface ClientThrottle {
  /** Begins an attempt. It counts as a failure from here on, until it is reported as something else, so that parallel guesses count too. */
  begin(clientId: string, address: string): Promise<SecretAttempt>;
  /**
   * Checks whether the client has sent a right secret from this address and nothing counts against the two. Then a right attempt need not
   * be counted; a wrong one must still call `begin`.
   */
  isClear(clientId: string, address: string): boolean;
}

/** Clients at addresses from which they have sent a right secret. */
const MOST_PROVED = 10_000;

/** Throttling by the limits of the settings, in this process alone. */
export function createClientThrottle(limits: FailureLimits): ClientThrottle {
  const rules = clientSecretRules(limits);
  const ofAddress = memoryLimiter(rules.address);
  const ofNetwork = memoryLimiter(rules.network);
  /** `clear` means that no attempt counts, and none is being counted. */
  const proved = new LRUCache<string, 'clear' | 'counting'>(entriesAtMost(MOST_PROVED));
  const keyOf = (clientId: string, narrow: string) => `${narrow} ${clientId}`;
  const noteCounting = (own: string) => void (proved.has(own) && proved.set(own, 'counting'));
  return {
    isClear: (clientId, address) => proved.get(keyOf(clientId, prefixesOf(address).narrow)) === 'clear',
    begin: async (clientId, address) => {
      const { narrow, wide } = prefixesOf(address);
      const own = keyOf(clientId, narrow);
      // Neighbours in the client's network must not be able to lock the client itself out.
      const counts = [
        ...(proved.has(own) ? [] : [{ limiter: ofNetwork, key: `${wide} ${clientId}` }]),
        { limiter: ofAddress, key: own },
      ];
      const untried = () => rewardAll(counts);
      const succeeded = async () => {
        proved.set(own, 'counting');
        await untried();
        const left = await ofAddress.get(own);
        if (proved.has(own) && (left?.consumedPoints ?? 0) <= 0) proved.set(own, 'clear');
      };
      noteCounting(own);
      const wait = await consumeAll(counts);
      if (wait > 0) limitReached('client-secret');
      // Repeated, because another attempt may have succeeded before this one was counted.
      noteCounting(own);
      return { wait, succeeded, untried };
    },
  };
}
