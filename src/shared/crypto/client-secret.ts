// Secrets of clients that the service generates: 256 random bits, compared by a plain digest.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { digest } from './digest.ts';
import { isSecretHash } from './secret-hash.ts';

/**
 * The form of a generated secret's digest. A plain digest is enough, because no number of guesses finds 256 random bits. NIST SP 800-63B
 * section 5.1.2.2 demands a slow, salted hash only for secrets with fewer than 112 bits of entropy.
 */
const GENERATED_HASH = /^sha256\$([A-Za-z0-9_-]{43})$/;
/**
 * The form of a generated secret: 256 bits in base64url. No text of another form is accepted, even if somebody stores its digest by hand.
 */
const GENERATED = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** Makes a client secret of 256 random bits (43 characters), with the hash to store. */
export function newClientSecret(): { secret: string; hash: string } {
  const secret = randomBytes(32).toString('base64url');
  return { secret, hash: `sha256$${digest(secret)}` };
}

/**
 * Checks whether the text may be stored for a client secret. It must be the digest of a generated secret, or a scrypt hash that is not too
 * costly.
 */
export function isClientSecretHash(text: string): boolean {
  return GENERATED_HASH.test(text) || isSecretHash(text);
}

/** Checks whether the hashes include the digest of this generated secret. Hashes of chosen secrets are ignored. */
export function isGeneratedSecret(secret: string, hashes: readonly string[]): boolean {
  if (!GENERATED.test(secret)) return false;
  const made = Buffer.from(digest(secret));
  return hashes.some((hash) => {
    const [, kept] = GENERATED_HASH.exec(hash) ?? [];
    return kept !== undefined && timingSafeEqual(made, Buffer.from(kept));
  });
}
