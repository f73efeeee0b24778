// Encrypts small texts at rest with a secret of the operator: AES-256-GCM under a key that scrypt derives.

import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
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

const MARK = 'sealed-1';
// 32 MiB and some 60 ms, once for each secret and salt. `MARK` stands for this cost.
const COST: ScryptOptions = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const SALT_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Checks whether a stored text is encrypted. */
export function isEncrypted(stored: string): boolean {
  return stored.startsWith(`${MARK}.`);
}

export type Encryption = ReturnType<typeof createEncryption>;

/** Opens the encryption. The first of `secrets` encrypts, all of them decrypt. Without secrets, texts are stored in plain. */
export function createEncryption(secrets: readonly string[]) {
  const [first] = secrets;
  const derived = new Map<string, Promise<Buffer>>();
  // Salt of the last decrypted text. The next encryption uses it again, which saves a derivation.
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
      const decipher = createDecipheriv('aes-256-gcm', await keyOf(secret, salt), bytes.subarray(0, IV_BYTES), {
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
      const cipher = createCipheriv('aes-256-gcm', await keyOf(first, salt), iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(context));
      const body = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${MARK}.${salt}.${body.toString('base64url')}`;
    },
    /** Decrypts the text. A text that was never encrypted is returned unchanged. Throws `DecryptionError`. */
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
    scrypt(secret, Buffer.from(salt, 'base64url'), 32, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
