// A secret that a variable holds, or a file that another variable names. No text of an issue holds it.

import { readFile } from 'node:fs/promises';
import type { ConfigIssue } from '#config/configuration-error.ts';
import { type Environment, environmentIssue, type VariableName, variable } from './environment.ts';

type SecretName = 'HYGIE_KEY_SECRET' | 'HYGIE_KEY_SECRET_OLD' | 'HYGIE_MAIL_PASSWORD';

/** The secret, and the variable that gave it; undefined where none does, or where what gives it is an issue. */
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
