// The secrets under which the service's keys are encrypted at rest: from variables, from files that they name, or from the file that
// the first start made.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfigIssue } from '../configuration-error.ts';
import { type Environment, environmentIssue, type VariableName, variable } from './environment.ts';

// Whoever has the database can try out short secrets at leisure.
const LEAST_LENGTH = 32;

/** The file with a secret of the service's own, which is used where no variable sets one. */
export function keyFileIn(dataFolder: string): string {
  return join(dataFolder, 'key-secret');
}

/**
 * The present secret first, then those before: `HYGIE_KEY_SECRET_OLD`, and that of the key file once a variable has replaced it.
 * Empty when there is none yet. No text of an issue holds a secret.
 */
export async function readKeySecrets(env: Environment, dataFolder: string, issues: ConfigIssue[]): Promise<string[]> {
  const add = (name: VariableName, problem: string, remedy: string): undefined => {
    issues.push(environmentIssue(name, { problem, remedy }));
  };
  const read = async (name: VariableName, fileName: VariableName): Promise<string | undefined> => {
    const value = variable(env, name);
    const file = variable(env, fileName);
    if (value !== undefined && file !== undefined) {
      return add(name, `Is set, and so is ${fileName}.`, 'Keep one of the two.');
    }
    let secret = value;
    try {
      if (file !== undefined) secret = (await readFile(file, 'utf8')).trim();
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
      const remedy = 'Create it, and give the service the right to read it.';
      return add(fileName, `The file ${file} cannot be read (${code}).`, remedy);
    }
    if (secret === undefined || secret.length >= LEAST_LENGTH) return secret;
    const problem = `Has fewer than ${LEAST_LENGTH} characters (its value is not shown).`;
    return add(file === undefined ? name : fileName, problem, 'A good one: openssl rand -base64 32');
  };
  const present = await read('HYGIE_KEY_SECRET', 'HYGIE_KEY_SECRET_FILE');
  const before = await read('HYGIE_KEY_SECRET_OLD', 'HYGIE_KEY_SECRET_OLD_FILE');
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
    if (secret.length >= LEAST_LENGTH) return secret;
    const problem = 'Holds no whole secret.';
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
