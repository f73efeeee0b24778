// pg_dump and pg_restore get the address of DATABASE_URL by their environment: their arguments can be read by everybody on the machine.

import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from '@jest/globals';
import { runTool, toolVersion } from '#store/backup/postgres-tools.ts';
import { installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { freePort } from '#support/free-port.ts';
import { newFolder } from '#support/new-folder.ts';

const run = promisify(execFile);
const { PATH = '' } = process.env;
afterEach(() => {
  process.env['PATH'] = PATH;
});

it('what the programs of PostgreSQL are told SEC-62 no argument holds the password; what fails is said, without it', async () => {
  const folder = newFolder();
  writeFileSync(
    join(folder, 'pg_dump'),
    '#!/bin/sh\ncase "$1" in --version) echo "pg_dump (PostgreSQL) 99.1";; *) echo "$@" >&2; exit 3;; esac\n',
  );
  chmodSync(join(folder, 'pg_dump'), 0o700);
  process.env['PATH'] = `${folder}:${PATH}`;
  expect(await toolVersion('pg_dump')).toBe(99);
  const failed = runTool('pg_dump', ['--file=x', 'hygie'], 'postgres://me:s3cret@db/hygie');
  await expect(failed).rejects.toThrow(/^pg_dump failed \(3\):\n {2}--file=x hygie$/);
  process.env['PATH'] = '/nowhere';
  expect(await toolVersion('pg_dump')).toBeUndefined();
});

/** A server and client programs of one version, as Debian installs them. */
const DEBIAN = '/usr/lib/postgresql';
const [version] = existsSync(DEBIAN)
  ? readdirSync(DEBIAN).filter((name) => existsSync(join(DEBIAN, name, 'bin/initdb')))
  : [];
const bin = join(DEBIAN, version ?? '', 'bin');

(version === undefined ? it.skip : it)(
  `backup and restore by pg_dump, where Debian's PostgreSQL is installed`,
  async () => {
    const folder = newFolder();
    chmodSync(folder, 0o777);
    // It refuses to run as root.
    const as = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : [];
    const server = (...command: string[]) =>
      run(as[0] ?? command[0] ?? '', [...as.slice(1), ...(as.length > 0 ? command : command.slice(1))], {
        cwd: folder,
      });
    const data = join(folder, 'server');
    const port = await freePort();
    const url = (name: string) => `postgres://hygie@127.0.0.1:${port}/${name}`;
    process.env['PATH'] = `${bin}:${PATH}`;
    await server(join(bin, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync');
    await server(
      join(bin, 'pg_ctl'),
      '-D',
      data,
      '-w',
      '-l',
      join(folder, 'log'),
      '-o',
      `-p ${port} -k ${folder} -c fsync=off`,
      'start',
    );
    const place = installation({ PATH: process.env['PATH'], DATABASE_URL: url('first') });
    try {
      const sql = (database: string, text: string) =>
        run(join(bin, 'psql'), ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-c', text, database]);
      // No superuser, as in a production.
      await sql('postgres', 'create role hygie login');
      for (const name of ['first', 'second']) await sql('postgres', `create database ${name} owner hygie`);
      // Of the server's administrator: a restore neither needs nor may have it.
      await sql('first', 'create publication everything for all tables');
      const hygie = inProcess(place);
      await hygie(['migrate']);
      await hygie(['accounts', 'add', '--email', 'a@clinic.example', '--name', 'a']);
      const backup = join(place.folder, 'backup');
      const made = await hygie(['backup', backup, '--json']);
      expect([made.code, JSON.parse(made.stdout).database.kind]).toEqual([0, 'pg_dump']);
      expect((await hygie(['backup', '--verify', backup])).code).toBe(0);
      const env = { DATABASE_URL: url('second'), HYGIE_DATA: join(place.folder, 'restored') };
      expect(await hygie(['restore', backup], { env })).toMatchObject({ code: 0 });
      const { auditHead } = JSON.parse(made.stdout);
      expect(await hygie(['audit', 'verify', '--head', auditHead], { env })).toMatchObject({ code: 0 });
      expect(JSON.parse((await hygie(['accounts', 'list', '--json'], { env })).stdout)).toHaveLength(1);
    } finally {
      await server(join(bin, 'pg_ctl'), '-D', data, '-m', 'immediate', 'stop');
    }
  },
  60_000,
);
