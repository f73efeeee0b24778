// The secrets that encrypt the service's keys at rest. They come from variables, from files that variables name, or from the file that the
// first start has made.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfigIssue } from '#config/configuration-error.ts';
import { type Environment, environmentIssue, type VariableName } from './environment.ts';
import { readSecretVariable, shortSecret } from './secrets.ts';

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
