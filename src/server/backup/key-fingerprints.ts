// Fingerprints of the secrets that decrypt the keys in a backup. By them, a restore finds out whether it has these secrets before it writes
// anything.

import { createHash } from 'node:crypto';
import { encryptionContext } from '#openid/keys/key-changes.ts';
import { createEncryption, deriveKey, isEncrypted } from '#shared/crypto/encryption.ts';
import type { ServiceKey } from '#store/oidc/service-keys.ts';
import type { Manifest } from './manifest.ts';

const SALT = Buffer.from('key of a backup').toString('base64url');

/** Returns the fingerprint of a secret. Guessing the secret from it is as costly as guessing it from the encrypted data. */
export async function fingerprintOf(secret: string): Promise<string> {
  return createHash('sha256')
    .update(await deriveKey(secret, SALT))
    .digest('base64url')
    .slice(0, 16);
}

/**
 * Returns whether any key is encrypted, and the fingerprints of the given secrets that decrypt keys. If even one key is decrypted by none
 * of them, returns no fingerprints at all: a restore would take an incomplete list for complete, but an empty list shows that the needed
 * secrets are unknown.
 */
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

/** Returns the fingerprints of the secrets that the keys of the backup need and that are not among the given ones. */
export async function lackingSecrets({ keys }: Pick<Manifest, 'keys'>, secrets: readonly string[]): Promise<string[]> {
  const had = new Set(await Promise.all(secrets.map(fingerprintOf)));
  return keys.secrets.filter((name) => !had.has(name));
}

/**
 * Returns a text that tells the operator which secret to set. Returns undefined if the given secrets decrypt the keys, or if the manifest
 * does not say which secrets do.
 */
export async function secretNeeded(
  manifest: Pick<Manifest, 'keys'>,
  secrets: readonly string[],
): Promise<string | undefined> {
  const lacking = await lackingSecrets(manifest, secrets);
  if (lacking.length === 0) return undefined;
  const here = await Promise.all(secrets.map(fingerprintOf));
  const had =
    here.length === 0
      ? 'No secret is set'
      : `The secret that is set (fingerprint ${here.join(', ')}) does not open them`;
  return `The keys in the backup need the secret with the fingerprint ${lacking.join(' and ')}. ${had}.`;
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
