// Queues the hashing of a service: passwords and client secrets wait for their turn. A client secret that was verified before is recognised
// without hashing.

import { randomBytes } from 'node:crypto';
import { fairQueue, OWN, type QueueKey } from '#shared/fair-queue.ts';
import { type LimitName, limitReached } from '#shared/limits-reached.ts';
import { traced } from '#shared/request-context.ts';
import { digest } from './digest.ts';
import {
  hashInVain,
  hashSecret,
  isSecretHash,
  matchingHashes,
  needsRehash,
  PASSWORD_COST,
  type ScryptCost,
} from './secret-hash.ts';

/** Thrown when so many hashes wait that another one would not be done in good time. The secret was not looked at. */
export class TooManyHashes extends Error {
  constructor(subject: string) {
    super(`too many ${subject} are being checked at once; this one was not looked at: try again in a few seconds`);
    this.name = 'TooManyHashes';
  }
}

export interface SecretHashing {
  /** Hashes a password. It waits as long as needed, because the person who sets it is known. */
  hashPassword(password: string): Promise<string>;
  /** Checks whether a hash is cheaper than those of `hashPassword`. */
  needsRehash(hash: string): boolean;
  /**
   * Checks whether the password belongs to one of the hashes. Without any hash it hashes the password all the same, so that an unknown
   * account takes as long as a known one.
   * @throws TooManyHashes if too many passwords wait, and this network has more of them than others
   */
  verifyPassword(password: string, hashes: readonly string[], queueKey: QueueKey): Promise<boolean>;
  /**
   * Checks whether `verifyPassword` would throw `TooManyHashes` now. A caller that asks first need not count an attempt that nobody looks
   * at.
   */
  tooManyPasswords(queueKey: QueueKey): boolean;
  /** Checks whether this client secret was verified before with one of the scrypt hashes. False does not mean that it is wrong. */
  isVerifiedSecret(secret: string, hashes: readonly string[]): boolean;
  /**
   * Checks whether a client secret belongs to one of the scrypt hashes. Wrong secrets are never cached.
   * @throws TooManyHashes if too many secrets wait, and this network has more of them than others
   */
  verifyChosenSecret(secret: string, hashes: readonly string[], queueKey: QueueKey): Promise<boolean>;
}

const MOST_VERIFIED = 10_000;

/**
 * Makes the queues. Passwords and client secrets have separate ones, so that a flood of passwords, which anybody can send, never delays the
 * secrets. Three hashes run at a time: the thread pool has four threads, and one is left to files and host names. As many passwords may
 * wait as a small machine hashes in some fifteen seconds.
 */
export function createSecretHashing(cost: ScryptCost = PASSWORD_COST): SecretHashing {
  const queues = {
    passwords: fairQueue({ running: 2, waiting: 100, refusal: refusal('password-queue', 'passwords') }),
    clientSecrets: fairQueue({ running: 1, waiting: 20, refusal: refusal('client-secret-queue', 'client secrets') }),
  };
  /** Runs a task when it is its turn. A trace shows its waiting time. */
  const inTurn = <Result>(
    queue: keyof typeof queues,
    queueKey: QueueKey,
    task: () => Promise<Result>,
  ): Promise<Result> => {
    const since = performance.now();
    return traced('scrypt', { attributes: { 'hygie.queue': queue } }, (span) =>
      queues[queue](queueKey, () => {
        span?.set({ 'hygie.waited_ms': Math.round(performance.now() - since) });
        return task();
      }),
    );
  };
  // A verified secret is recognised by a digest under a key that exists only in this process, so the digest reveals nothing. The digest
  // includes the stored hash. So when a hash is removed from the file, no digest that was made with it matches any more.
  const key = randomBytes(32).toString('base64url');
  const mark = (secret: string, hash: string) => digest(`${key}\n${hash}\n${secret}`);
  const verified = new Set<string>();
  return {
    hashPassword: (password) => inTurn('passwords', OWN, () => hashSecret(password, cost)),
    needsRehash: (hash) => needsRehash(hash, cost),
    verifyPassword: (password, hashes, queueKey) => {
      const possible = hashes.filter(isSecretHash);
      return inTurn('passwords', queueKey, async () => {
        if (possible.length === 0) await hashInVain(password, cost);
        return (await matchingHashes(password, possible)).length > 0;
      });
    },
    tooManyPasswords: queues.passwords.isFull,
    isVerifiedSecret: (secret, hashes) => hashes.some((hash) => verified.has(mark(secret, hash))),
    verifyChosenSecret: async (secret, hashes, queueKey) => {
      const possible = hashes.filter(isSecretHash);
      if (possible.length === 0) return false;
      const matches = await inTurn('clientSecrets', queueKey, () => matchingHashes(secret, possible));
      if (verified.size >= MOST_VERIFIED) verified.clear();
      for (const hash of matches) verified.add(mark(secret, hash));
      return matches.length > 0;
    },
  };
}

function refusal(limit: LimitName, subject: string): () => TooManyHashes {
  return () => {
    limitReached(limit);
    return new TooManyHashes(subject);
  };
}
