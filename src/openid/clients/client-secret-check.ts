// Checks the secret of a client (SEC-15, SEC-59). A right generated secret is accepted at once and never counted. A secret that an operator
// chose has a slow hash: it waits for its turn in a queue, and limits by network bound the number of checks. The figures are
// `limits.addressFailures`, `limits.networkFailures` and `limits.failureWindow` (`clientSecretRules` in `shared/rate-limits.ts`). A client
// as such is never locked out, or anybody could do that to it: only the network that guesses must wait.

import { LRUCache } from 'lru-cache';
import { isGeneratedSecret } from '#shared/crypto/client-secret.ts';
import { digest } from '#shared/crypto/digest.ts';
import { type SecretHashing, TooManyHashes } from '#shared/crypto/secret-hashing.ts';
import { entriesAtMost } from '#shared/entries-at-most.ts';
import { queueKeyOf } from '#shared/fair-queue.ts';
import { limitReached } from '#shared/limits-reached.ts';
import { prefixesOf } from '#shared/network-prefix.ts';
import { clientSecretRules, consumeAll, type FailureLimits, memoryLimiter, rewardAll } from '#shared/rate-limits.ts';
import type { ClientRegistry } from './client-registry.ts';

/** `later` means that the secret was not checked, with the reason and the seconds to wait. */
type SecretVerdict = 'right' | 'wrong' | { later: 'limit' | 'busy'; seconds: number };

export type CheckSecret = (clientId: string, secret: string, address: string) => Promise<SecretVerdict>;

export function createSecretCheck(
  clients: Pick<ClientRegistry, 'find'>,
  throttle: ClientThrottle,
  { isVerifiedSecret, verifyChosenSecret }: Pick<SecretHashing, 'isVerifiedSecret' | 'verifyChosenSecret'>,
): CheckSecret {
  /** Requests that send the same secret at once, as those of a client do after a restart, wait for one hash together. */
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
    // There is no limit here: a generated secret cannot be guessed, and nobody behind the same address can lock the client out by guesses.
    if (isGeneratedSecret(secret, hashes)) return Promise.resolve('right');
    // Nearly all requests of a client with a chosen secret end here. Counting them and then undoing the count would change nothing.
    if (throttle.isClear(clientId, address) && isVerifiedSecret(secret, hashes)) return Promise.resolve('right');
    const key = digest(JSON.stringify([clientId, secret, address, hashes]));
    const running = underWay.get(key);
    if (running) return running;
    const verdict = check(clientId, secret, address, hashes).finally(() => underWay.delete(key));
    underWay.set(key, verdict);
    return verdict;
  };
}

interface SecretAttempt {
  /** Seconds until a secret of the client from this address is checked again; 0 if it is checked now. */
  wait: number;
  /** Call it if the secret was right: the attempt was no failure. */
  succeeded(): Promise<void>;
  /** Call it if the secret was not checked: the attempt was no failure. */
  untried(): Promise<void>;
}

interface ClientThrottle {
  /** Begins an attempt. It counts as a failure from here on, until it is reported as something else, so that parallel guesses count too. */
  begin(clientId: string, address: string): Promise<SecretAttempt>;
  /**
   * Checks whether the client has sent a right secret from this address and nothing counts against the two. Then a right attempt need not
   * be counted; a wrong one must still call `begin`.
   */
  isClear(clientId: string, address: string): boolean;
}

/** Maximum number of pairs of a client and an address that are remembered because the client has sent a right secret from there. */
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
