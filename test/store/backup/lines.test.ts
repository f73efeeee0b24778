// The rows of a table as lines in a file, and what the programs of PostgreSQL are told.

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { databaseName, libpqEnvironment } from '#store/backup/postgres-tools.ts';
import { readChainLines, readLines, writeLines } from '#store/backup/table-lines.ts';
import { allOf } from '#support/all-of.ts';
import { newFolder } from '#support/new-folder.ts';

describe('lines of a table', () => {
  const batches = async function* (...all: string[][]) {
    yield* all;
  };

  it('are written into a new file that only the service reads, and read again', async () => {
    const file = join(newFolder(), 'a.gz');
    expect(await writeLines(file, batches(['1', 'é'], [], ['3']))).toBe(3);
    expect([gunzipSync(readFileSync(file)).toString(), statSync(file).mode & 0o777]).toEqual(['1\né\n3\n', 0o600]);
    expect((await allOf(readLines(file))).flat()).toEqual(['1', 'é', '3']);
    await expect(writeLines(file, batches(['other']))).rejects.toThrow('EEXIST');
    const long = Array.from({ length: 3 }, (_, at) => String(at).repeat(100_000));
    await writeLines(`${file}2`, batches(long));
    expect((await allOf(readLines(`${file}2`))).flat()).toEqual(long);
  });

  it.each([
    ['ends in the middle of a line', gzipSync('one\ntwo'), /a\.gz ends in the middle of a line$/],
    ['has a line without an end', gzipSync('x'.repeat(17 * 2 ** 20)), /a\.gz has a line without an end$/],
    ['is cut off', gzipSync('one\n').subarray(0, -4), /unexpected end/],
    ['is no gzip', Buffer.from('one\n'), /incorrect header/],
  ])('of a file that %s are refused', async (_what, content, message) => {
    const file = join(newFolder(), 'a.gz');
    writeFileSync(file, content);
    await expect(allOf(readLines(file))).rejects.toThrow(message);
    await expect(allOf(readLines(`${file}x`))).rejects.toThrow('ENOENT');
  });

  it('of the longest row are taken, and of the trail those that are chained', async () => {
    const file = join(newFolder(), 'a.gz');
    const line = JSON.stringify({ sequence: 1, text: 'x'.repeat(16 * 2 ** 20 - 30) });
    await writeLines(file, batches([line, '{"sequence":null}', '{"sequence":2}']));
    const rows = (await allOf(readChainLines(file))).flat();
    expect(rows.map(({ sequence }) => sequence)).toEqual([1, 2]);
  });
});

describe('what the programs of PostgreSQL are told', () => {
  it.each([
    [
      'postgres://me:p%40ss@db.example:6432/hygie',
      { PGHOST: 'db.example', PGPORT: '6432', PGUSER: 'me', PGPASSWORD: 'p@ss', PGDATABASE: 'hygie' },
    ],
    ['postgres://[::1]/a%20b', { PGHOST: '::1', PGDATABASE: 'a b' }],
    ['postgres://me@/hygie?host=/run/pg', { PGHOST: '/run/pg', PGUSER: 'me', PGDATABASE: 'hygie' }],
    [
      'postgres://db/h?sslmode=verify-full&sslrootcert=/ca.pem',
      { PGHOST: 'db', PGDATABASE: 'h', PGSSLMODE: 'verify-full', PGSSLROOTCERT: '/ca.pem' },
    ],
    [
      'postgres://h1,[::1]:6/h?connect_timeout=3',
      {
        PGHOST: 'h1,::1',
        PGPORT: '5432,6',
        PGDATABASE: 'h',
        PGTARGETSESSIONATTRS: 'read-write',
        PGCONNECT_TIMEOUT: '3',
      },
    ],
    [
      'postgres://h1,h2/h?target_session_attrs=any',
      { PGHOST: 'h1,h2', PGPORT: '5432,5432', PGDATABASE: 'h', PGTARGETSESSIONATTRS: 'any' },
    ],
    [
      'postgres://db/h?sslmode=no-verify&sslcert=/c&sslkey=/k&options=-c%20a',
      { PGHOST: 'db', PGDATABASE: 'h', PGSSLMODE: 'require', PGSSLCERT: '/c', PGSSLKEY: '/k', PGOPTIONS: '-c a' },
    ],
  ])('%s', (url, expected) => {
    expect(libpqEnvironment(url)).toEqual({ PGAPPNAME: 'hygie-backup', ...expected });
    expect(databaseName(url)).toBe(expected.PGDATABASE);
  });

  it('authorities of the system, or Node’s own list, verify a server; another address is refused', () => {
    const { NODE_EXTRA_CA_CERTS: before } = process.env;
    const root = () => libpqEnvironment('postgres://db/h?sslmode=verify-full')['PGSSLROOTCERT'];
    delete process.env['NODE_EXTRA_CA_CERTS'];
    expect(root()).toBe('system');
    process.env['NODE_EXTRA_CA_CERTS'] = '/own.pem';
    expect(root()).toBe('/own.pem');
    if (before === undefined) delete process.env['NODE_EXTRA_CA_CERTS'];
    else process.env['NODE_EXTRA_CA_CERTS'] = before;
    expect(() => libpqEnvironment('mysql://db/h')).toThrow('DATABASE_URL is no address of PostgreSQL');
  });
});
