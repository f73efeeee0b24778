// The remedy for each way in which a database cannot be used, by its error code. Real servers: `database-remedy.system.test.ts`.

import { describe, expect, it } from '@jest/globals';
import type { Settings } from '#config/settings.ts';
import { databaseRemedy } from '#server/database-remedy.ts';

const POSTGRES = { engine: 'postgresql', url: 'postgres://hygie@db.example/hygie' } as Settings['database'];
const SQLITE = { engine: 'sqlite', file: '/data/hygie.sqlite' } as Settings['database'];
const remedyOf = (code: string, database: Settings['database'], message = '') =>
  databaseRemedy(Object.assign(new Error(message), { code }), database);

describe('the remedy of PostgreSQL', () => {
  it.each([
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /^nobody that this service trusts.*sslrootcert=.*NODE_EXTRA_CA_CERTS/],
    ['UNABLE_TO_GET_ISSUER_CERT', /sslrootcert/],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /sslrootcert/],
    ['SELF_SIGNED_CERT_IN_CHAIN', /sslrootcert/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /sslrootcert/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /^write the host of DATABASE_URL as its certificate has it/],
    ['CERT_HAS_EXPIRED', /^renew its certificate, or set the clock/],
    ['CERT_NOT_YET_VALID', /^renew its certificate, or set the clock/],
    ['53300', /^all its connections are taken\. Lower database\.connections.*max_connections/],
    ['28P01', /^mend the user or the password in DATABASE_URL/],
    ['3D000', /^create it \(create database NAME owner USER\)/],
    ['42501', /^make the user of DATABASE_URL the owner/],
    ...[
      ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENOTFOUND', 'ETIMEDOUT', 'EAI_AGAIN'],
      ...['28000', '57P03'],
    ].map((code) => [code, /^look at the server of DATABASE_URL\.$/] as const),
  ] as const)('%s', (code, remedy) => {
    expect(remedyOf(code, POSTGRES)).toMatch(remedy);
  });

  it('without TLS at the server, or without TLS here', () => {
    const without = 'The server does not support SSL connections';
    expect(remedyOf('', POSTGRES, without)).toMatch(/^switch TLS on at the server/);
    const rejected = 'no pg_hba.conf entry for host "10.0.0.1", user "hygie", no encryption';
    expect(remedyOf('28000', POSTGRES, rejected)).toMatch(/add \?sslmode=verify-full to DATABASE_URL/);
  });

  it.each(['23505', '42P01', 'ERR_ASSERTION', ''])('none for %j, which tells nothing of the database', (code) => {
    expect(remedyOf(code, POSTGRES)).toBeUndefined();
  });
});

describe('the remedy of SQLite', () => {
  it.each(['SQLITE_NOTADB', 'SQLITE_READONLY', 'SQLITE_CANTOPEN', 'ENOTDIR', 'EROFS', 'EACCES', 'EEXIST'])(
    '%s names the file or its folder',
    (code) => {
      expect(remedyOf(code, SQLITE)).toMatch(/\/data/);
    },
  );

  it.each(['EACCES', 'EPERM', 'EROFS'])(
    'a folder that cannot be made (%s) is made by root for this account',
    (code) => {
      const error = Object.assign(new Error(), { code, syscall: 'mkdir' });
      expect(databaseRemedy(error, SQLITE)).toBe(
        `make it for the account of this process, as root: install -d -m 0700 -o ${process.getuid?.()} /data`,
      );
    },
  );

  it.each(['SQLITE_CONSTRAINT', '28P01', ''])('none for %j', (code) => {
    expect(remedyOf(code, SQLITE)).toBeUndefined();
  });
});
