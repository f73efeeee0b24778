// Reads secrets from a variable, or from a file that a variable or a configuration key names. The secrets that encrypt the service's keys
// may also come from the file that the first start has made. This file also declares the minimum length of secrets. No issue shows a
// secret.

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ConfigIssue, Problem } from '#config/configuration-error.ts';
import type { Mode } from '#config/url-rules.ts';
import { type Environment, environmentIssue, type VariableName, variable } from './environment.ts';

type SecretName = 'DATABASE_URL' | 'HYGIE_KEY_SECRET' | 'HYGIE_KEY_SECRET_OLD' | 'HYGIE_MAIL_PASSWORD';

/**
 * Reads a secret from the variable `name`, or from the file that a second variable names (`DATABASE_URL_FILE` for `DATABASE_URL`). `from`
 * is the variable that was used. Returns undefined if neither is set. Adds an issue and returns undefined if both are set, or if the file
 * cannot be read.
 */
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

/**
 * The variable (`env`) or the file that holds a secret. Exactly one of the two is set. The path of the file is relative to the
 * configuration folder.
 */
export interface SecretSource {
  env?: string;
  file?: string;
}

/** Minimum number of characters of a secret, because a shorter one can be guessed. */
const LEAST_SECRET = 32;

/**
 * Returns the problem with a secret that is too short, otherwise undefined. Secrets that encrypt keys are checked without `mode`, so the
 * minimum always applies to them. Client secrets and the token of the metrics are checked with `mode`: for them, the minimum applies in
 * production only.
 */
export function shortSecret(secret: string, mode?: Mode): string | undefined {
  if (secret.length >= LEAST_SECRET || mode === 'development') return undefined;
  const fault = `fewer than ${LEAST_SECRET} characters (its value is not shown).`;
  return mode ? `Production refuses a secret of ${fault}` : `Has ${fault}`;
}

/** Returns the secret from its variable or file. If it cannot be read, returns the problem. */
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

// Checks whether a text that should be the name of a variable or file may be the secret itself. It may be if it is one word with a
// lower-case letter, and as long as a secret.
function mayBeSecret(text: string): boolean {
  return text.length >= LEAST_SECRET && /^[\w-]*[a-z][\w-]*$/.test(text);
}

/**
 * Returns the path of the key file, which holds the secret that the service made at its first start. That secret is used if no variable
 * sets one.
 */
export function keyFileIn(dataFolder: string): string {
  return join(dataFolder, 'key-secret');
}

/**
 * Returns the secrets that encrypt keys. The first one is the present secret. The others are earlier ones, which only decrypt:
 * `HYGIE_KEY_SECRET_OLD`, and the secret of the key file if `HYGIE_KEY_SECRET` has replaced it. The list is empty before the first secret
 * is made. No issue shows a secret.
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
