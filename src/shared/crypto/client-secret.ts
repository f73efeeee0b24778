// Secrets of clients: those that the service generates are 256 random bits, compared by a plain digest; those that an operator
// chose are compared by scrypt, once, and recognized from then on.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Place } from '#shared/fair-queue.ts';
import { digest } from './digest.ts';
import { hashesOfClientSecret, isSecretHash } from './secret-hash.ts';

/**
 * The form of a generated secret's digest. NIST SP 800-63B section 5.1.2.2 demands a slow, salted hash only of secrets with
 * fewer than 112 bits of entropy: 256 random bits can be found by no number of guesses.
 */
const GENERATED_HASH = /^sha256\$([A-Za-z0-9_-]{43})$/;
/** 256 bits in base64url. Whatever else is sent never fits such a digest, even where somebody made the digest by hand. */
const GENERATED = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** A new client secret of 256 random bits, 43 characters, and what is kept of it. */
export function newClientSecret(): { secret: string; hash: string } {
  const secret = randomBytes(32).toString('base64url');
  return { secret, hash: `sha256$${digest(secret)}` };
}

/** Whether text is what may be kept of a client secret: the digest of a generated one, or a scrypt hash at a bearable cost. */
export function isClientSecretHash(text: string): boolean {
  return GENERATED_HASH.test(text) || isSecretHash(text);
}

/** Whether a secret belongs to one of the digests of generated ones. Others of the hashes are left out. */
export function isGeneratedSecret(secret: string, hashes: readonly string[]): boolean {
  if (!GENERATED.test(secret)) return false;
  const made = Buffer.from(digest(secret));
  return hashes.some((hash) => {
    const [, kept] = GENERATED_HASH.exec(hash) ?? [];
    return kept !== undefined && timingSafeEqual(made, Buffer.from(kept));
  });
}

// What was verified once is known again by a digest under a key that lives and dies with the process: it reveals nothing,
// and a hash that leaves the file takes its entries with it, because the hash is part of what is digested.
const VERIFIED_KEY = randomBytes(32).toString('base64url');
const MOST_VERIFIED = 10_000;
const verified = new Set<string>();

/** Whether a secret belongs to one of the scrypt hashes, and was verified before. False means nothing: it may be right. */
export function isVerifiedSecret(secret: string, hashes: readonly string[]): boolean {
  return hashes.some((hash) => verified.has(mark(secret, hash)));
}

/**
 * Whether a secret belongs to one of the scrypt hashes. Failures are never kept.
 * @throws TooManyHashes when too many secrets wait already, and those of this network more than of others
 */
export async function verifyChosenSecret(secret: string, hashes: readonly string[], place: Place): Promise<boolean> {
  const matches = await hashesOfClientSecret(secret, hashes.filter(isSecretHash), place);
  if (verified.size >= MOST_VERIFIED) verified.clear();
  for (const hash of matches) verified.add(mark(secret, hash));
  return matches.length > 0;
}

function mark(secret: string, hash: string): string {
  return digest(`${VERIFIED_KEY}\n${hash}\n${secret}`);
}
