// Which secrets open the keys of a backup, without the secrets: so that a restore knows before it writes whether it has them.

import { createHash } from 'node:crypto';
import { encryptionContext } from '../../oidc/keys/key-rotation.ts';
import { createEncryption, deriveKey, isEncrypted } from '../../shared/crypto/encryption.ts';
import type { ServiceKey } from '../../store/oidc/service-keys.ts';
import type { Manifest } from './manifest.ts';

const SALT = Buffer.from('key of a backup').toString('base64url');

/** A name of a secret, as costly to try secrets with as what they encrypt. */
async function fingerprintOf(secret: string): Promise<string> {
  return createHash('sha256')
    .update(await deriveKey(secret, SALT))
    .digest('base64url')
    .slice(0, 16);
}

/** Whether any key is encrypted, and the fingerprints of those secrets that open them; none when some key stays closed. */
export async function secretsOf(keys: readonly ServiceKey[], secrets: readonly string[]) {
  const encrypted = keys.filter(({ material }) => isEncrypted(material));
  const used = new Set<string>();
  let closed = false;
  for (const key of encrypted) {
    const opening = await firstThatOpens(key, secrets);
    if (opening === undefined) closed = true;
    else used.add(opening);
  }
  const names = closed ? [] : await Promise.all([...used].map(fingerprintOf));
  return { encrypted: encrypted.length > 0, secrets: names };
}

/** Whether these secrets are not all that open the keys of the backup. */
export async function lacksSecret({ keys }: Pick<Manifest, 'keys'>, secrets: readonly string[]): Promise<boolean> {
  const had = new Set(await Promise.all(secrets.map(fingerprintOf)));
  return keys.secrets.some((name) => !had.has(name));
}

async function firstThatOpens(key: ServiceKey, secrets: readonly string[]): Promise<string | undefined> {
  for (const secret of secrets) {
    const opened = await createEncryption([secret])
      .decrypt(key.material, encryptionContext(key))
      .catch(() => undefined);
    if (opened !== undefined) return secret;
  }
  return undefined;
}
