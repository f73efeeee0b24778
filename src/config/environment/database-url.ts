// Reads the address of PostgreSQL from DATABASE_URL, or from the file that DATABASE_URL_FILE names. No issue shows it, since it may hold a
// password.

import { existsSync } from 'node:fs';
import { type ConfigIssue, shown } from '#config/configuration-error.ts';
import { nearest } from '#shared/nearest.ts';
import { type Environment, environmentIssue } from './environment.ts';
import { readSecretVariable } from './secrets.ts';

/** The words are libpq's, except `no-verify`, which is node-postgres' own. */
const SSL_MODES = ['disable', 'no-verify', 'verify-full', 'prefer', 'require', 'verify-ca'];
/** node-postgres treats these as verify-full, with a warning, because its next major version will check less. */
const TAKEN_AS_FULL = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;
const SSL_FILES = ['sslrootcert', 'sslcert', 'sslkey'];

/**
 * Returns the address, or undefined if there is none, and adds faults to `issues`. If TLS is requested, it checks the server's certificate
 * and name (`verify-full`), unless the address says `no-verify` or asks for libpq's own meaning of the words (`uselibpqcompat=true`).
 */
export async function readDatabaseUrl(env: Environment, issues: ConfigIssue[]): Promise<string | undefined> {
  const given = await readSecretVariable(env, 'DATABASE_URL', issues);
  if (!given) return undefined;
  const { secret: text, from } = given;
  const refuse = (problem: string, remedy: string): undefined => {
    issues.push(environmentIssue(from, { problem, remedy }));
  };
  // node-postgres accepts an address without a host, which ?host=/a/socket/folder names instead. URL.parse does not.
  const url = /^postgres(ql)?:\/\/\S+$/.test(text) ? URL.parse(text.replace('@/', '@localhost/')) : null;
  if (!url) {
    const problem = 'Is no PostgreSQL address (its value is not shown: it may hold a password).';
    const remedy =
      'Write postgres://user:password@host:5432/database; in the password, write /, ? and # as %2F, %3F and %23.';
    return refuse(problem, remedy);
  }
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode)) {
    const near = nearest(mode, SSL_MODES);
    return refuse(
      `sslmode ${shown(mode)} is not known.`,
      `Use ${near ?? 'verify-full'}; known: ${SSL_MODES.join(', ')}.`,
    );
  }
  for (const name of SSL_FILES) {
    const path = url.searchParams.get(name);
    if (path && !existsSync(path))
      refuse(`${name} ${path} is not there.`, 'Name a file in PEM that the service can read.');
  }
  if (url.searchParams.has('uselibpqcompat')) return text;
  return text.replace(TAKEN_AS_FULL, '$1verify-full');
}
