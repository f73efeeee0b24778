// The secrets under which the service's keys are encrypted at rest: from variables, or from files that they name.

import { readFile } from 'node:fs/promises';
import type { ConfigIssue } from '../configuration-error.ts';
import { type Environment, environmentIssue, type VariableName, variable } from './environment.ts';

// Whoever has the database can try out short secrets at leisure.
const LEAST_LENGTH = 32;

/** The present secret first, then the one before; empty when none is set. No text of an issue holds a secret. */
export async function readKeySecrets(env: Environment, issues: ConfigIssue[]): Promise<string[]> {
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
  if (before !== undefined && present === undefined) {
    const remedy = 'Set HYGIE_KEY_SECRET to the present secret: the old one opens keys, but encrypts none.';
    add('HYGIE_KEY_SECRET', 'An old secret is set without a present one.', remedy);
  }
  return [present, before].filter((secret) => secret !== undefined);
}
