// The environment variables: their names, meanings and values. A variable overrides the key of the file.

import { resolve } from 'node:path';
import { type ConfigIssue, type Problem, shown } from '#config/configuration-error.ts';
import type { Mode } from '#config/url-rules.ts';
import { pathText, type YamlFile } from '#config/yaml/yaml-file.ts';
import { nearest } from '#shared/nearest.ts';

/** Meaning and default of each variable. Operators read these texts. */
export const ENVIRONMENT = {
  HYGIE_CONFIG: ['folder with service.yaml and clients.yaml', './config'],
  HYGIE_DATA: [
    'folder for the SQLite database (accounts, sessions, keys), the key file and the directory snapshots',
    './data',
  ],
  HYGIE_PORT: ['TCP port to listen on', '3000'],
  HYGIE_HOST: ['address to listen on', '127.0.0.1 in development, 0.0.0.0 in production'],
  HYGIE_TLS_CERTIFICATE: ['file with the certificate and its chain (PEM), if the service ends TLS itself', ''],
  HYGIE_TLS_KEY: ['file with the private key of the certificate (PEM)', ''],
  HYGIE_ISSUER: ['public base address, {auth_url}', 'http://localhost:<port> in development, required in production'],
  DATABASE_URL: [
    'postgres://... for PostgreSQL, with one host or several (@h1:5432,h2:5432/); snapshots of the directory stay files in HYGIE_DATA, and directory.distribution says how they reach the other instances',
    'SQLite in HYGIE_DATA',
  ],
  DATABASE_URL_FILE: ['file with the value of DATABASE_URL, instead of it', ''],
  HYGIE_METRICS_PORT: ['TCP port of the metrics for Prometheus', 'none'],
  HYGIE_METRICS_HOST: ['address to listen on for the metrics', '127.0.0.1'],
  HYGIE_PROCESSES: ['number of worker processes; auto: one per core', '1'],
  HYGIE_KEY_SECRET: [
    'secret that encrypts keys and secrets of second factors in the database; 32 characters or more',
    'the file key-secret in HYGIE_DATA, which the first start creates',
  ],
  HYGIE_KEY_SECRET_FILE: ['file with the value of HYGIE_KEY_SECRET, instead of it', ''],
  HYGIE_KEY_SECRET_OLD: ['the old secret, while it is being changed; it only decrypts keys and checks seals', ''],
  HYGIE_KEY_SECRET_OLD_FILE: ['file with the value of HYGIE_KEY_SECRET_OLD, instead of it', ''],
  HYGIE_MAIL_PASSWORD: ['password of mail.user at the mail server', ''],
  HYGIE_MAIL_PASSWORD_FILE: ['file with the value of HYGIE_MAIL_PASSWORD, instead of it', ''],
  HYGIE_COMMAND: [
    'what messages write before the name of a command, such as docker exec NAME hygie',
    'npm run -s hygie --; without npm node src/launch.js; in the container hygie',
  ],
  NODE_ENV: ['production refuses development defaults', 'development'],
  HYGIE_SANDBOX: ['1: production with fictional people and a fictional directory; every page says so', ''],
  HYGIE_OPERATOR: ['name of the operator in audit records of commands', 'SUDO_USER, or the account of the process'],
  LOG_LEVEL: ['fatal, error, warn, info, debug, trace or silent', 'info'],
  LOG_FORMAT: ['json, or pretty for people', 'pretty on a terminal, json elsewhere'],
} as const satisfies Record<string, readonly [meaning: string, byDefault: string]>;

export type VariableName = keyof typeof ENVIRONMENT;

/** The type of `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads a variable. Returns undefined also for an empty text, because tools such as Docker Compose set a variable without a value to an
 * empty text.
 */
export function variable(env: Environment, name: VariableName): string | undefined {
  return env[name]?.trim() || undefined;
}

/** Pattern of an operator's name in the audit trail. It allows no character that a terminal does not show. */
const OPERATOR = /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u;

/** Returns the operator's name from HYGIE_OPERATOR or else from SUDO_USER. Returns undefined if neither holds a valid name. */
export function operatorNamed(env: Environment): string | undefined {
  return [variable(env, 'HYGIE_OPERATOR'), env['SUDO_USER']].find((name) => name !== undefined && OPERATOR.test(name));
}

/**
 * Reads the mode of the service, and whether it is a sandbox. The issues concern these two, the operator's name, and misspelt names of
 * variables.
 */
export function readMode(env: Environment): { mode: Mode; sandbox: boolean; issues: ConfigIssue[] } {
  const issues = misspelt(env);
  const named = variable(env, 'NODE_ENV') ?? 'development';
  if (!['production', 'development', 'test'].includes(named)) {
    const remedy = 'Use production, or leave it out for development.';
    issues.push(environmentIssue('NODE_ENV', { problem: `${shown(named)} is not known.`, remedy }));
  }
  if (!OPERATOR.test(variable(env, 'HYGIE_OPERATOR') ?? 'none')) {
    const problem = 'Is not a name of 1 to 64 characters without control characters.';
    issues.push(
      environmentIssue('HYGIE_OPERATOR', { problem, remedy: 'Write the name of the operator, such as j.martin.' }),
    );
  }
  const mode = named === 'production' ? 'production' : 'development';
  return { mode, sandbox: readSandbox(env, mode, issues), issues };
}

function readSandbox(env: Environment, mode: Mode, issues: ConfigIssue[]): boolean {
  const text = variable(env, 'HYGIE_SANDBOX');
  if (text === undefined || text === '0') return false;
  if (text !== '1') {
    const problem = `${shown(text)} is not known.`;
    issues.push(environmentIssue('HYGIE_SANDBOX', { problem, remedy: 'Use 1, or leave it out.' }));
  } else if (mode !== 'production') {
    const problem = 'A sandbox is a kind of production.';
    const remedy = 'Set NODE_ENV=production; in development people are fictional anyway.';
    issues.push(environmentIssue('HYGIE_SANDBOX', { problem, remedy }));
  }
  return true;
}

/** Keys of `service.yaml` that a variable may set. If both are set, the variable applies. */
const KEYS = {
  issuer: 'HYGIE_ISSUER',
  processes: 'HYGIE_PROCESSES',
  'metrics.port': 'HYGIE_METRICS_PORT',
  'metrics.host': 'HYGIE_METRICS_HOST',
  'listen.host': 'HYGIE_HOST',
  'listen.port': 'HYGIE_PORT',
  'listen.tls.certificate': 'HYGIE_TLS_CERTIFICATE',
  'listen.tls.key': 'HYGIE_TLS_KEY',
  'log.level': 'LOG_LEVEL',
  'log.format': 'LOG_FORMAT',
} as const satisfies Record<string, VariableName>;

/**
 * The variables of `KEYS` that name a file. Such a path is relative to the working directory, unlike a path in `service.yaml`, which is
 * relative to the folder of that file.
 */
const FILES: readonly VariableName[] = ['HYGIE_TLS_CERTIFICATE', 'HYGIE_TLS_KEY'];

type Group = Record<string, unknown>;

/** Returns the content of `service.yaml` with the keys that environment variables set. An issue about such a key names the variable. */
export function withEnvironment(yaml: YamlFile, env: Environment): YamlFile {
  const value = isGroup(yaml.value) ? { ...yaml.value } : (yaml.value ?? {});
  const variables = new Map<string, VariableName>();
  for (const [path, name] of Object.entries(KEYS)) {
    const text = variable(env, name);
    if (text === undefined || !isGroup(value)) continue;
    setAt(value, path.split('.'), parsedValue(name, text));
    variables.set(path, name);
  }
  const issueAt: YamlFile['issueAt'] = (path, problem) => {
    const name = variables.get(pathText(path));
    return name ? environmentIssue(name, problem) : yaml.issueAt(path, problem);
  };
  return { ...yaml, value, issueAt };
}

/** Returns the value that the text of a variable stands for: a number, the absolute path of a file, or the text itself. */
function parsedValue(name: VariableName, text: string): string | number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  return FILES.includes(name) ? resolve(text) : text;
}

/**
 * Sets the value at a path. Copies each group on the path, so that the parsed file is not changed. Does nothing if the path leads through a
 * value that is not a group.
 */
function setAt(group: Group, [first = '', ...rest]: readonly string[], given: unknown): void {
  if (rest.length === 0) {
    group[first] = given;
    return;
  }
  const inner = group[first] ?? {};
  if (!isGroup(inner)) return;
  group[first] = { ...inner };
  setAt(group[first] as Group, rest, given);
}

/** Checks whether a value of YAML is a group of keys. */
export function isGroup(value: unknown): value is Group {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function environmentIssue(path: string, problem: Problem): ConfigIssue {
  return { file: 'environment', path, ...problem };
}

// Reports an unknown variable if its name is close to a known one. Other unknown variables are not reported, because they may belong to
// other programs.
function misspelt(env: Environment): ConfigIssue[] {
  const known = Object.keys(ENVIRONMENT).filter((name) => name.startsWith('HYGIE_'));
  return Object.keys(env).flatMap((name) => {
    if (!/^HYGIE_/i.test(name) || known.includes(name)) return [];
    const near = nearest(name, known);
    return near ? [environmentIssue(name, { problem: 'Unknown variable.', remedy: `Did you mean "${near}"?` })] : [];
  });
}
