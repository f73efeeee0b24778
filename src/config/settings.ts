// The effective settings: configuration files and environment, checked and frozen. A key without a comment here is explained in the schemas
// of `service.yaml` and `clients.yaml`. Durations are in seconds. For showing and logging, secrets are masked.

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
  /** True for production with fictional people (HYGIE_SANDBOX). */
  sandbox: boolean;
  /** Public base address, {auth_url}, without a trailing slash. */
  issuer: string;
  listen: ServiceFile['listen'] & { host: string; connectionsPerNetwork: number; keepAlive: number; drain: number };
  /** Absolute paths. */
  configFolder: string;
  dataFolder: string;
  /** `url` may name several hosts. */
  database:
    | { engine: 'sqlite'; file: string }
    | ({ engine: 'postgresql'; url: string } & Partial<ServiceFile['database']>);
  processes: number;
  /** `url` is the absolute public base, {directory_url}, without a trailing slash. `watch` is an absolute path. */
  directory: Omit<ServiceFile['directory'], 'url' | 'guards' | 'distribution'> & {
    url: string;
    guards: Guards;
    distribution: 'database' | 'folder';
  };
  lifetimes: ServiceFile['lifetimes'] & Record<keyof typeof LINK_LIFETIMES, number>;
  /**
   * `rotateAfter` is 0 if keys are rotated by command only. `secrets` encrypt keys in the database: the first one encrypts, and all can
   * decrypt. The list is empty before the first start.
   */
  keys: ServiceFile['keys'] & { secrets: readonly string[] };
  outgoing: { privateNetworks: readonly string[] };
  mail?: MailSettings;
  metrics: MetricsSettings;
  log: LogSettings;
  demo: boolean;
}

/** The limits of all guards, including the fixed ones. */
type Guards = ServiceFile['directory']['guards'] & Record<LimitedGuard, number>;

/** The mail server. `password` is the password of `user`. */
export type MailSettings = NonNullable<ServiceFile['mail']> & { port: number; password?: string };

/** `token` is the secret itself. Metrics are off without a port and a token. */
export type MetricsSettings = Omit<ServiceFile['metrics'], 'token'> & { token?: string };

/** Rate of requests to the directory for the whole instance. Its worker processes share it. */
export type Rate = ServiceFile['directory']['rate'];

type ListedOtherwise = 'secrets' | 'jwks' | 'callbackUrls' | 'logoutUrls' | 'scopes' | 'tokensOf';

/** One entry of `clients.yaml`. */
export interface ClientSettings extends Omit<ClientEntry, ListedOtherwise> {
  /** Hashes in the form of `src/shared/crypto/secret-hash.ts`. Secrets from variables and files are among them. */
  secretHashes: readonly string[];
  /** Public keys (RFC 7517). */
  jwks?: { keys: readonly Readonly<Record<string, unknown>>[] };
  callbackUrls: readonly string[];
  logoutUrls: readonly string[];
  /** Scopes that the client may request. For an api, scopes that it serves. */
  scopes: readonly string[];
  tokensOf?: readonly string[];
}

/** Freezes a value and all that it holds. */
export function deepFreeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}

const MASK = '(hidden)';

/**
 * Returns the settings with a mask in place of key secrets, the token of the metrics, and the passwords of the database and of the mail
 * server.
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

/** Returns the client with a mask for each of its secrets. */
export function maskClient({ secretHashes, ...client }: ClientSettings): object {
  return { ...client, secrets: secretHashes.map(() => MASK) };
}

// Masks the password in the address. An address that cannot be parsed is not shown at all. Query parameters are dropped, since they may
// hold a password too.
function maskPassword(databaseUrl: string): string {
  const urls = parseAddresses(databaseUrl);
  if (!urls) return MASK;
  const [{ protocol, username, password, pathname }] = urls;
  return `${protocol}//${username}${password === '' ? '' : `:${MASK}`}@${hostsOf(urls)}${pathname}`;
}
