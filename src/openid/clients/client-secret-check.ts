// Checks the secret of a client (SEC-15, SEC-59). A right secret that the service generated is accepted at once, and the attempt is never
// counted. A secret that an operator chose has a slow hash, so its check waits in a queue, and limits by address and network bound the
// number of checks. The limits are `limits.addressFailures`, `limits.networkFailures` and `limits.failureWindow` (`clientSecretRules` in
// `shared/rate-limits.ts`). Only the network that guesses has to wait. The client itself is never locked out, because anybody could cause
// that.

import { LRUCache } from 'lru-cache';
import { isGeneratedSecret } from '#shared/crypto/client-secret.ts';
import { digest } from '#shared/crypto/digest.ts';
import { type SecretHashing, TooManyHashes } from '#shared/crypto/secret-hash.ts';
import { entriesAtMost } from '#shared/entries-at-most.ts';
import { queueKeyOf } from '#shared/fair-queue.ts';
import { limitReached } from '#shared/limits-reached.ts';
import { prefixesOf } from '#shared/network-prefix.ts';
import { clientSecretRules, consumeAll, type FailureLimits, memoryLimiter, rewardAll } from '#shared/rate-limits.ts';
import type { ClientRegistry } from './client-registry.ts';

/**
 * `later` means that the secret was not checked: `limit` because of too many attempts, `busy` because too many checks wait. `seconds` is
 * the time to wait.
 */
type SecretVerdict = 'right' | 'wrong' | { later: 'limit' | 'busy'; seconds: number };

export type CheckSecret = (clientId: string, secret: string, address: string) => Promise<SecretVerdict>;

export function createSecretCheck(
  clients: Pick<ClientRegistry, 'find'>,
  throttle: ClientThrottle,
  { isVerifiedSecret, verifyChosenSecret }: Pick<SecretHashing, 'isVerifiedSecret' | 'verifyChosenSecret'>,
): CheckSecret {
  /**
   * Checks in progress. A client may send the same secret in many requests at once, for example after a restart. All these requests wait
   * for the same check, so that the secret is hashed only once.
   */
  const underWay = new Map<string, Promise<SecretVerdict>>();

  const check = async (
    clientId: string,
    secret: string,
    address: string,
    hashes: readonly string[],
  ): Promise<SecretVerdict> => {
    const attempt = await throttle.begin(clientId, address);
    if (attempt.wait > 0) return { later: 'limit', seconds: attempt.wait };
    try {
      const right = isVerifiedSecret(secret, hashes) || (await verifyChosenSecret(secret, hashes, queueKeyOf(address)));
      if (right) await attempt.succeeded();
      return right ? 'right' : 'wrong';
    } catch (error) {
      await attempt.untried();
      if (error instanceof TooManyHashes) return { later: 'busy', seconds: 1 };
      throw error;
    }
  };

  return (clientId, secret, address) => {
    const hashes = clients.find(clientId)?.secretHashes ?? [];
    // A right generated secret is accepted without a limit, because nobody can guess such a secret, and because guesses from the same
    // address must not lock the client out.
    if (isGeneratedSecret(secret, hashes)) return Promise.resolve('right');
    // Nearly all requests of a client with a chosen secret end here. These attempts are not counted, because the right secret would undo
    // the count at once.
    if (throttle.isClear(clientId, address) && isVerifiedSecret(secret, hashes)) return Promise.resolve('right');
    const key = digest(JSON.stringify([clientId, secret, address, hashes]));
    const running = underWay.get(key);
    if (running) return running;
    const verdict = check(clientId, secret, address, hashes).finally(() => underWay.delete(key));
    underWay.set(key, verdict);
    return verdict;
  };
}

type ClientThrottle = ReturnType<typeof createClientThrottle>;

/** Maximum number of pairs of a client and an address that are remembered because a right secret came from there. */
const MOST_PROVED = 10_000;

/** Makes the throttle for client secrets from the limits of the settings. Each process counts its own attempts. */
export function createClientThrottle(limits: FailureLimits) {
  const rules = clientSecretRules(limits);
  const ofAddress = memoryLimiter(rules.address);
  const ofNetwork = memoryLimiter(rules.network);
  /**
   * Pairs of a client and an address from which the client has sent a right secret. `clear` means that no failed attempt of the client from
   * the address is counted, and that no attempt is in progress.
   */
  const proved = new LRUCache<string, 'clear' | 'counting'>(entriesAtMost(MOST_PROVED));
  const keyOf = (clientId: string, narrow: string) => `${narrow} ${clientId}`;
  const noteCounting = (own: string) => void (proved.has(own) && proved.set(own, 'counting'));
  return {
    /**
     * Checks whether the client has sent a right secret from this address before, and no failure from this address is counted now. If so,
     * the caller may accept a right secret without counting the attempt. For a wrong secret, the caller must still call `begin`.
     */
    isClear: (clientId: string, address: string) => proved.get(keyOf(clientId, prefixesOf(address).narrow)) === 'clear',
    /**
     * Begins an attempt. The attempt is counted as a failure until `succeeded` or `untried` is called, so that parallel guesses are counted
     * too. `wait` is 0 if the secret may be checked now, or else the number of seconds after which the client may try again from this
     * address.
     */
    begin: async (clientId: string, address: string) => {
      const { narrow, wide } = prefixesOf(address);
      const own = keyOf(clientId, narrow);
      // If the client has sent a right secret from this address, its attempts are not counted for the network of the address. So failures
      // of neighbours in the network cannot lock the client out.
      const counts = [
        ...(proved.has(own) ? [] : [{ limiter: ofNetwork, key: `${wide} ${clientId}` }]),
        { limiter: ofAddress, key: own },
      ];
      /** Call this if the secret was not checked. The attempt is then no longer counted as a failure. */
      const untried = () => rewardAll(counts);
      /** Call this if the secret was right. The attempt is then no longer counted as a failure. */
      const succeeded = async () => {
        proved.set(own, 'counting');
        await untried();
        const left = await ofAddress.get(own);
        if (proved.has(own) && (left?.consumedPoints ?? 0) <= 0) proved.set(own, 'clear');
      };
      noteCounting(own);
      const wait = await consumeAll(counts);
      if (wait > 0) limitReached('client-secret');
      // `noteCounting` is called a second time, because another attempt may have set `clear` after the first call and before this attempt
      // was counted.
      noteCounting(own);
      return { wait, succeeded, untried };
    },
  };
}
