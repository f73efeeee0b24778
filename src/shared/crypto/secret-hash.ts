// Hashes passwords, and client secrets that an operator chose, with scrypt: slowly, and with much memory. In a service, hashes wait in a
// queue for their turn, and a client secret that was verified before is recognised without hashing.

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { fairQueue, OWN, type QueueKey } from '#shared/fair-queue.ts';
import { type LimitName, limitReached } from '#shared/limits-reached.ts';
import { traced } from '#shared/request-context.ts';
import { digest } from './digest.ts';

/** Cost of one hash: 2^log2N blocks of 128 * r bytes in memory, p times over. */
export interface ScryptCost {
  log2N: number;
  r: number;
  p: number;
}

/** Cost of passwords: 32 MiB, three passes (OWASP Password Storage Cheat Sheet). */
export const PASSWORD_COST: Readonly<ScryptCost> = { log2N: 15, r: 8, p: 3 };
/**
 * Cost of client secrets: 16 MiB, one pass. Less than for passwords is enough, because in production client secrets have at least 32
 * characters.
 */
export const CLIENT_SECRET_COST: Readonly<ScryptCost> = { log2N: 14, r: 8, p: 1 };

const FORM = /^scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9_-]{22,86})\$([A-Za-z0-9_-]{43,86})$/;
const LARGEST_MEMORY = 256 * 1024 * 1024;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** Hashes a password (Unicode NFC). The result names the cost of the hash: `scrypt$ln=15,r=8,p=3$salt$key`. */
export async function hashSecret(secret: string, cost: ScryptCost = PASSWORD_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(secret, salt, cost, KEY_BYTES);
  return `scrypt$ln=${cost.log2N},r=${cost.r},p=${cost.p}$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

/**
 * Returns the hashes of the list that belong to the secret. Every hash is tried, and compared in constant time. A malformed hash belongs to
 * no secret.
 */
export async function matchingHashes(secret: string, hashes: readonly string[]): Promise<string[]> {
  const matches: string[] = [];
  for (const hash of hashes) {
    const parsed = parseHash(hash);
    if (!parsed) continue;
    const made = await derive(secret, parsed.salt, parsed.cost, parsed.key.length);
    if (timingSafeEqual(made, parsed.key)) matches.push(hash);
  }
  return matches;
}

/**
 * Makes a hash of this cost and discards it, so that the response for an unknown login takes as long as for a known one, and reveals
 * nothing.
 */
async function hashInVain(secret: string, cost: ScryptCost): Promise<void> {
  await derive(secret, Buffer.alloc(SALT_BYTES), cost, KEY_BYTES);
}

/** Checks whether the text is a valid hash, and not too costly for the service. */
export function isSecretHash(text: string): boolean {
  return parseHash(text) !== undefined;
}

/** Checks whether a password's hash is cheaper than `cost`. Such a hash is replaced at the next successful sign-in. */
export function needsRehash(hash: string, cost: ScryptCost): boolean {
  const parsed = parseHash(hash);
  return !parsed || work(parsed.cost) < work(cost);
}

function parseHash(text: string): { cost: ScryptCost; salt: Buffer; key: Buffer } | undefined {
  const [, log2N, r, p, salt, key] = FORM.exec(text) ?? [];
  if (salt === undefined || key === undefined) return undefined;
  const cost = { log2N: Number(log2N), r: Number(r), p: Number(p) };
  if (cost.log2N < 1 || cost.log2N > 20 || cost.r < 1 || cost.p < 1 || cost.p > 16 || memory(cost) > LARGEST_MEMORY) {
    return undefined;
  }
  return { cost, salt: Buffer.from(salt, 'base64url'), key: Buffer.from(key, 'base64url') };
}

function memory({ log2N, r }: ScryptCost): number {
  return 128 * r * 2 ** log2N;
}

function work(cost: ScryptCost): number {
  return memory(cost) * cost.p;
}

function derive(secret: string, salt: Buffer, cost: ScryptCost, bytes: number): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** cost.log2N, r: cost.r, p: cost.p, maxmem: 2 * memory(cost) + 1024 * 1024 };
  return new Promise((done, failed) => {
    scrypt(secret.normalize('NFC'), salt, bytes, options, (error, key) => (error ? failed(error) : done(key)));
  });
}

/** Thrown when so many hashes wait that another one would not be done in good time. The secret was not checked. */
export class TooManyHashes extends Error {
  constructor(subject: string) {
    super(`too many ${subject} are being checked at once; this one was not looked at: try again in a few seconds`);
    this.name = 'TooManyHashes';
  }
}

export interface SecretHashing {
  /** Hashes a new password. The call waits for its turn as long as needed, because the person who sets the password is known. */
  hashPassword(password: string): Promise<string>;
  /** Checks whether a hash is cheaper than those of `hashPassword`. */
  needsRehash(hash: string): boolean;
  /**
   * Checks whether the password belongs to one of the hashes. If there is no hash, it hashes the password all the same, so that an unknown
   * account takes as long as a known one.
   * @throws TooManyHashes if too many passwords wait, and more of them come from this network than from others
   */
  verifyPassword(password: string, hashes: readonly string[], queueKey: QueueKey): Promise<boolean>;
  /**
   * Checks whether `verifyPassword` would throw `TooManyHashes` now. By asking first, a caller can avoid counting
   * an attempt whose password will not be checked.
   */
  tooManyPasswords(queueKey: QueueKey): boolean;
  /**
   * Checks whether this client secret was verified before with one of the scrypt hashes. False does not mean that the secret is wrong: it
   * may not have been verified yet.
   */
  isVerifiedSecret(secret: string, hashes: readonly string[]): boolean;
  /**
   * Checks whether a client secret belongs to one of the scrypt hashes. Wrong secrets are never cached.
   * @throws TooManyHashes if too many secrets wait, and more of them come from this network than from others
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
  /** Runs a task when its turn comes. If the work is traced, the span of the task shows how long it waited. */
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
  // A verified secret is remembered as a digest under a key that exists only in this process, so that the digest reveals nothing. The
  // digest includes the stored hash. So once a hash is removed from the file, no digest that was made with it matches any more.
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
