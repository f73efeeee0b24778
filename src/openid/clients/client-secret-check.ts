// Checks the secret of a client (SEC-15, SEC-59). A generated secret is checked at once. A secret that an operator chose has a slow hash:
// it waits for its turn in a queue, and the networks' limits bound the number of checks.

import { isGeneratedSecret } from '#shared/crypto/client-secret.ts';
import { digest } from '#shared/crypto/digest.ts';
import { type SecretHashing, TooManyHashes } from '#shared/crypto/secret-hashing.ts';
import { queueKeyOf } from '#shared/fair-queue.ts';
import type { ClientRegistry } from './client-registry.ts';
import type { ClientThrottle } from './secret-throttle.ts';

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
