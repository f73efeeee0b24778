// Settings and clients in a form that may be shown or logged: secrets are masked.

import { hostsOf, parseAddresses } from '#shared/postgres-url.ts';
import type { ClientSettings, Settings } from './settings.ts';

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
