// Hashes passwords, and client secrets that an operator chose, with scrypt: slowly, and with much memory. `secret-hashing.ts` queues the
// hashes of a service.

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** Cost of one hash: 2^log2N blocks of 128 * r bytes in memory, p times over. */
export interface ScryptCost {
  log2N: number;
  r: number;
  p: number;
}

/** Cost of passwords: 32 MiB, three passes (OWASP Password Storage Cheat Sheet). */
export const PASSWORD_COST: Readonly<ScryptCost> = { log2N: 15, r: 8, p: 3 };
/** Cost of client secrets: 16 MiB, one pass. In production they have at least 32 characters. */
export const CLIENT_SECRET_COST: Readonly<ScryptCost> = { log2N: 14, r: 8, p: 1 };

const FORM = /^scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9_-]{22,86})\$([A-Za-z0-9_-]{43,86})$/;
const LARGEST_MEMORY = 256 * 1024 * 1024;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** Hashes a password (Unicode NFC). The form names its own cost: `scrypt$ln=15,r=8,p=3$salt$key`. */
export async function hashSecret(secret: string, cost: ScryptCost = PASSWORD_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(secret, salt, cost, KEY_BYTES);
  return `scrypt$ln=${cost.log2N},r=${cost.r},p=${cost.p}$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

/** Returns those of the hashes that belong to the secret. All are tried, each in constant time. A malformed hash belongs to no secret. */
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
 * Makes a hash of this cost and discards it. For an unknown login, the response then takes as long as for a known one, and reveals nothing.
 */
export async function hashInVain(secret: string, cost: ScryptCost): Promise<void> {
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
