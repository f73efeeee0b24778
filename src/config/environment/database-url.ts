// Reads the address of PostgreSQL from DATABASE_URL, or from the file that DATABASE_URL_FILE names. No issue shows the address, since it
// may hold a password. If there is no address, `service/load-settings.ts` chooses SQLite.

import { existsSync } from 'node:fs';
import { type ConfigIssue, shown } from '#config/configuration-error.ts';
import { nearest } from '#shared/nearest.ts';
import { addressesOf, parseAddresses, SESSION_ATTRIBUTES } from '#shared/postgres-url.ts';
import { type Environment, environmentIssue } from './environment.ts';
import { readSecretVariable } from './secrets.ts';

/** Valid values of `sslmode`. Only node-postgres knows `no-verify`. The other values come from libpq. */
const SSL_MODES = ['disable', 'no-verify', 'verify-full', 'prefer', 'require', 'verify-ca'];
/**
 * Matches the values of `sslmode` that node-postgres treats as `verify-full`. node-postgres warns about them, because its next major
 * version will check less. So they are replaced by `verify-full`.
 */
const TAKEN_AS_FULL = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;
/** Matches an address without a host. */
const NO_HOST = /^postgres(ql)?:\/\/([^/?#]*@)?(?=[:/?#]|$)/;
const SSL_FILES = ['sslrootcert', 'sslcert', 'sslkey'];

/**
 * Returns the address, or undefined if there is none. Adds faults to `issues`. An `sslmode` of `prefer`, `require` or `verify-ca` becomes
 * `verify-full`: the certificate and the name of the server are checked. `no-verify` checks neither. With `uselibpqcompat=true`, the values
 * of `sslmode` keep the meaning that libpq gives them.
 */
export async function readDatabaseUrl(env: Environment, issues: ConfigIssue[]): Promise<string | undefined> {
  const given = await readSecretVariable(env, 'DATABASE_URL', issues);
  if (!given) return undefined;
  const { secret: text, from } = given;
  const refuse = (problem: string, remedy: string): undefined => {
    issues.push(environmentIssue(from, { problem, remedy }));
  };
  const urls = parseAddresses(text);
  if (!urls) {
    const problem = 'Is no PostgreSQL address (its value is not shown: it may hold a password).';
    const remedy =
      'Write postgres://user:password@host:5432/database (several hosts: @h1:5432,h2:5432/); in the password, write /, ? and # as %2F, %3F and %23.';
    return refuse(problem, remedy);
  }
  const [url] = urls;
  const known = [
    ['sslmode', SSL_MODES, 'verify-full'],
    ['target_session_attrs', SESSION_ATTRIBUTES, 'read-write'],
  ] as const;
  for (const [name, words, usual] of known) {
    const given = url.searchParams.get(name);
    if (given === null || words.some((word) => word === given)) continue;
    const remedy = `Use ${nearest(given, words) ?? usual}; known: ${words.join(', ')}.`;
    return refuse(`${name} ${shown(given)} is not known.`, remedy);
  }
  const listed = ['host', 'port', 'hostaddr'].some((name) => url.searchParams.get(name)?.includes(','));
  if (listed || (urls.length > 1 && addressesOf(text).some((one) => NO_HOST.test(one))))
    return refuse('A list of hosts has a form that is not known.', 'Write @h1:5432,h2:5432/ before the database.');
  if (!/^(0|[1-9]\d{0,3})?$/.test(url.searchParams.get('connect_timeout') ?? ''))
    return refuse('connect_timeout is no number of seconds.', 'Write connect_timeout=5.');
  for (const name of SSL_FILES) {
    const path = url.searchParams.get(name);
    if (path && !existsSync(path))
      refuse(`${name} ${path} is not there.`, 'Name a file in PEM that the service can read.');
  }
  if (url.searchParams.has('uselibpqcompat')) return text;
  return text.replace(TAKEN_AS_FULL, '$1verify-full');
}
