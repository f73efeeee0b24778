// Encrypts a short text under a token, so that it can be read with the token only: the database, which has digests of
// tokens only, cannot (SEC-16).

import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_LENGTH = 12;
const TAG_LENGTH = 16;

/** The text, sealed under a token of high entropy and bound to `context`; base64url. */
export function seal(text: string, token: string, context: string): string {
  const iv = randomBytes(IV_LENGTH);
  const cipher = createCipheriv(ALGORITHM, keyOf(token), iv).setAAD(Buffer.from(context));
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** The sealed text; undefined under another token or in another context. */
export function unseal(sealed: string, token: string, context: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv(ALGORITHM, keyOf(token), bytes.subarray(0, IV_LENGTH), {
    authTagLength: TAG_LENGTH,
  });
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_LENGTH));
  try {
    const text = decipher.update(bytes.subarray(IV_LENGTH, -TAG_LENGTH));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

// HKDF (RFC 5869) without salt: a token is random enough to be a key, and must not be the stored digest.
function keyOf(token: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', token, '', 'hygie: sealed under a token', 32)));
}
