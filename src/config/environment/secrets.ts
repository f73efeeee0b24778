// Reads secrets from a variable, or from a file that a variable or a configuration key names, and the secrets that encrypt the service's
// keys at rest also from the file that the first start has made. Declares their minimum length. No text of an issue holds a secret.

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ConfigIssue, Problem } from '#config/configuration-error.ts';
import type { Mode } from '#config/url-rules.ts';
import { type Environment, environmentIssue, type VariableName, variable } from './environment.ts';

type SecretName = 'DATABASE_URL' | 'HYGIE_KEY_SECRET' | 'HYGIE_KEY_SECRET_OLD' | 'HYGIE_MAIL_PASSWORD';

/** Returns the secret and the variable that gave it. Undefined if no variable is set, or if its value is an issue. */
export async function readSecretVariable(
  env: Environment,
  name: SecretName,
  issues: ConfigIssue[],
): Promise<{ secret: string; from: VariableName } | undefined> {
  const fileName = `${name}_FILE` as const;
  const value = variable(env, name);
  const file = variable(env, fileName);
  if (value !== undefined && file !== undefined) {
    const problem = `Is set, and so is ${fileName}.`;
    issues.push(environmentIssue(name, { problem, remedy: 'Keep one of the two.' }));
    return undefined;
  }
  if (file === undefined) return value === undefined ? undefined : { secret: value, from: name };
  try {
    return { secret: (await readFile(file, 'utf8')).trim(), from: fileName };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const problem = `The file ${file} cannot be read (${code}).`;
    const remedy = 'Create it, and give the service the right to read it.';
    issues.push(environmentIssue(fileName, { problem, remedy }));
    return undefined;
  }
}

/** Where a secret stands. Exactly one of the two is set. A path is relative to the configuration folder. */
export interface SecretSource {
  env?: string;
  file?: string;
}

/** Minimum length of a secret. A shorter one can be guessed. */
const LEAST_SECRET = 32;

/**
 * Describes the fault of a secret that is too short. Without `mode`, the minimum always holds: these are secrets that encrypt keys. With
 * `mode`, it holds in production only: these are client secrets and the token of the metrics.
 */
export function shortSecret(secret: string, mode?: Mode): string | undefined {
  if (secret.length >= LEAST_SECRET || mode === 'development') return undefined;
  const fault = `fewer than ${LEAST_SECRET} characters (its value is not shown).`;
  return mode ? `Production refuses a secret of ${fault}` : `Has ${fault}`;
}

/** Returns the secret behind a reference, or the problem with the reference. */
export async function secretOf(
  { env: name, file }: SecretSource,
  configFolder: string,
  env: Environment,
): Promise<{ secret: string } | { problem: Problem }> {
  if (name !== undefined) {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value) return { secret: value };
    const shownName = mayBeSecret(name) ? 'of this name (not shown)' : name;
    const problem = `The environment variable ${shownName} is not set.`;
    return { problem: { problem, remedy: 'Set it to the secret before the service starts.' } };
  }
  const path = resolve(configFolder, file ?? '');
  const shownPath = mayBeSecret(file ?? '') ? 'of this name (not shown)' : path;
  try {
    const value = (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
    if (value) return { secret: value };
    return { problem: { problem: `The file ${shownPath} is empty.`, remedy: 'Write the secret into it.' } };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const remedy = 'Create it, and give the service the right to read it.';
    return { problem: { problem: `The file ${shownPath} cannot be read (${code}).`, remedy } };
  }
}

// Checks whether the text looks like a secret where the name of a variable belongs: one word, as long as a secret, and not in capitals.
function mayBeSecret(text: string): boolean {
  return text.length >= LEAST_SECRET && /^[\w-]*[a-z][\w-]*$/.test(text);
}

/** Returns the path of the file with a secret that the service has made. It is used if no variable sets a secret. */
export function keyFileIn(dataFolder: string): string {
  return join(dataFolder, 'key-secret');
}

/**
 * Returns the present secret first. Earlier ones follow: `HYGIE_KEY_SECRET_OLD`, and the secret of the key file if a variable has replaced
 * it. The list is empty before the first secret is made. No text of an issue holds a secret.
 */
export async function readKeySecrets(env: Environment, dataFolder: string, issues: ConfigIssue[]): Promise<string[]> {
  const add = (name: VariableName, problem: string, remedy: string): undefined => {
    issues.push(environmentIssue(name, { problem, remedy }));
  };
  const read = async (name: 'HYGIE_KEY_SECRET' | 'HYGIE_KEY_SECRET_OLD'): Promise<string | undefined> => {
    const given = await readSecretVariable(env, name, issues);
    if (given === undefined) return undefined;
    const problem = shortSecret(given.secret);
    if (problem === undefined) return given.secret;
    return add(given.from, problem, 'A good one: openssl rand -base64 32');
  };
  const present = await read('HYGIE_KEY_SECRET');
  const before = await read('HYGIE_KEY_SECRET_OLD');
  const ofFile = await readKeyFile(keyFileIn(dataFolder), issues);
  if (before !== undefined && present === undefined && ofFile === undefined) {
    const remedy = 'Set HYGIE_KEY_SECRET to the present secret: the old one opens keys, but encrypts none.';
    add('HYGIE_KEY_SECRET', 'An old secret is set without a present one.', remedy);
  }
  const all = present === undefined ? [ofFile, before] : [present, before, ofFile];
  return all.filter((secret) => secret !== undefined);
}

async function readKeyFile(file: string, issues: ConfigIssue[]): Promise<string | undefined> {
  try {
    const secret = (await readFile(file, 'utf8')).trim();
    if (!shortSecret(secret)) return secret;
    const problem = 'Does not hold a whole secret.';
    issues.push({
      file,
      path: '',
      problem,
      remedy: 'Put back the copy of your backup: the keys in the database need it.',
    });
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const problem = `Cannot be read (${code}).`;
    issues.push({ file, path: '', problem, remedy: 'Give the account of the service the right to read it.' });
  }
  return undefined;
}
