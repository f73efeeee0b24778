// Owns the secrets under which the service's keys are encrypted at rest: from variables, or from files that they name.
// Does not own the encryption (`src/shared/crypto/encryption.ts`).

import { readFile } from 'node:fs/promises';
import type { ConfigIssue } from '../configuration-error.ts';
import { type Environment, environmentIssue, type VariableName, variable } from './environment.ts';

// Whoever has the database can try out short secrets at leisure.
const LEAST_LENGTH = 32;
const NEW_ONE = 'A good one: openssl rand -base64 32';

/** The present secret first, then the one before; empty when none is set. No text of a issue holds a secret. */
export async function readKeySecrets(env: Environment, issues: ConfigIssue[]): Promise<string[]> {
  const present = await secretOf(env, 'HYGIE_KEY_SECRET', 'HYGIE_KEY_SECRET_FILE', issues);
  const before = await secretOf(env, 'HYGIE_KEY_SECRET_OLD', 'HYGIE_KEY_SECRET_OLD_FILE', issues);
  if (before !== undefined && present === undefined) {
    const remedy = 'Set HYGIE_KEY_SECRET to the present secret: the old one opens keys, but encrypts none.';
    issues.push(environmentIssue('HYGIE_KEY_SECRET', 'An old secret is set without a present one.', remedy));
  }
  return [present, before].filter((secret) => secret !== undefined);
}

async function secretOf(
  env: Environment,
  name: VariableName,
  fileName: VariableName,
  issues: ConfigIssue[],
): Promise<string | undefined> {
  const value = variable(env, name);
  const file = variable(env, fileName);
  if (value !== undefined && file !== undefined) {
    issues.push(environmentIssue(name, `Is set, and so is ${fileName}.`, 'Keep one of the two.'));
    return undefined;
  }
  if (file === undefined) return value === undefined ? undefined : longEnough(value, name, issues);
  try {
    return longEnough((await readFile(file, 'utf8')).trim(), fileName, issues);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const remedy = 'Create it, and give the service the right to read it.';
    issues.push(environmentIssue(fileName, `The file ${file} cannot be read (${code}).`, remedy));
    return undefined;
  }
}

function longEnough(secret: string, name: VariableName, issues: ConfigIssue[]): string | undefined {
  if (secret.length >= LEAST_LENGTH) return secret;
  issues.push(environmentIssue(name, `Has fewer than ${LEAST_LENGTH} characters (its value is not shown).`, NEW_ONE));
  return undefined;
}
