// The hashing of a service: passwords and client secrets wait for their turn, and a client secret that was right is known again.

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

/** So many hashes are being waited for that another one would not be answered in good time: nothing was tried. */
export class TooManyHashes extends Error {
  constructor(subject: string) {
    super(`too many ${subject} are being checked at once; this one was not looked at: try again in a few seconds`);
    this.name = 'TooManyHashes';
  }
}

export interface SecretHashing {
  /** Hashes a password. It waits as long as it takes: a person who sets one is known. */
  hashPassword(password: string): Promise<string>;
  /** Whether a hash is cheaper than those of `hashPassword`. */
  needsRehash(hash: string): boolean;
  /**
   * Whether the password belongs to one of the hashes. With no hash at all one is made in vain, so that an unknown account takes as
   * long as a known one.
   * @throws TooManyHashes when too many passwords wait already, and those of this network more than of others
   */
  verifyPassword(password: string, hashes: readonly string[], queueKey: QueueKey): Promise<boolean>;
  /** Whether `verifyPassword` would throw `TooManyHashes` now: nothing needs to be counted before. */
  tooManyPasswords(queueKey: QueueKey): boolean;
  /** Whether a client secret belongs to one of the scrypt hashes, and was verified before. False means nothing: it may be right. */
  isVerifiedSecret(secret: string, hashes: readonly string[]): boolean;
  /**
   * Whether a client secret belongs to one of the scrypt hashes. Failures are never kept.
   * @throws TooManyHashes when too many secrets wait already, and those of this network more than of others
   */
  verifyChosenSecret(secret: string, hashes: readonly string[], queueKey: QueueKey): Promise<boolean>;
}

const MOST_VERIFIED = 10_000;

/**
 * Passwords and client secrets wait apart, so that a flood of the one, which anybody can send, never holds up the other. The thread pool
 * also serves files and names: one of its four threads is left to them. As many passwords may wait as a small machine works off in some
 * fifteen seconds.
 */
export function createSecretHashing(cost: ScryptCost = PASSWORD_COST): SecretHashing {
  const queues = {
    passwords: fairQueue({ running: 2, waiting: 100, refusal: refusal('password-queue', 'passwords') }),
    clientSecrets: fairQueue({ running: 1, waiting: 20, refusal: refusal('client-secret-queue', 'client secrets') }),
  };
  /** Runs a task when it is its turn; a trace tells how long it waited. */
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
  // What was verified is known again by a digest under a key that lives and dies with the process: it reveals nothing, and a hash that
  // leaves the file takes its entries with it, because the hash is part of what is digested.
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
