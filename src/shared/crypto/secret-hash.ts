// Hashes passwords and client secrets with scrypt, slowly and with much memory, and verifies them; a client secret that was
// verified before is recognized fast.

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import pLimit, { type LimitFunction } from 'p-limit';
import { digest } from './digest.ts';

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
/** For client secrets, which `newSecret` makes too long to guess: 16 MiB, one pass. */
export const CLIENT_SECRET_COST: ScryptCost = { log2N: 14, r: 8, p: 1 };

const FORM = /^scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9_-]{22,86})\$([A-Za-z0-9_-]{43,86})$/;
const LARGEST_MEMORY = 256 * 1024 * 1024;
const SALT_BYTES = 16;
const KEY_BYTES = 32;
// Passwords and client secrets wait apart, so that a flood of the one (anybody can send it) never holds up the other.
// The thread pool also serves files and names: one of its four threads is left to them.
const PASSWORDS: Queue = { subject: 'passwords', limit: pLimit(2), most: 102 };
const CLIENT_SECRETS: Queue = { subject: 'client secrets', limit: pLimit(1), most: 21 };

interface Queue {
  /** Plural, for the error. */
  subject: string;
  limit: LimitFunction;
  /** Running and waiting together. */
  most: number;
}

/**
 * Hashes a password (Unicode NFC). The form names its own cost: `scrypt$ln=15,r=8,p=3$salt$key`. It waits as long as it
 * takes: those who set a secret are known.
 */
export async function hashSecret(secret: string, cost: ScryptCost = PASSWORD_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await PASSWORDS.limit(() => derive(secret, salt, cost, KEY_BYTES));
  return `scrypt$ln=${cost.log2N},r=${cost.r},p=${cost.p}$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

/**
 * Whether the password belongs to one of the hashes. All are tried, in constant time; with no hash at all one is made in
 * vain, so that an unknown account takes as long as a known one. A malformed hash belongs to no password.
 * @throws TooManyHashes when more than a hundred passwords wait already
 */
export async function verifySecret(secret: string, hashes: readonly string[]): Promise<boolean> {
  return (await matching(PASSWORDS, PASSWORD_COST, secret, hashes)).length > 0;
}

async function matching(
  { subject, limit, most }: Queue,
  vain: ScryptCost,
  secret: string,
  hashes: readonly string[],
): Promise<string[]> {
  const possible = hashes.flatMap((hash) => {
    const parsed = parseHash(hash);
    return parsed ? [{ hash, ...parsed }] : [];
  });
  if (limit.activeCount + limit.pendingCount >= most) throw new TooManyHashes(subject);
  return limit(async () => {
    const matches: string[] = [];
    for (const { hash, salt, cost, key } of possible) {
      const made = await derive(secret, salt, cost, key.length);
      if (timingSafeEqual(made, key)) matches.push(hash);
    }
    if (possible.length === 0) await derive(secret, Buffer.alloc(SALT_BYTES), vain, KEY_BYTES);
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

/** A new client secret: 256 random bits, 43 characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

// What was verified once is known again by a digest under a key that lives and dies with the process: it reveals nothing,
// and a hash that leaves the file takes its entries with it, because the hash is part of what is digested.
const VERIFIED_KEY = randomBytes(32).toString('base64url');
const MOST_VERIFIED = 10_000;
const verified = new Set<string>();

/** Whether a client secret belongs to one of the hashes, and was verified before. False means nothing: it may be right. */
function knownClientSecret(secret: string, hashes: readonly string[]): boolean {
  return hashes.some((hash) => verified.has(mark(secret, hash)));
}

/**
 * As `verifySecret`, for client secrets only: one that was verified before costs microseconds and waits for nobody.
 * Failures are never kept.
 * @throws TooManyHashes when more than twenty unknown secrets wait already
 */
export async function verifyClientSecret(secret: string, hashes: readonly string[]): Promise<boolean> {
  if (knownClientSecret(secret, hashes)) return true;
  const matches = await matching(CLIENT_SECRETS, CLIENT_SECRET_COST, secret, hashes);
  if (verified.size >= MOST_VERIFIED) verified.clear();
  for (const hash of matches) verified.add(mark(secret, hash));
  return matches.length > 0;
}

function mark(secret: string, hash: string): string {
  return digest(`${VERIFIED_KEY}\n${hash}\n${secret}`);
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
