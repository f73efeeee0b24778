// Reads `service.yaml` and the environment into one frozen `Settings`, or reports every issue at once.

import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { type ConfigIssue, ConfigurationError } from '#config/configuration-error.ts';
import { readDatabaseUrl } from '#config/environment/database-url.ts';
import {
  type Environment,
  environmentIssue,
  isGroup,
  readMode,
  variable,
  withEnvironment,
} from '#config/environment/environment.ts';
import { readKeySecrets, readSecretVariable } from '#config/environment/secrets.ts';
import { validate } from '#config/schema/validate.ts';
import { deepFreeze, type Settings } from '#config/settings.ts';
import { readYamlFile } from '#config/yaml/yaml-file.ts';
import { nearest } from '#shared/nearest.ts';
import { present } from '#shared/present.ts';
import { FIXED_LIMITS } from './guard-table.ts';
import { listenDefaults } from './listen-schema.ts';
import { MAIL_PORTS } from './mail-schema.ts';
import { readMetricsToken } from './metrics.ts';
import { NO_DATABASE } from './service-checks.ts';
import { FIXED_KEYS, LINK_LIFETIMES, SERVICE_KEYS, type ServiceFile, serviceSchema } from './service-schema.ts';

/**
 * Settings that are valid by themselves, even if other settings are not. With them, `check` can report faults of the files and folders that
 * these settings name, together with all other issues.
 */
export interface KnownSettings extends Pick<Settings, 'configFolder' | 'dataFolder'> {
  issuer?: string | undefined;
  proxies?: number | undefined;
  listen: { tls?: Settings['listen']['tls'] | undefined };
  directory: { url?: string | undefined; watch?: string | undefined };
}

/**
 * Result of reading `service.yaml` and the environment. `settings` is absent if there are issues. `mode` and `configFolder` are always
 * known.
 */
interface ServiceReading {
  mode: Settings['mode'];
  configFolder: string;
  settings?: Settings;
  /** The settings that are valid by themselves, even if `settings` is absent. */
  known: KnownSettings;
  issues: ConfigIssue[];
}

/** Reads `service.yaml` and the environment. Throws one `ConfigurationError` that carries every issue. */
export async function loadSettings(env: Environment = process.env): Promise<Settings> {
  const { settings, issues } = await readService(env);
  if (!settings) throw new ConfigurationError(issues);
  return settings;
}

/**
 * Reads `service.yaml` and the environment. Unlike `loadSettings`, it returns the issues, so that they can be reported together with those
 * of the clients.
 */
export async function readService(env: Environment): Promise<ServiceReading> {
  const { mode, sandbox, issues } = readMode(env);
  const configFolder = resolve(variable(env, 'HYGIE_CONFIG') ?? 'config');
  const yaml = await readYamlFile(join(configFolder, 'service.yaml'), mode === 'production');
  const unread = [...(await folderIssues(configFolder)), ...yaml.issues];
  issues.push(...unread);
  const dataFolder = resolve(variable(env, 'HYGIE_DATA') ?? 'data');
  const secrets = await readKeySecrets(env, dataFolder, issues);
  const databaseUrl = await readDatabaseUrl(env, issues);
  const mailPassword = (await readSecretVariable(env, 'HYGIE_MAIL_PASSWORD', issues))?.secret;
  const written = withEnvironment(yaml, env);
  const { value, issues: ofKeys } = validate(serviceSchema(mode, sandbox), SERVICE_KEYS, written, FIXED_KEYS);
  // If the file could not be read, its keys look missing. So only issues about variables are reported.
  issues.push(...ofKeys.filter(({ file }) => yaml.value !== undefined || file !== yaml.file));
  if (value && issues.length === 0) issues.push(...mailIssues(value, mailPassword));
  if (value?.directory.distribution === 'database' && databaseUrl === undefined)
    issues.push(yaml.issueAt(['directory', 'distribution'], NO_DATABASE));
  const metricsToken =
    value && (await readMetricsToken(value.metrics.token, { mode, configFolder, yaml, env, issues }));
  if (!value || issues.length > 0) {
    const known = knownSettings(written.value, { mode, configFolder, dataFolder }, unread.length === 0);
    return { mode, configFolder, known, issues };
  }
  const settings = deepFreeze(
    settingsOf(value, { mode, sandbox, configFolder, dataFolder, secrets, databaseUrl, mailPassword, metricsToken }),
  );
  return { mode, configFolder, settings, known: settings, issues };
}

/**
 * Returns the top-level settings that are valid by themselves. If the file could not be read, `proxies` is undefined and does not get its
 * default of 0, because 0 would mean that there certainly is no proxy.
 */
function knownSettings(
  value: unknown,
  { mode, configFolder, dataFolder }: Pick<Settings, 'mode' | 'configFolder' | 'dataFolder'>,
  fileIsRead: boolean,
): KnownSettings {
  const keys = isGroup(value) ? value : {};
  const { issuer, proxies, listen, directory } = serviceSchema(mode).shape;
  const { tls } = listen.safeParse(keys['listen']).data ?? {};
  const { url, watch } = directory.safeParse(keys['directory']).data ?? {};
  return {
    configFolder,
    dataFolder,
    issuer: issuer.safeParse(keys['issuer']).data,
    proxies: fileIsRead ? proxies.safeParse(keys['proxies']).data : undefined,
    listen: { tls: tls && tlsFiles(configFolder, tls) },
    directory: { url, watch: watch && resolve(configFolder, watch) },
  };
}

/** Makes the paths of `listen.tls` absolute. They are relative to the configuration folder. */
function tlsFiles(configFolder: string, { certificate, key }: NonNullable<Settings['listen']['tls']>) {
  return { certificate: resolve(configFolder, certificate), key: resolve(configFolder, key) };
}

/** Settings that do not come from `service.yaml`. */
interface OtherSettings extends Pick<Settings, 'mode' | 'sandbox' | 'configFolder' | 'dataFolder'> {
  secrets: readonly string[];
  databaseUrl: string | undefined;
  mailPassword: string | undefined;
  metricsToken: string | undefined;
}

function settingsOf(file: ServiceFile, others: OtherSettings): Settings {
  const { mode, sandbox, configFolder, dataFolder, secrets, databaseUrl, mailPassword, metricsToken } = others;
  const { listen, processes, database, directory, log, mail, metrics, ...rest } = file;
  const { tls, ...place } = listen;
  const issuer = withoutSlash(file.issuer ?? `${tls ? 'https' : 'http'}://localhost:${listen.port}`);
  return {
    ...rest,
    mode,
    sandbox,
    issuer,
    listen: {
      ...listenDefaults(mode, file.proxies, file.listen),
      ...place,
      ...(tls && { tls: tlsFiles(configFolder, tls) }),
    },
    configFolder,
    dataFolder,
    database: databaseUrl
      ? { engine: 'postgresql', url: databaseUrl, ...database }
      : { engine: 'sqlite', file: join(dataFolder, 'hygie.sqlite') },
    processes: processes === 'auto' ? availableParallelism() : processes,
    namespace: withoutSlash(file.namespace),
    directory: {
      ...directory,
      guards: { ...FIXED_LIMITS, ...directory.guards },
      // `href` has the form in which browsers write addresses. Scripts of pages get addresses from the browser in that form, and check
      // whether they begin with this one.
      url: withoutSlash(new URL(directory.url ?? `${issuer}/directory/v2`).href),
      distribution: directory.distribution ?? (databaseUrl ? 'database' : 'folder'),
      ...(directory.watch !== undefined && { watch: resolve(configFolder, directory.watch) }),
    },
    lifetimes: { ...LINK_LIFETIMES, ...file.lifetimes },
    keys: { ...file.keys, secrets },
    ...(mail && {
      mail: { ...mail, port: mail.port ?? MAIL_PORTS[mail.security], ...(mailPassword && { password: mailPassword }) },
    }),
    metrics: present({ host: metrics.host, port: metrics.port, token: metricsToken }),
    log: { format: process.stdout.isTTY ? 'pretty' : 'json', ...log },
    demo: file.demo ?? (sandbox || mode === 'development'),
  };
}

// Reports a user of the mail server without a password, or a password without a user. Otherwise the fault would appear only hours later,
// when the mail server refuses the sign-in.
function mailIssues({ mail }: ServiceFile, password: string | undefined): ConfigIssue[] {
  if (mail?.user !== undefined && password === undefined) {
    const remedy =
      'Set HYGIE_MAIL_PASSWORD, or HYGIE_MAIL_PASSWORD_FILE; or remove mail.user if the server asks for none.';
    return [environmentIssue('HYGIE_MAIL_PASSWORD', { problem: 'mail.user has no password.', remedy })];
  }
  if (mail?.user === undefined && password !== undefined) {
    const remedy = 'Write mail.user in service.yaml, or remove the variable.';
    return [environmentIssue('HYGIE_MAIL_PASSWORD', { problem: 'Is set, but mail.user is not.', remedy })];
  }
  return [];
}

// Reports a configuration folder that is missing, or a file in it with a misspelt name. Without this issue, the service would silently use
// the defaults for all settings.
async function folderIssues(folder: string): Promise<ConfigIssue[]> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'is not there' : 'cannot be read';
    const remedy =
      'Set HYGIE_CONFIG to the folder that holds service.yaml and clients.yaml (in a container, mount it there: ' +
      `-v ./config:${folder}:ro), or start in the folder above ./config.`;
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

const PORT = 3000;
/** Addresses on which a service listens for all networks, each with the loopback address at which this machine reaches it. */
const OF_THIS_MACHINE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * Returns the host and port at which this machine reaches the service, and whether the service uses TLS there. The three values are read
 * even from a `service.yaml` with issues. The running service does not see an edit before its next start, so an edit with issues must not
 * fail a health check.
 */
export async function listeningAddress(env: Environment): Promise<{ host: string; port: number; tls: boolean }> {
  const folder = resolve(variable(env, 'HYGIE_CONFIG') ?? 'config');
  const { value } = withEnvironment(await readYamlFile(join(folder, 'service.yaml')), env);
  const { listen } = (value ?? {}) as { listen?: { host?: unknown; port?: unknown; tls?: unknown } | null };
  const host = typeof listen?.host === 'string' ? listen.host : '0.0.0.0';
  return {
    host: OF_THIS_MACHINE[host] ?? host,
    port: typeof listen?.port === 'number' ? listen.port : PORT,
    tls: typeof listen?.tls === 'object' && listen.tls !== null,
  };
}
