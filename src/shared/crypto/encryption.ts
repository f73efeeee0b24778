// Encrypts small texts with AES-256-GCM, in two ways. `createEncryption` is for keys and second factors in the database. It derives its key
// slowly, by scrypt, because an operator may have chosen the secret. `seal` is for cookies, sessions and requests. It derives its key
// quickly, by HKDF (RFC 5869), because its secret has high entropy.

import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  type ScryptOptions,
  scrypt,
} from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { digest } from './digest.ts';

/** Thrown when a stored text cannot be decrypted: no secret is set, no secret fits, or the text was changed. */
export class DecryptionError extends Error {
  override name = 'DecryptionError';
  readonly reason: 'no-secret' | 'wrong-secret';

  constructor(reason: 'no-secret' | 'wrong-secret') {
    super(reason === 'no-secret' ? 'it is encrypted and no secret is set' : 'no secret that is set decrypts it');
    this.reason = reason;
  }
}

const ALGORITHM = 'aes-256-gcm';
const MARK = 'sealed-1';
// Deriving a key takes 32 MiB and some 60 ms, once for each secret and salt. A stored text with `MARK` was encrypted at this cost.
const COST: ScryptOptions = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const SALT_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Checks whether a stored text is encrypted. */
export function isEncrypted(stored: string): boolean {
  return stored.startsWith(`${MARK}.`);
}

export type Encryption = ReturnType<typeof createEncryption>;

/**
 * Opens the encryption. Texts are encrypted with the first of `secrets`, and decrypted with any of them. Without secrets, texts are stored
 * in plain.
 */
export function createEncryption(secrets: readonly string[]) {
  const [first] = secrets;
  const derived = new Map<string, Promise<Buffer>>();
  // Salt of the last text that was decrypted with the first secret. The next encryption uses this salt again, which saves a derivation.
  let saltOfFirst: string | undefined;

  const keyOf = (secret: string, salt: string): Promise<Buffer> => {
    const name = `${digest(secret)} ${salt}`;
    const known = derived.get(name) ?? deriveKey(secret, salt);
    derived.set(name, known);
    return known;
  };
  const decryptWith = async (secret: string, stored: string, context: string): Promise<string | undefined> => {
    const [, salt = '', body = ''] = stored.split('.');
    const bytes = Buffer.from(body, 'base64url');
    try {
      const decipher = createDecipheriv(ALGORITHM, await keyOf(secret, salt), bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
      const whole = Buffer.concat([text, decipher.final()]).toString('utf8');
      if (secret === first) saltOfFirst = salt;
      return whole;
    } catch {
      return undefined;
    }
  };

  return {
    /** Encrypts the text, bound to a context (the additional data of AES-GCM). Without a secret it returns the text unchanged. */
    encrypt: async (text: string, context: string): Promise<string> => {
      if (first === undefined) return text;
      saltOfFirst ??= randomBytes(SALT_BYTES).toString('base64url');
      const salt = saltOfFirst;
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, await keyOf(first, salt), iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(context));
      const body = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${MARK}.${salt}.${body.toString('base64url')}`;
    },
    /**
     * Decrypts the text. A text that was never encrypted is returned unchanged. Throws a `DecryptionError` if no secret decrypts the text.
     */
    decrypt: async (stored: string, context: string): Promise<string> => {
      if (!isEncrypted(stored)) return stored;
      if (secrets.length === 0) throw new DecryptionError('no-secret');
      for (const secret of secrets) {
        const text = await decryptWith(secret, stored, context);
        if (text !== undefined) return text;
      }
      throw new DecryptionError('wrong-secret');
    },
    /** Checks whether the text is stored as `encrypt` would store it now: with the first secret, or in plain without one. */
    isCurrent: async (stored: string, context: string): Promise<boolean> => {
      if (first === undefined) return !isEncrypted(stored);
      return isEncrypted(stored) && (await decryptWith(first, stored, context)) !== undefined;
    },
  };
}

/** Derives a key of 256 bits from a secret that a person may have chosen. `salt` is in base64url. */
export function deriveKey(secret: string, salt: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(secret, Buffer.from(salt, 'base64url'), KEY_BYTES, COST, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/**
 * Settings of the compression. A thorough search for repetitions would take three times as long and find few more, because the texts,
 * mostly requests, consist of random characters. The texts are also short, so a window of 4 KiB finds as many repetitions as one of 32 KiB.
 * For so small a window, the process need not fetch memory from the system for each text.
 */
const FAST = { level: 1, windowBits: 12, memLevel: 5, chunkSize: 4096 };
/** Maximum characters of the original text. No text of the service comes near. */
const LONGEST = 1_000_000;

/**
 * Compresses and seals the text. The result is base64url. Only the same secret and the same context can open it. The context names the
 * purpose of the text.
 */
export function seal(secret: string, text: string, context: string): string {
  const salt = randomBytes(SALT_BYTES);
  const cipher = createCipheriv(ALGORITHM, ...sealingKey(secret, salt, context));
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
  const [key, iv] = sealingKey(secret, bytes.subarray(0, SALT_BYTES), context);
  const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const compressed = Buffer.concat([decipher.update(bytes.subarray(SALT_BYTES, -TAG_BYTES)), decipher.final()]);
    return inflateRawSync(compressed, { maxOutputLength: LONGEST, chunkSize: FAST.chunkSize }).toString('utf8');
  } catch {
    return undefined;
  }
}

// Derives a separate key for each text. With random nonces, a single key would be safe only for a limited number of texts (NIST SP 800-38D,
// 8.3).
function sealingKey(secret: string, salt: Buffer, context: string): [key: KeyObject, iv: Buffer] {
  const bytes = Buffer.from(hkdfSync('sha256', secret, salt, context, KEY_BYTES + IV_BYTES));
  // Node gets a `KeyObject`, because making a cipher from bytes takes four times as long: it throws two errors to find out the type of the
  // key.
  return [createSecretKey(bytes.subarray(0, KEY_BYTES)), bytes.subarray(KEY_BYTES)];
}
