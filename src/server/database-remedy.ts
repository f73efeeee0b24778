// Remedies for an operator if the database cannot be used, by the error codes of the system, of TLS and of PostgreSQL.

import { dirname } from 'node:path';
import type { Settings } from '#config/settings.ts';
import { folderRemedy } from './private-data-folder.ts';

const OF_TLS =
  /^(UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT)$/;
const NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';
const DATES = /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/;

/** Codes that mean that the database cannot be reached or refuses the service. */
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

/** One sentence; undefined for an error that does not tell whether the database can be used. */
export function databaseRemedy(error: unknown, database: Settings['database']): string | undefined {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (database.engine === 'sqlite') {
    const remedy = folderRemedy(error, dirname(database.file));
    return remedy ?? (REFUSED.has(code) ? `look at ${database.file}.` : undefined);
  }
  if (OF_TLS.test(code)) {
    return (
      'nobody that this service trusts has signed its certificate. Add &sslrootcert=/path/of/ca.pem to DATABASE_URL, or name the ' +
      'private certificate authority in NODE_EXTRA_CA_CERTS (a file in PEM).'
    );
  }
  if (code === NAME)
    return 'write the host of DATABASE_URL as its certificate has it, or have it certified for this name.';
  if (DATES.test(code)) return 'renew its certificate, or set the clock of this machine.';
  if (message === 'The server does not support SSL connections') {
    return 'switch TLS on at the server (ssl = on), or say sslmode=disable in DATABASE_URL where nobody can listen in between.';
  }
  if (code === '28000' && message.includes('no encryption')) {
    return 'it takes connections with TLS only: add ?sslmode=verify-full to DATABASE_URL.';
  }
  if (code === '53300') {
    return (
      'all its connections are taken. Lower database.connections in service.yaml (each process of each instance has as many), ' +
      'or raise max_connections of PostgreSQL.'
    );
  }
  if (code === '25006') return 'promote one of the servers of DATABASE_URL, or name the one that takes writes.';
  if (code === '28P01') return 'mend the user or the password in DATABASE_URL (in a password, / ? # are %2F %3F %23).';
  if (code === '3D000') return 'create it (create database NAME owner USER), or mend its name in DATABASE_URL.';
  // The role may connect, but not create tables: since PostgreSQL 15, only the owner of a database may do so by default.
  if (code === '42501') {
    return 'make the user of DATABASE_URL the owner (alter database NAME owner to USER), and of the tables that are there.';
  }
  return REFUSED.has(code) ? 'look at the server of DATABASE_URL.' : undefined;
}
