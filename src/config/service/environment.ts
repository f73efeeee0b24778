// Owns the environment variables: their names, meanings and values. They beat the files.
// Does not own what the effective settings are (`service.ts`).

import { nearest } from '../../shared/nearest.ts';
import { type ConfigIssue, shown } from '../configuration-error.ts';
import { notOneOf } from '../schema/describe-issue.ts';

/** Name -> meaning and default, as the operator reads them. */
export const ENVIRONMENT = {
  HYGIE_CONFIG: ['folder with service.yaml and clients.yaml', './config'],
  HYGIE_DATA: ['folder for the SQLite database (accounts, sessions, keys) and the directory snapshots', './data'],
  HYGIE_PORT: ['TCP port to listen on', '3000'],
  HYGIE_HOST: ['address to listen on', '127.0.0.1 in development, 0.0.0.0 in production'],
  HYGIE_ISSUER: ['public base address, {auth_url}', 'http://localhost:<port> in development, else required'],
  DATABASE_URL: [
    'postgres://... puts the database on PostgreSQL; directory snapshots stay files in HYGIE_DATA, which all instances share',
    'SQLite in HYGIE_DATA',
  ],
  HYGIE_PROCESSES: ['worker processes; auto for one per core', '1'],
  HYGIE_KEY_SECRET: [
    'secret that encrypts keys and secrets of second factors in the database; 32 characters or more',
    'both in plain text',
  ],
  HYGIE_KEY_SECRET_FILE: ['file that holds it instead', ''],
  HYGIE_KEY_SECRET_OLD: ['the secret before, while it is being changed; opens keys, encrypts none', ''],
  HYGIE_KEY_SECRET_OLD_FILE: ['file that holds it instead', ''],
  NODE_ENV: ['production refuses development defaults', 'development'],
  LOG_LEVEL: ['fatal, error, warn, info, debug, trace or silent', 'info'],
  LOG_FORMAT: ['json, or pretty for people', 'pretty on a terminal, json elsewhere'],
} as const satisfies Record<string, readonly [meaning: string, byDefault: string]>;

export type VariableName = keyof typeof ENVIRONMENT;

/** What `process.env` is. */
export type Environment = Readonly<Record<string, string | undefined>>;

const MODES: Readonly<Record<string, 'development' | 'production'>> = {
  development: 'development',
  test: 'development',
  production: 'production',
};

/** An empty variable counts as absent: composed environments produce them. */
export function variable(env: Environment, name: VariableName): string | undefined {
  return env[name]?.trim() || undefined;
}

/** The mode, and the issues that concern no key of a file: an unknown mode, misspelt names, an unusable DATABASE_URL. */
export function readMode(env: Environment): { mode: 'development' | 'production'; issues: ConfigIssue[] } {
  const issues: ConfigIssue[] = misspelt(env);
  const named = variable(env, 'NODE_ENV') ?? 'development';
  const mode = Object.hasOwn(MODES, named) ? MODES[named] : undefined;
  if (!mode) {
    const problem = `${shown(named)} is not known.`;
    issues.push(environmentIssue('NODE_ENV', problem, 'Use production, or leave it out for development.'));
  }
  const database = variable(env, 'DATABASE_URL');
  if (database !== undefined && !/^postgres(ql)?:\/\/\S+$/.test(database)) {
    const problem = 'Is no PostgreSQL address (its value is not shown: it may hold a password).';
    issues.push(environmentIssue('DATABASE_URL', problem, 'Write postgres://user:password@host:5432/database.'));
  }
  return { mode: mode ?? 'development', issues };
}

/** A whole number within limits. */
export function wholeNumber(
  env: Environment,
  name: VariableName,
  [least, most]: readonly [number, number],
  issues: ConfigIssue[],
): number | undefined {
  const text = variable(env, name);
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  issues.push(
    environmentIssue(
      name,
      `${shown(text)} is no whole number within its limits.`,
      `Use a number from ${least} to ${most}.`,
    ),
  );
  return undefined;
}

/** One of the allowed words. */
export function oneOf<Word extends string>(
  env: Environment,
  name: VariableName,
  allowed: readonly Word[],
  issues: ConfigIssue[],
): Word | undefined {
  const text = variable(env, name);
  if (text === undefined) return undefined;
  const found = allowed.find((word) => word === text);
  if (found !== undefined) return found;
  const { problem, remedy } = notOneOf(text, allowed);
  issues.push(environmentIssue(name, problem, remedy));
  return undefined;
}

export function environmentIssue(path: string, problem: string, remedy: string): ConfigIssue {
  return { file: 'environment', path, problem, remedy };
}

// Only names close to a known one: other programs may have variables of their own.
function misspelt(env: Environment): ConfigIssue[] {
  const known = Object.keys(ENVIRONMENT).filter((name) => name.startsWith('HYGIE_'));
  return Object.keys(env).flatMap((name) => {
    if (!/^HYGIE_/i.test(name) || known.includes(name)) return [];
    const near = nearest(name, known);
    return near ? [environmentIssue(name, 'Unknown variable.', `Did you mean "${near}"?`)] : [];
  });
}
