// Finds the remedy for a database that cannot be used, by the error code of the system, of TLS or of PostgreSQL.

import { dirname } from 'node:path';
import type { Settings } from '#config/settings.ts';
import { folderRemedy } from './private-data-folder.ts';

/**
 * Remedies for errors of PostgreSQL, or of the connection to it. Each pattern is compared with `CODE MESSAGE`. If the error has no code,
 * the compared text begins with the space.
 */
const REMEDIES: readonly (readonly [problem: RegExp, remedy: string])[] = [
  [
    /^(UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT) /,
    'nobody that this service trusts has signed its certificate. Add &sslrootcert=/path/of/ca.pem to DATABASE_URL, or name the ' +
      'private certificate authority in NODE_EXTRA_CA_CERTS (a file in PEM).',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID /,
    'write the host of DATABASE_URL as in its certificate, or get a certificate for this name.',
  ],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID) /, 'renew its certificate, or set the clock of this machine.'],
  [
    / The server does not support SSL connections$/,
    'switch TLS on at the server (ssl = on), or write sslmode=disable in DATABASE_URL if nobody can listen in between.',
  ],
  [/^28000 .*no encryption/, 'it takes connections with TLS only: add ?sslmode=verify-full to DATABASE_URL.'],
  [
    /^53300 /,
    'all its connections are taken. Lower database.connections in service.yaml (each process of each instance has as many), ' +
      'or raise max_connections of PostgreSQL.',
  ],
  [/^53100 /, 'make room on the disk of its server.'],
  [/^25006 /, 'promote one of the servers of DATABASE_URL, or name the one that takes writes.'],
  [/^28P01 /, 'mend the user or the password in DATABASE_URL (in a password, / ? # are %2F %3F %23).'],
  [/^3D000 /, 'create it (create database NAME owner USER), or mend its name in DATABASE_URL.'],
  // The role may connect, but not create tables: since PostgreSQL 15, only the owner of a database may create tables by default.
  [
    /^42501 /,
    'make the user of DATABASE_URL the owner (alter database NAME owner to USER), and of the tables that are there.',
  ],
];

/** Codes of errors which mean that the database cannot be reached, or that it refuses the service. */
const REFUSED = new Set([
  'EACCES',
  'EEXIST',
  'ENOTDIR',
  'EROFS',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'SQLITE_CANTOPEN',
  'SQLITE_NOTADB',
  'SQLITE_READONLY',
  '25006',
  '28000',
  '53300',
  '57P03',
]);

/** Returns the remedy as one sentence; undefined if the error does not show why the database cannot be used. */
export function databaseRemedy(error: unknown, database: Settings['database']): string | undefined {
  const { code = '', message = '', path, syscall } = error as Partial<NodeJS.ErrnoException>;
  // The error of another file, such as that of a snapshot. Of its own files, the database reports SQLITE codes; only its folder is made here.
  if (path !== undefined && syscall !== 'mkdir') return undefined;
  if (database.engine === 'sqlite') {
    if (/^SQLITE_CORRUPT/.test(code))
      return `${database.file} is damaged. Keep it, and restore the last backup into a new folder.`;
    if (/^SQLITE_FULL/.test(code)) return `make room on the disk of ${database.file}.`;
    const remedy = folderRemedy(error, dirname(database.file));
    return remedy ?? (REFUSED.has(code) ? `look at ${database.file}.` : undefined);
  }
  const problem = `${code} ${message}`;
  const [, remedy] = REMEDIES.find(([one]) => one.test(problem)) ?? [];
  return remedy ?? (REFUSED.has(code) ? 'look at the server of DATABASE_URL.' : undefined);
}
