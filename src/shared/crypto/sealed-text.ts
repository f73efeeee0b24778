// Seals texts that leave the service's memory: AES-256-GCM, under a key that HKDF (RFC 5869) derives from a secret of high entropy
// for each text anew. Passwords and secrets of operators need `encryption.ts`, where the derivation is slow.

import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

const ALGORITHM = 'aes-256-gcm';
const SALT_BYTES = 16;
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/**
 * Requests consist of random text for the most part: a thorough search would find little more, in three times the time. They are
 * short: a window of 4 KiB finds as much as one of 32, and its memory need not be fetched from the system for each text.
 */
const FAST = { level: 1, windowBits: 12, memLevel: 5, chunkSize: 4096 };
/** Characters that a sealed text may have had: nothing that is sealed here comes near. */
const LONGEST = 1_000_000;

/**
 * The text, compressed and sealed, in base64url. It opens with the same secret in the same context alone: `context` says what the
 * text is for.
 */
export function seal(secret: string, text: string, context: string): string {
  const salt = randomBytes(SALT_BYTES);
  const cipher = createCipheriv(ALGORITHM, ...keyOf(secret, salt, context));
  const body = Buffer.concat([cipher.update(deflateRawSync(text, FAST)), cipher.final()]);
  return Buffer.concat([salt, body, cipher.getAuthTag()]).toString('base64url');
}

/** The text again; undefined when it was sealed with none of the secrets, in another context, or was changed since. */
export function unseal(secrets: readonly string[], sealed: string, context: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < SALT_BYTES + TAG_BYTES) return undefined;
  for (const secret of secrets) {
    const text = unsealWith(secret, bytes, context);
    if (text !== undefined) return text;
  }
  return undefined;
}

function unsealWith(secret: string, bytes: Buffer, context: string): string | undefined {
  const [key, iv] = keyOf(secret, bytes.subarray(0, SALT_BYTES), context);
  const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const compressed = Buffer.concat([decipher.update(bytes.subarray(SALT_BYTES, -TAG_BYTES)), decipher.final()]);
    return inflateRawSync(compressed, { maxOutputLength: LONGEST, chunkSize: FAST.chunkSize }).toString('utf8');
  } catch {
    return undefined;
  }
}

// A key for each text: no number of them wears out the secret, as one key with random nonces would be (NIST SP 800-38D, 8.3).
function keyOf(secret: string, salt: Buffer, context: string): [key: KeyObject, iv: Buffer] {
  const bytes = Buffer.from(hkdfSync('sha256', secret, salt, context, KEY_BYTES + IV_BYTES));
  // Node takes four times as long to make a cipher with the bytes of a key: it throws two errors to find out what they are.
  return [createSecretKey(bytes.subarray(0, KEY_BYTES)), bytes.subarray(KEY_BYTES)];
}
