// Owns turning the references under `secrets` (hash, env, file) into hashes. Values are hashed in memory and let go.
// Does not own how many secrets a client may have (`client-rules.ts`).

import { createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { CLIENT_SECRET_COST, hashSecret, isSecretHash } from '../../shared/crypto/secret-hash.ts';
import type { Environment } from '../service/environment.ts';
import type { Settings } from '../settings.ts';

export type SecretReference = { hash: string } | { env: string } | { file: string };

type Outcome = { hash: string } | { issue: { problem: string; remedy: string } };

// Short secrets can be guessed; in production they are refused.
const LEAST_LENGTH = 32;
const NEW_ONE = 'Run `npm run -s hygie -- clients secret` for a new one.';

/**
 * The secret that a reference leads to: undefined for a hash, and where the variable is not set. Rejects when the file cannot
 * be read.
 */
export async function referencedSecret(
  reference: SecretReference,
  { configFolder }: Pick<Settings, 'configFolder'>,
  env: Environment,
): Promise<string | undefined> {
  if ('hash' in reference) return undefined;
  if ('env' in reference) return Object.hasOwn(env, reference.env) ? env[reference.env] : undefined;
  return (await readFile(pathOf(reference.file, configFolder), 'utf8')).replace(/\r?\n$/, '');
}

function pathOf(file: string, configFolder: string): string {
  return isAbsolute(file) ? file : join(configFolder, file);
}

/** The hash of a referenced secret, or what is wrong with the reference. No text of a issue holds a secret. */
export async function resolveSecret(
  reference: SecretReference,
  { mode, configFolder }: Pick<Settings, 'mode' | 'configFolder'>,
  env: Environment,
): Promise<Outcome> {
  if ('hash' in reference) {
    if (isSecretHash(reference.hash)) return { hash: reference.hash };
    const problem = 'Is no hash of a secret (its value is not shown).';
    return { issue: { problem, remedy: `Put the printed hash here, whole and in quotation marks. ${NEW_ONE}` } };
  }
  if ('env' in reference) {
    const value = await referencedSecret(reference, { configFolder }, env);
    if (value) return hashed(value, mode);
    const name = mayBeSecret(reference.env) ? 'of this name (not shown)' : reference.env;
    const problem = `The environment variable ${name} is not set.`;
    return { issue: { problem, remedy: 'Set it to the secret before the service starts.' } };
  }
  const path = pathOf(reference.file, configFolder);
  const shownPath = mayBeSecret(reference.file) ? 'of this name (not shown)' : path;
  try {
    const value = await referencedSecret(reference, { configFolder }, env);
    if (value) return hashed(value, mode);
    return { issue: { problem: `The file ${shownPath} is empty.`, remedy: 'Write the secret into it.' } };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const remedy = 'Create it, and give the service the right to read it.';
    return { issue: { problem: `The file ${shownPath} cannot be read (${code}).`, remedy } };
  }
}

// The secret itself, where its place belongs: one word as long as secrets are, and not in capitals as variables are.
function mayBeSecret(text: string): boolean {
  return text.length >= LEAST_LENGTH && /^[\w-]*[a-z][\w-]*$/.test(text);
}

// The same value keeps its hash while the process lives: a reload costs nothing, and verified secrets stay known.
const MEMORY_KEY = randomBytes(32);
const hashes = new Map<string, string>();

async function hashed(value: string, mode: Settings['mode']): Promise<Outcome> {
  if (mode === 'production' && value.length < LEAST_LENGTH) {
    const problem = `Production refuses secrets of fewer than ${LEAST_LENGTH} characters.`;
    return { issue: { problem, remedy: NEW_ONE } };
  }
  const key = createHmac('sha256', MEMORY_KEY).update(value).digest('base64url');
  const hash = hashes.get(key) ?? (await hashSecret(value, CLIENT_SECRET_COST));
  hashes.set(key, hash);
  return { hash };
}
