// The effective settings, which are made of the configuration files and the environment, validated and frozen. The schemas of
// `service.yaml` and `clients.yaml` explain the keys that have no comment here. Durations are in seconds. `maskSettings` and `maskClient`
// hide secrets before settings are shown or logged.

import type { LogSettings } from '#shared/log/log.ts';
import { hostsOf, parseAddresses } from '#shared/postgres-url.ts';
import type { ClientEntry } from './clients/client-schema.ts';
import type { LimitedGuard } from './service/guard-table.ts';
import type { LINK_LIFETIMES, ServiceFile } from './service/service-schema.ts';
import type { Mode } from './url-rules.ts';

type SetOtherwise =
  | 'issuer'
  | 'database'
  | 'listen'
  | 'processes'
  | 'directory'
  | 'lifetimes'
  | 'keys'
  | 'outgoing'
  | 'mail'
  | 'metrics'
  | 'log'
  | 'demo';

export interface Settings extends Omit<ServiceFile, SetOtherwise> {
  mode: Mode;
  /** True for a production service with fictional people (HYGIE_SANDBOX). */
  sandbox: boolean;
  /** Public base address of the service, {auth_url}, without a trailing slash. */
  issuer: string;
  listen: ServiceFile['listen'] & { host: string; connectionsPerNetwork: number; keepAlive: number; drain: number };
  /** Absolute paths of the configuration folder and of the data folder. */
  configFolder: string;
  dataFolder: string;
  /** The address `url` of PostgreSQL may name several hosts. */
  database:
    | { engine: 'sqlite'; file: string }
    | ({ engine: 'postgresql'; url: string } & Partial<ServiceFile['database']>);
  processes: number;
  /** `url` is the public base address of the directory, {directory_url}, without a trailing slash. `watch` is an absolute path. */
  directory: Omit<ServiceFile['directory'], 'url' | 'guards' | 'distribution'> & {
    url: string;
    guards: Guards;
    distribution: 'database' | 'folder';
  };
  lifetimes: ServiceFile['lifetimes'] & Record<keyof typeof LINK_LIFETIMES, number>;
  /**
   * `rotateAfter` is 0 if keys are rotated by command only. `secrets` encrypt the keys in the database: only the first secret encrypts, and
   * all of them decrypt. The list of secrets is empty before the first start.
   */
  keys: ServiceFile['keys'] & { secrets: readonly string[] };
  outgoing: { privateNetworks: readonly string[] };
  mail?: MailSettings;
  metrics: MetricsSettings;
  log: LogSettings;
  demo: boolean;
}

/** The limit of each guard. Fixed limits are included. */
type Guards = ServiceFile['directory']['guards'] & Record<LimitedGuard, number>;

/** The mail server and the sender. `password` belongs to the account `user` at the mail server. */
export type MailSettings = NonNullable<ServiceFile['mail']> & { port: number; password?: string };

/** `token` is the token itself, not a reference such as a file name or a variable. Metrics are off if neither `port` nor `token` is set. */
export type MetricsSettings = Omit<ServiceFile['metrics'], 'token'> & { token?: string };

/**
 * Limit for the requests of one client to the directory: the requests that it may send at once, and per second. The limit holds for a whole
 * instance, so its worker processes share it.
 */
export type Rate = ServiceFile['directory']['rate'];

type ListedOtherwise = 'secrets' | 'jwks' | 'callbackUrls' | 'logoutUrls' | 'scopes' | 'tokensOf';

/** One entry of `clients.yaml`, with hashes instead of secrets. */
export interface ClientSettings extends Omit<ClientEntry, ListedOtherwise> {
  /**
   * Hashes of all secrets, as `src/shared/crypto/secret-hash.ts` and `client-secret.ts` make them. They include secrets from variables and
   * files.
   */
  secretHashes: readonly string[];
  /** Public keys of the client (RFC 7517). */
  jwks?: { keys: readonly Readonly<Record<string, unknown>>[] };
  callbackUrls: readonly string[];
  logoutUrls: readonly string[];
  /** Scopes that the client may request. If the client is an api, these are the scopes that it serves. */
  scopes: readonly string[];
  tokensOf?: readonly string[];
}

/** Freezes an object and, recursively, all objects in it. */
export function deepFreeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}

const MASK = '(hidden)';

/**
 * Returns the settings with a mask instead of each secret: the secrets that encrypt keys, the token of the metrics, and the passwords of
 * the database and of the mail server.
 */
export function maskSettings(settings: Settings): Settings {
  const { database, keys, mail, metrics } = settings;
  const masked = {
    ...settings,
    keys: { ...keys, secrets: keys.secrets.map(() => MASK) },
    metrics: { ...metrics, ...(metrics.token !== undefined && { token: MASK }) },
    ...(mail && { mail: { ...mail, ...(mail.password !== undefined && { password: MASK }) } }),
  };
  if (database.engine === 'sqlite') return masked;
  return { ...masked, database: { ...database, url: maskPassword(database.url) } };
}

/** Returns the client with a mask instead of the hash of each secret. */
export function maskClient({ secretHashes, ...client }: ClientSettings): object {
  return { ...client, secrets: secretHashes.map(() => MASK) };
}

// Masks the password in the address of the database. Query parameters are removed, since they may hold a password too. If the address
// cannot be parsed, nothing of it is shown.
function maskPassword(databaseUrl: string): string {
  const urls = parseAddresses(databaseUrl);
  if (!urls) return MASK;
  const [{ protocol, username, password, pathname }] = urls;
  return `${protocol}//${username}${password === '' ? '' : `:${MASK}`}@${hostsOf(urls)}${pathname}`;
}
