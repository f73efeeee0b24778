// Checks the secret of a client (SEC-15, SEC-59). A right generated secret is accepted at once and never counted. A secret that an operator
// chose has a slow hash: its check waits in a queue, and limits by address and network bound the number of checks. The figures are
// `limits.addressFailures`, `limits.networkFailures` and `limits.failureWindow` (`clientSecretRules` in `shared/rate-limits.ts`). Only the
// guessing network must wait. The client itself is never locked out, since anybody could cause that.

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

/** `later` means that the secret was not checked. It gives the reason, and the seconds to wait. */
type SecretVerdict = 'right' | 'wrong' | { later: 'limit' | 'busy'; seconds: number };

export type CheckSecret = (clientId: string, secret: string, address: string) => Promise<SecretVerdict>;

export function createSecretCheck(
  clients: Pick<ClientRegistry, 'find'>,
  throttle: ClientThrottle,
  { isVerifiedSecret, verifyChosenSecret }: Pick<SecretHashing, 'isVerifiedSecret' | 'verifyChosenSecret'>,
): CheckSecret {
  /**
   * Checks in progress. A client may send the same secret in many requests at once, for example after a restart: they wait for one hash
   * together.
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
    // A right generated secret is accepted without a limit: nobody can guess it, and guesses from the same address must not lock the client
    // out.
    if (isGeneratedSecret(secret, hashes)) return Promise.resolve('right');
    // Nearly all requests of a client with a chosen secret end here. Their attempts are not counted, because a right secret would undo the
    // count at once.
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

/** Makes the throttle by the limits of the settings. It counts in this process alone. */
export function createClientThrottle(limits: FailureLimits) {
  const rules = clientSecretRules(limits);
  const ofAddress = memoryLimiter(rules.address);
  const ofNetwork = memoryLimiter(rules.network);
  /** Clients that sent a right secret from an address. `clear` means that no attempt counts against them and none is being counted. */
  const proved = new LRUCache<string, 'clear' | 'counting'>(entriesAtMost(MOST_PROVED));
  const keyOf = (clientId: string, narrow: string) => `${narrow} ${clientId}`;
  const noteCounting = (own: string) => void (proved.has(own) && proved.set(own, 'counting'));
  return {
    /**
     * Checks whether the client has sent a right secret from this address and no failure counts against the two. If so, a right secret need
     * not be counted. For a wrong one the caller must still call `begin`.
     */
    isClear: (clientId: string, address: string) => proved.get(keyOf(clientId, prefixesOf(address).narrow)) === 'clear',
    /**
     * Begins an attempt. It counts as a failure until `succeeded` or `untried` is called, so that parallel guesses are counted too. `wait`
     * is the number of seconds to wait before a secret of the client from this address is checked; 0 if it is checked now.
     */
    begin: async (clientId: string, address: string) => {
      const { narrow, wide } = prefixesOf(address);
      const own = keyOf(clientId, narrow);
      // If a right secret came from this address, the attempt is not counted for its network. So failures of neighbours cannot lock the
      // client out.
      const counts = [
        ...(proved.has(own) ? [] : [{ limiter: ofNetwork, key: `${wide} ${clientId}` }]),
        { limiter: ofAddress, key: own },
      ];
      /** Call it if the secret was not checked. The attempt then does not count as a failure. */
      const untried = () => rewardAll(counts);
      /** Call it if the secret was right. The attempt then does not count as a failure. */
      const succeeded = async () => {
        proved.set(own, 'counting');
        await untried();
        const left = await ofAddress.get(own);
        if (proved.has(own) && (left?.consumedPoints ?? 0) <= 0) proved.set(own, 'clear');
      };
      noteCounting(own);
      const wait = await consumeAll(counts);
      if (wait > 0) limitReached('client-secret');
      // Called again, because another attempt may have set `clear` before this one was counted.
      noteCounting(own);
      return { wait, succeeded, untried };
    },
  };
}
