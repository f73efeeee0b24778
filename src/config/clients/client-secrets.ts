// Turns the references under `secrets` (hash, env, file) into hashes. The secrets themselves are not kept. `environment/secrets.ts` has
// their minimum length.

import { createHmac, randomBytes } from 'node:crypto';
import type { Problem } from '#config/configuration-error.ts';
import type { Environment } from '#config/environment/environment.ts';
import { secretOf, shortSecret } from '#config/environment/secrets.ts';
import type { Settings } from '#config/settings.ts';
import { isClientSecretHash } from '#shared/crypto/client-secret.ts';
import { CLIENT_SECRET_COST, hashSecret } from '#shared/crypto/secret-hash.ts';
import { hygie } from '#shared/operator-messages.ts';
import type { SecretReference } from './client-schema.ts';

type Outcome = { hash: string } | { problem: Problem };

/**
 * Hashes of secrets that were read before, by a keyed digest of the secret. A secret that has not changed keeps its hash, so that a reload
 * costs nothing and verified secrets stay known.
 */
export type SecretHashes = Map<string, string>;

/**
 * The key of these digests if the service has no secret of its own. It never leaves this process, so the digests reveal nothing elsewhere.
 */
const MEMORY_KEY = randomBytes(32);

const newOne = () => `Run \`${hygie('clients secret')}\` for a new one.`;

/** Returns the hash of the secret behind a reference, or the problem with the reference. The text of a problem never holds a secret. */
export async function resolveSecret(
  { hash = '', env: name, file }: SecretReference,
  { mode, configFolder, keys }: Pick<Settings, 'mode' | 'configFolder'> & Partial<Pick<Settings, 'keys'>>,
  env: Environment,
  known: SecretHashes,
): Promise<Outcome> {
  if (name !== undefined || file !== undefined) {
    const source = { ...(name !== undefined && { env: name }), ...(file !== undefined && { file }) };
    const found = await secretOf(source, configFolder, env);
    return 'secret' in found ? hashed(found.secret, mode, known, keys?.secrets[0]) : found;
  }
  if (isClientSecretHash(hash)) return { hash };
  const problem = 'Is no hash of a secret (its value is not shown).';
  return { problem: { problem, remedy: `Put the printed hash here, whole and in quotation marks. ${newOne()}` } };
}

async function hashed(
  value: string,
  mode: Settings['mode'],
  known: SecretHashes,
  key: string | Buffer = MEMORY_KEY,
): Promise<Outcome> {
  const problem = shortSecret(value, mode);
  if (problem !== undefined) return { problem: { problem, remedy: newOne() } };
  const name = createHmac('sha256', key).update(value).digest('base64url');
  const hash = known.get(name) ?? (await hashSecret(value, CLIENT_SECRET_COST));
  known.set(name, hash);
  return { hash };
}
