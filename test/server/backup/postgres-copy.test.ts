// A backup of PostgreSQL and its restore: a copy of the tables where pg_dump cannot be used, what is said then, and what PostgreSQL's programs
// are told. They are imitations here; real ones are in `backup-restore.system.test.ts`.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sealFiles } from '#server/backup/backup-files.ts';
import { DUMP_FILE, dumpDatabase, type Format } from '#server/backup/dump-database.ts';
import { makeBackup } from '#server/backup/make-backup.ts';
import { type Manifest, writeManifest } from '#server/backup/manifest.ts';
import { restoreBackup } from '#server/backup/restore-backup.ts';
import { hasTables, refuseOccupied } from '#server/backup/restore-checks.ts';
import { fillPostgres } from '#server/backup/restore-database.ts';
import { openSeals } from '#shared/crypto/seals.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { readContents } from '#store/backup/database-contents.ts';
import { openDatabase } from '#store/database/connection.ts';
import { newDatabase, openTestDatabase } from '#support/databases.ts';
import { newFile, newMachine, publish } from '#support/directory/machines.ts';
import { openedForAll, openedForEach } from '#support/opened.ts';
import { CONTENT, refusal as refusalOf, writeProgram } from './backup-parts.ts';

const INSTEAD = 'A copy of the tables is made instead.';
const REMEDY =
  'Remedy: install the client programs of that PostgreSQL, and name its own host and port in DATABASE_URL; or leave --format out (a copy of the tables, which any PostgreSQL can restore).';

describe('a backup of PostgreSQL', () => {
  const { PATH = '' } = process.env;
  let folder: string;
  let programs: string;
  let said: string[];
  let steps: Record<string, unknown>[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hygie-copy-'));
    programs = mkdtempSync(join(tmpdir(), 'hygie-programs-'));
    [said, steps] = [[], []];
    process.env['PATH'] = '/nowhere';
  });
  afterEach(() => {
    process.env['PATH'] = PATH;
    for (const path of [folder, programs]) rmSync(path, { recursive: true, force: true });
  });
  const source = openedForAll(async () => {
    const opened = await openTestDatabase('postgresql');
    const people = ['ann', 'bob', 'cid'].map((name) => ({ email: `${name}@clinic.example`, name }));
    await openAccounts(opened.database).create(people);
    return opened;
  });
  const target = openedForEach(async () => {
    const { settings, remove } = await newDatabase('postgresql');
    if (settings.engine !== 'postgresql') throw new Error('not on PostgreSQL');
    return { settings, close: remove };
  });

  /** A program of this version, which keeps its arguments and ends with this code. */
  function install(name: string, version: number, code = 0): void {
    const keep = `for one in "$@"; do echo "$one" >> ${programs}/${name}.args; done`;
    const list = 'case "$1" in --list) echo "1; 1259 1 TABLE public knex_migrations hygie"; exit 0;; esac';
    writeProgram(programs, name, version, `${list}\n${keep}\necho broken >&2\nexit ${code}`);
    process.env['PATH'] = `${programs}:${PATH}`;
  }
  const argumentsOf = (name: string) =>
    readFileSync(join(programs, `${name}.args`), 'utf8')
      .trim()
      .split('\n');
  const dump = (format?: Format) =>
    dumpDatabase({
      database: source.database,
      settings: { database: source.settings },
      folder,
      format,
      onProgress: (step) => void steps.push({ ...step }),
      say: (line) => void said.push(line),
    });
  const refusal = (attempt: Promise<unknown>) => refusalOf(attempt, folder);
  const rowsIn = ({ tables }: { tables: Record<string, number> }) =>
    Object.values(tables).reduce((sum, rows) => sum + rows, 0);

  it('without pg_dump is a copy of the tables, which is said; a restore has the same rows', async () => {
    const { contents, database } = await dump();
    expect(said).toEqual([`pg_dump is not used: it is not installed here. ${INSTEAD}`]);
    expect(database).toEqual({
      engine: 'postgresql',
      kind: 'copy',
      schema: contents.schema,
      tables: contents.tables,
      sequences: expect.any(Object),
    });
    expect(contents.tables['accounts']).toBe(3);
    expect(readdirSync(folder)).toEqual(['database']);
    expect(readdirSync(join(folder, 'database'))).toContain('accounts.ndjson.gz');
    const rows = rowsIn(database);
    expect(steps.at(-1)).toEqual({ name: 'database', done: 1, count: rows, unit: 'rows' });
    steps = [];
    expect(await hasTables(target.settings)).toBe(false);
    const progress = (step: object) => void steps.push({ ...step });
    await fillPostgres(folder, { database } as Manifest, target.settings, progress);
    expect(steps.at(-1)).toEqual({ name: 'database', done: 1, count: rows, unit: 'rows' });
    const copy = openDatabase(target.settings);
    expect((await readContents(copy)).tables).toEqual(contents.tables);
    expect((await openAccounts(copy).findByEmail('bob@clinic.example'))?.account.name).toBe('bob');
    await copy.destroy();
    expect(await hasTables(target.settings)).toBe(true);
    expect(await refusal(refuseOccupied({ database: target.settings, dataFolder: folder }))).toBe(
      'Refusal: A restore needs an empty place, and changes nothing that is there.\n' +
        '  The database in DATABASE_URL has tables already.\n' +
        'Remedy: stop the service and move the data away, or set HYGIE_DATA to a new folder, and DATABASE_URL to an empty database (createdb hygie_restored).',
    );
  });

  it('that has to be one of pg_dump is refused where that cannot be used', async () => {
    expect(await refusal(dump('pg_dump'))).toBe(
      `Refusal: pg_dump cannot be used: it is not installed here.\n${REMEDY}`,
    );
    install('pg_dump', 9);
    const server = (await refusal(dump('pg_dump'))).match(/the server is (\d+)\./)?.[1];
    expect(Number(server)).toBeGreaterThan(9);
    expect(await refusal(dump('pg_dump'))).toBe(
      `Refusal: pg_dump cannot be used: it is of PostgreSQL 9, and the server is ${server}.\n${REMEDY}`,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('by a pg_dump that is new enough is its own, of one state', async () => {
    install('pg_dump', 99);
    const { database } = await dump();
    expect([database.kind, said, steps]).toEqual([
      'pg_dump',
      [],
      [{ name: 'database', count: 0, unit: 'rows, by pg_dump' }],
    ]);
    expect(argumentsOf('pg_dump')).toEqual([
      '--format=custom',
      '--no-owner',
      '--no-privileges',
      '--no-password',
      '--exclude-table-data=directory_parts',
      '--exclude-table-data=directory_snapshot_parts',
      expect.stringMatching(/^--snapshot=[\w-]+$/),
      `--file=${join(folder, 'database.pg_dump')}`,
      expect.stringMatching(/^hygie_/),
    ]);
  });

  it('by a pg_dump that fails is a copy, unless it had to be one of pg_dump', async () => {
    install('pg_dump', 99, 1);
    expect((await dump()).database.kind).toBe('copy');
    expect(said).toEqual([expect.stringMatching(new RegExp(`^pg_dump failed \\(1\\):\n {2}broken\n${INSTEAD}$`))]);
    expect(await refusal(dump('pg_dump'))).toMatch(/^ToolFailed: pg_dump failed/);
    rmSync(join(folder, 'database'), { recursive: true });
    said = [];
    expect([(await dump('copy')).database.kind, said]).toEqual(['copy', []]);
  });

  it('of pg_dump is restored by pg_restore in one transaction, or not at all', async () => {
    install('pg_restore', 99);
    const manifest = { database: { kind: 'pg_dump' } } as Manifest;
    const progress = (step: object) => void steps.push({ ...step });
    await fillPostgres(folder, manifest, target.settings, progress);
    expect(steps).toEqual([{ name: 'database', count: 0, unit: 'rows, by pg_restore' }]);
    expect(argumentsOf('pg_restore')).toEqual([
      '--single-transaction',
      '--exit-on-error',
      '--no-owner',
      '--no-privileges',
      '--no-password',
      '--schema=public',
      expect.stringMatching(/^--dbname=hygie_/),
      join(folder, 'database.pg_dump'),
    ]);
    install('pg_restore', 99, 1);
    expect(await refusal(fillPostgres(folder, manifest, target.settings, progress))).toBe(
      'Refusal: pg_restore failed (1):\n  broken\nNothing was restored. Remedy: pg_restore has to be at least as new as the pg_dump that made the backup, and the role of DATABASE_URL\n' +
        'has to own the database (createdb --owner).',
    );
  });

  it('whose restore has other rows than the manifest says is not completed', async () => {
    install('pg_restore', 99);
    writeFileSync(join(folder, DUMP_FILE), 'a dump');
    const database = { ...CONTENT.database, engine: 'postgresql' as const, kind: 'pg_dump' as const };
    const files = await sealFiles(folder, () => {});
    await writeManifest(folder, { ...CONTENT, database, files }, await openSeals([]));
    const dataFolder = join(programs, 'data');
    const settings = { dataFolder, mode: 'development', keys: { secrets: [] }, database: target.settings } as never;
    const say = (line: string) => void said.push(line);
    const restored = restoreBackup({
      folder,
      settings,
      endSessions: false,
      lostSecret: false,
      unsealed: false,
      onProgress: () => {},
      say,
    });
    expect(await refusal(restored)).toBe(
      `Refusal: The database is restored, but differs from the manifest: the service does not use it until you decide.
  table accounts: no rows, and not 3
Remedy: empty the database, remove ${dataFolder}/restore-unfinished, and restore another backup.`,
    );
  });

  it('fetches a snapshot that only another machine has, and says how far it is', async () => {
    const { database, settings } = source;
    const machine = newMachine(database, []);
    await publish(machine, database, await newFile(machine, 'a', Buffer.from('a snapshot')));
    const directory = { distribution: 'database' };
    const here = { dataFolder: join(programs, 'data'), configFolder: programs, keys: { secrets: [] }, directory };
    const manifest = await makeBackup({
      database,
      settings: { issuer: CONTENT.issuer, database: settings, ...here } as never,
      folder: join(folder, 'backup'),
      withDirectory: true,
      withKey: false,
      onProgress: (step) => void steps.push({ ...step }),
      say: (line) => void said.push(line),
    });
    expect(manifest.directory).toMatchObject({ current: { file: 'a.sqlite' }, included: true });
    expect(steps).toContainEqual({ name: 'fetching', done: 1, count: 0, unit: 'MiB' });
  });
});
