// Turns the references under `secrets` (hash, env, file) into hashes. Secrets themselves are not kept.

import { createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isClientSecretHash } from '../../shared/crypto/client-secret.ts';
import { CLIENT_SECRET_COST, hashSecret } from '../../shared/crypto/secret-hash.ts';
import { hygie } from '../../shared/hygie-command.ts';
import type { Problem } from '../configuration-error.ts';
import type { Environment } from '../service/environment.ts';
import type { Settings } from '../settings.ts';
import type { SecretReference } from './client-schema.ts';

type Outcome = { hash: string } | { problem: Problem };

// Short secrets can be guessed; production refuses them.
const LEAST_LENGTH = 32;
const NEW_ONE = `Run \`${hygie('clients secret')}\` for a new one.`;

/** The hash of the secret that a reference leads to, or what is wrong with the reference. No text of a problem holds a secret. */
export async function resolveSecret(
  { hash = '', env: name, file }: SecretReference,
  { mode, configFolder }: Pick<Settings, 'mode' | 'configFolder'>,
  env: Environment,
): Promise<Outcome> {
  if (name !== undefined) {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value) return hashed(value, mode);
    const shownName = mayBeSecret(name) ? 'of this name (not shown)' : name;
    const problem = `The environment variable ${shownName} is not set.`;
    return { problem: { problem, remedy: 'Set it to the secret before the service starts.' } };
  }
  if (file !== undefined) {
    const path = resolve(configFolder, file);
    const shownPath = mayBeSecret(file) ? 'of this name (not shown)' : path;
    try {
      const value = (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
      if (value) return hashed(value, mode);
      return { problem: { problem: `The file ${shownPath} is empty.`, remedy: 'Write the secret into it.' } };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
      const remedy = 'Create it, and give the service the right to read it.';
      return { problem: { problem: `The file ${shownPath} cannot be read (${code}).`, remedy } };
    }
  }
  if (isClientSecretHash(hash)) return { hash };
  const problem = 'Is no hash of a secret (its value is not shown).';
  return { problem: { problem, remedy: `Put the printed hash here, whole and in quotation marks. ${NEW_ONE}` } };
}

// The secret itself in place of its name: one word as long as secrets are, and not in capitals as variables are.
function mayBeSecret(text: string): boolean {
  return text.length >= LEAST_LENGTH && /^[\w-]*[a-z][\w-]*$/.test(text);
}

// The same value keeps its hash while the process lives: a reload costs nothing, and verified secrets stay known.
const MEMORY_KEY = randomBytes(32);
const hashes = new Map<string, string>();

async function hashed(value: string, mode: Settings['mode']): Promise<Outcome> {
  if (mode === 'production' && value.length < LEAST_LENGTH) {
    const problem = `Production refuses secrets of fewer than ${LEAST_LENGTH} characters.`;
    return { problem: { problem, remedy: NEW_ONE } };
  }
  const key = createHmac('sha256', MEMORY_KEY).update(value).digest('base64url');
  const hash = hashes.get(key) ?? (await hashSecret(value, CLIENT_SECRET_COST));
  hashes.set(key, hash);
  return { hash };
}
