// Seals texts that leave the service's memory: AES-256-GCM under a key that HKDF (RFC 5869) derives for each text from a secret of high
// entropy. Passwords and secrets of operators need `encryption.ts`, where the derivation is slow.

import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

const ALGORITHM = 'aes-256-gcm';
const SALT_BYTES = 16;
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/**
 * Settings of the compression. Requests consist mostly of random text, so a thorough search would take three times as long and find little
 * more. Requests are also short. So a window of 4 KiB finds as much as one of 32 KiB, and its memory need not be fetched from the system
 * for each text.
 */
const FAST = { level: 1, windowBits: 12, memLevel: 5, chunkSize: 4096 };
/** Maximum characters of the original text. No text of the service comes near. */
const LONGEST = 1_000_000;

/**
 * Compresses and seals the text. The result is base64url. It opens only with the same secret and the same context, which names its purpose.
 */
export function seal(secret: string, text: string, context: string): string {
  const salt = randomBytes(SALT_BYTES);
  const cipher = createCipheriv(ALGORITHM, ...keyOf(secret, salt, context));
  const body = Buffer.concat([cipher.update(deflateRawSync(text, FAST)), cipher.final()]);
  return Buffer.concat([salt, body, cipher.getAuthTag()]).toString('base64url');
}

/** Returns the original text; undefined if none of the secrets sealed it, the context is another one, or somebody has changed it. */
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

// Derives a key for each text. A single key with random nonces would wear out with the number of texts (NIST SP 800-38D, 8.3).
function keyOf(secret: string, salt: Buffer, context: string): [key: KeyObject, iv: Buffer] {
  const bytes = Buffer.from(hkdfSync('sha256', secret, salt, context, KEY_BYTES + IV_BYTES));
  // If Node gets the bytes of a key, it takes four times as long to make a cipher, because it throws two errors to find out their type.
  return [createSecretKey(bytes.subarray(0, KEY_BYTES)), bytes.subarray(KEY_BYTES)];
}
