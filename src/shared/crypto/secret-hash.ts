// Hashes passwords, and client secrets that an operator chose, with scrypt, slowly and with much memory, and verifies them.

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { fairQueue, OWN, type Place } from '#shared/fair-queue.ts';
import { type LimitName, limitReached } from '#shared/limits-reached.ts';
import { traced } from '#shared/request-context.ts';

/** So many hashes are being waited for that another one would not be answered in good time: nothing was tried. */
export class TooManyHashes extends Error {
  constructor(subject: string) {
    super(`too many ${subject} are being checked at once; this one was not looked at: try again in a few seconds`);
    this.name = 'TooManyHashes';
  }
}

/** Cost of one hash: 2^log2N blocks of 128 * r bytes in memory, p times over. */
export interface ScryptCost {
  log2N: number;
  r: number;
  p: number;
}

/** For passwords: 32 MiB, three passes (OWASP Password Storage Cheat Sheet). */
export const PASSWORD_COST: ScryptCost = { log2N: 15, r: 8, p: 3 };
/** For client secrets, of which production demands 32 characters: 16 MiB, one pass. */
export const CLIENT_SECRET_COST: ScryptCost = { log2N: 14, r: 8, p: 1 };

const FORM = /^scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9_-]{22,86})\$([A-Za-z0-9_-]{43,86})$/;
const LARGEST_MEMORY = 256 * 1024 * 1024;
const SALT_BYTES = 16;
const KEY_BYTES = 32;
// Passwords and client secrets wait apart, so that a flood of the one (anybody can send it) never holds up the other.
// The thread pool also serves files and names: one of its four threads is left to them. So many wait that a hundred passwords
// are worked off in some fifteen seconds on a small machine.
const tooMany = (limit: LimitName, subject: string) => () => {
  limitReached(limit);
  return new TooManyHashes(subject);
};
const QUEUES = {
  passwords: fairQueue({ running: 2, waiting: 100, refusal: tooMany('password-queue', 'passwords') }),
  clientSecrets: fairQueue({ running: 1, waiting: 20, refusal: tooMany('client-secret-queue', 'client secrets') }),
};

/**
 * Hashes a password (Unicode NFC). The form names its own cost: `scrypt$ln=15,r=8,p=3$salt$key`. It waits as long as it
 * takes: those who set a secret are known.
 */
export async function hashSecret(secret: string, cost: ScryptCost = PASSWORD_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await queued('passwords', OWN, () => derive(secret, salt, cost, KEY_BYTES));
  return `scrypt$ln=${cost.log2N},r=${cost.r},p=${cost.p}$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

/**
 * Whether the password belongs to one of the hashes. All are tried, in constant time; with no hash at all one is made in
 * vain, so that an unknown account takes as long as a known one. A malformed hash belongs to no password.
 * @throws TooManyHashes when too many passwords wait already, and those of this network more than of others
 */
export async function verifySecret(secret: string, hashes: readonly string[], place: Place): Promise<boolean> {
  return (await matchingHashes('passwords', secret, hashes, place)).length > 0;
}

/** Whether `verifySecret` would throw `TooManyHashes` now: nothing needs to be counted before. */
export function tooManyPasswords(place: Place): boolean {
  return QUEUES.passwords.isFull(place);
}

/** As `verifySecret`, in the queue of client secrets; returns the hashes that fit. With no hash at all none is made. */
export async function hashesOfClientSecret(
  secret: string,
  hashes: readonly string[],
  place: Place,
): Promise<readonly string[]> {
  return hashes.length === 0 ? [] : matchingHashes('clientSecrets', secret, hashes, place);
}

/** Runs a task when it is its turn; a trace tells how long it waited. */
function queued<Result>(queue: keyof typeof QUEUES, place: Place, task: () => Promise<Result>): Promise<Result> {
  const since = performance.now();
  return traced('scrypt', { attributes: { 'hygie.queue': queue } }, (span) =>
    QUEUES[queue](place, () => {
      span?.set({ 'hygie.waited_ms': Math.round(performance.now() - since) });
      return task();
    }),
  );
}

async function matchingHashes(
  queue: keyof typeof QUEUES,
  secret: string,
  hashes: readonly string[],
  place: Place,
): Promise<string[]> {
  const possible = hashes.flatMap((hash) => {
    const parsed = parseHash(hash);
    return parsed ? [{ hash, ...parsed }] : [];
  });
  return queued(queue, place, async () => {
    const matches: string[] = [];
    for (const { hash, salt, cost, key } of possible) {
      const made = await derive(secret, salt, cost, key.length);
      if (timingSafeEqual(made, key)) matches.push(hash);
    }
    if (possible.length === 0) await derive(secret, Buffer.alloc(SALT_BYTES), PASSWORD_COST, KEY_BYTES);
    return matches;
  });
}

/** Whether text is a hash that `verifySecret` can try, at a cost that is bearable. */
export function isSecretHash(text: string): boolean {
  return parseHash(text) !== undefined;
}

/** Whether a password's hash is cheaper than today's and should be replaced at the next successful sign-in. */
export function needsRehash(hash: string, cost: ScryptCost = PASSWORD_COST): boolean {
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
