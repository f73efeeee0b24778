// Owns the effective settings: `service.yaml` and environment -> one frozen `Settings`, or every issue at once.
// Does not own the clients (`clients.ts`) nor what the schema alone can say (`config/service.schema.json`).

import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { nearest } from '../../shared/nearest.ts';
import { type ConfigIssue, ConfigurationError } from '../configuration-error.ts';
import { checkAgainstSchema } from '../schema/validate.ts';
import type { Settings } from '../settings.ts';
import { baseUrlIssue, ISSUER_EXAMPLE } from '../url-rules.ts';
import { readYamlFile } from '../yaml/yaml-file.ts';
import { type Environment, environmentIssue, oneOf, readMode, variable, wholeNumber } from './environment.ts';
import { readKeySecrets } from './key-secrets.ts';
import { type Duration, seconds, serviceRuleIssues } from './service-rules.ts';

/** `service.yaml` once it fits its schema, defaults filled in. */
interface ServiceFile {
  issuer?: string;
  listen: { host?: string; port: number };
  processes: number | 'auto';
  proxies: number;
  namespace: string;
  demo?: boolean;
  directory: Pick<Settings['directory'], 'keep' | 'rate' | 'downloads' | 'guards'> & {
    url?: string;
    watch?: string;
    settle: Duration;
  };
  lifetimes: Record<keyof Settings['lifetimes'], Duration>;
  claims: Settings['claims'];
  secondFactor: Settings['secondFactor'];
  keys: { rotateAfter: Duration | 'never'; cachedFor: Duration };
  audit: { keep: Duration };
  outgoing: Settings['outgoing'];
  branding: Settings['branding'];
  limits: { accountFailures: number; addressFailures: number; failureWindow: Duration };
  log: { level: Settings['log']['level']; format?: Settings['log']['format'] };
}

/** What is known of a configuration: complete, or faulty. `mode` and `configFolder` are known in both cases. */
export interface ServiceReading {
  mode: Settings['mode'];
  configFolder: string;
  settings?: Settings;
  issues: ConfigIssue[];
}

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const FORMATS = ['json', 'pretty'] as const;
const EXAMPLE_NAMESPACE = 'https://hygie.example';

/** Reads `service.yaml` and the environment. Throws one `ConfigurationError` that carries every issue. */
export async function loadSettings(env: Environment = process.env): Promise<Settings> {
  const { settings, issues } = await readService(env);
  if (!settings) throw new ConfigurationError(issues);
  return settings;
}

/** As `loadSettings`, but returns the issues, so that those of the clients can be told with them. */
export async function readService(env: Environment): Promise<ServiceReading> {
  const { mode, issues } = readMode(env);
  const configFolder = resolve(variable(env, 'HYGIE_CONFIG') ?? 'config');
  issues.push(...(await folderIssues(configFolder)));
  const yaml = await readYamlFile(join(configFolder, 'service.yaml'));
  issues.push(...yaml.issues);

  const port = wholeNumber(env, 'HYGIE_PORT', [1, 65_535], issues);
  const level = oneOf(env, 'LOG_LEVEL', LEVELS, issues);
  const format = oneOf(env, 'LOG_FORMAT', FORMATS, issues);
  const auto = variable(env, 'HYGIE_PROCESSES') === 'auto';
  const processes = auto ? ('auto' as const) : wholeNumber(env, 'HYGIE_PROCESSES', [1, 256], issues);
  const issuer = variable(env, 'HYGIE_ISSUER');
  const issuerIssue = issuer === undefined ? undefined : baseUrlIssue(issuer, mode === 'production', ISSUER_EXAMPLE);
  if (issuerIssue) issues.push(environmentIssue('HYGIE_ISSUER', issuerIssue.problem, issuerIssue.remedy));

  const keySecrets = await readKeySecrets(env, issues);

  if (yaml.value !== undefined) {
    issues.push(...checkAgainstSchema('service', yaml));
    issues.push(...serviceRuleIssues(yaml, { mode, issuerInEnvironment: issuer !== undefined }));
  }
  if (issues.length > 0) return { mode, configFolder, issues };

  const file = yaml.value as ServiceFile;
  const listenPort = port ?? file.listen.port;
  const base = withoutSlash(issuer ?? file.issuer ?? `http://localhost:${listenPort}`);
  const dataFolder = resolve(variable(env, 'HYGIE_DATA') ?? 'data');
  const databaseUrl = variable(env, 'DATABASE_URL');
  const workers = processes ?? file.processes;
  const { supportUrl, privacyUrl } = file.branding;
  const settings: Settings = {
    mode,
    issuer: base,
    listen: {
      host: variable(env, 'HYGIE_HOST') ?? file.listen.host ?? (mode === 'production' ? '0.0.0.0' : '127.0.0.1'),
      port: listenPort,
    },
    configFolder,
    dataFolder,
    database: databaseUrl
      ? { engine: 'postgresql', url: databaseUrl }
      : { engine: 'sqlite', file: join(dataFolder, 'hygie.sqlite') },
    processes: workers === 'auto' ? availableParallelism() : workers,
    namespace: withoutSlash(file.namespace),
    proxies: file.proxies,
    directory: {
      url: withoutSlash(file.directory.url ?? `${base}/directory/v2`),
      guards: file.directory.guards,
      keep: file.directory.keep,
      rate: file.directory.rate,
      downloads: file.directory.downloads,
      ...(file.directory.watch === undefined ? {} : { watch: resolve(configFolder, file.directory.watch) }),
      settle: seconds(file.directory.settle),
    },
    lifetimes: Object.fromEntries(
      Object.entries(file.lifetimes).map(([name, value]) => [name, seconds(value)]),
    ) as unknown as Settings['lifetimes'],
    claims: file.claims,
    secondFactor: file.secondFactor,
    keys: {
      rotateAfter: file.keys.rotateAfter === 'never' ? 0 : seconds(file.keys.rotateAfter),
      cachedFor: seconds(file.keys.cachedFor),
      secrets: keySecrets,
    },
    audit: { keep: seconds(file.audit.keep) },
    outgoing: file.outgoing,
    branding: {
      name: file.branding.name,
      colour: file.branding.colour,
      ...(supportUrl === undefined ? {} : { supportUrl }),
      ...(privacyUrl === undefined ? {} : { privacyUrl }),
    },
    limits: { ...file.limits, failureWindow: seconds(file.limits.failureWindow) },
    log: {
      level: level ?? file.log.level,
      format: format ?? file.log.format ?? (process.stdout.isTTY ? 'pretty' : 'json'),
    },
    demo: file.demo ?? mode === 'development',
  };
  return { mode, configFolder, settings: deepFreeze(settings), issues };
}

const WHY_ENCRYPT = 'Whoever reads a backup could sign tokens, and make the codes of second factors.';

/** How the keys stand in the database. */
export type KeysAtRest = 'none' | 'plain' | 'encrypted';

/** What works but should be looked at before others rely on it: one sentence each. `keys` where the database is at hand. */
export function adviceOn(settings: Settings, keys?: KeysAtRest): string[] {
  const advice: string[] = [];
  if (settings.demo && settings.processes > 1) {
    advice.push('the demo application keeps its sessions in one process: set processes to 1 to sign in to it.');
  }
  if (settings.mode !== 'production') return advice;
  if (settings.namespace === EXAMPLE_NAMESPACE) {
    advice.push(
      `namespace is still the example ${EXAMPLE_NAMESPACE}: set it in service.yaml before relying parties depend on it.`,
    );
  }
  const secret = settings.keys.secrets.length > 0;
  if (keys === 'plain') {
    const remedy = `${secret ? '' : 'set HYGIE_KEY_SECRET, start, and '}run \`npm run -s hygie -- keys encrypt\`.`;
    advice.push(`the keys are stored in plain text: ${remedy} ${WHY_ENCRYPT}`);
  } else if (!secret && keys !== 'encrypted') {
    advice.push(
      `no HYGIE_KEY_SECRET is set: new keys and secrets of second factors are stored in plain text. ${WHY_ENCRYPT}`,
    );
  }
  if (settings.proxies === 0 && settings.issuer.startsWith('https:')) {
    advice.push(
      'issuer is https and proxies is 0: set proxies in service.yaml to the number of reverse proxies that end TLS.',
    );
  }
  return advice;
}

// A folder that is not there, or whose files are misspelt, would silently mean "all defaults".
async function folderIssues(folder: string): Promise<ConfigIssue[]> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'is not there' : 'cannot be read';
    const remedy =
      'Set HYGIE_CONFIG to the folder that holds service.yaml and clients.yaml, or start in the folder above ./config.';
    return [{ file: folder, path: '', problem: `The configuration folder ${reason}.`, remedy }];
  }
  const known = ['service.yaml', 'clients.yaml'];
  return names.flatMap((name) => {
    if (!/\.ya?ml$/i.test(name) || known.includes(name)) return [];
    const near = nearest(name, known);
    if (!near || names.includes(near)) return [];
    return [{ file: join(folder, name), path: '', problem: 'Unknown file.', remedy: `Did you mean "${near}"?` }];
  });
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '');
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}
