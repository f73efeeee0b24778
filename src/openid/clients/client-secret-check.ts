// Checks the secret that a client sends (SEC-15, SEC-59): a generated one at once; one that an operator chose by a slow hash,
// which is made in turn, and no more often than the limits of the networks allow.

import { isGeneratedSecret } from '#shared/crypto/client-secret.ts';
import { digest } from '#shared/crypto/digest.ts';
import { type SecretHashing, TooManyHashes } from '#shared/crypto/secret-hashing.ts';
import { queueKeyOf } from '#shared/fair-queue.ts';
import type { ClientRegistry } from './client-registry.ts';
import type { ClientThrottle } from './secret-throttle.ts';

/** `later`: it was not looked at, for a reason and so many seconds. */
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
    // No limit: it cannot be guessed, and nobody behind the same address can keep it out by guesses.
    if (isGeneratedSecret(secret, hashes)) return Promise.resolve('right');
    // Nearly all requests of a client with a chosen secret end here: to count them and take that back would change nothing.
    if (throttle.isClear(clientId, address) && isVerifiedSecret(secret, hashes)) return Promise.resolve('right');
    const key = digest(JSON.stringify([clientId, secret, address, hashes]));
    const running = underWay.get(key);
    if (running) return running;
    const verdict = check(clientId, secret, address, hashes).finally(() => underWay.delete(key));
    underWay.set(key, verdict);
    return verdict;
  };
}
