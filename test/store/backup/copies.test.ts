// Copies of databases for a backup: what SQLite's own copy has, how rows and sequences are written as lines, and what PostgreSQL takes back.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { openAccounts } from '#store/accounts/accounts.ts';
import { CHAIN_START } from '#store/audit/audit-chain.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { LEFT_OUT, listTables, readContents } from '#store/backup/database-contents.ts';
import {
  exportTables,
  importTables,
  inSnapshot,
  readSequences,
  serverVersion,
  snapshotName,
} from '#store/backup/postgres-copy.ts';
import { copySqlite, openCopy, sqliteFaults, sqliteRows, sqliteSequences } from '#store/backup/sqlite-backup.ts';
import { readLines } from '#store/backup/table-lines.ts';
import { openDatabase } from '#store/database/connection.ts';
import { migrationNames } from '#store/database/migration-source.ts';
import { markSandbox } from '#store/database/sandbox-mark.ts';
import { openServiceKeys } from '#store/oidc/service-keys.ts';
import { activateSnapshot, registerSnapshot } from '#store/snapshots/registry.ts';
import { allOf } from '#support/all-of.ts';
import { records } from '#support/audit-trail.ts';
import { newDatabase, openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForAll, openedForEach } from '#support/opened.ts';
import { snapshotEntry } from '#support/store/snapshot-entry.ts';

const fileOf = ({ settings }: TestDatabase) => (settings.engine === 'sqlite' ? settings.file : '');
describe('a copy of an SQLite database', () => {
  const opened = openedForEach(() => openTestDatabase('sqlite'));

  it('is one file with one state, sound, which is only read; and tells how far it is', async () => {
    const target = join(newFolder(), 'copy.sqlite');
    const file = fileOf(opened);
    const size = 3 * 1000 * 4096;
    await opened.database.raw('create table large (content blob)');
    await opened.database('large').insert({ content: Buffer.alloc(size) });
    const told: [number, number][] = [];
    await copySqlite(file, target, (copied, total) => {
      told.push([copied, total]);
      // A writer does not wait, and its rows are not in the copy.
      const other = new BetterSqlite3(file);
      other.exec('insert into deleted_accounts (id, deleted_at) values (random(), 1)');
      other.close();
    });
    expect(existsSync(`${target}-wal`)).toBe(false);
    const [, total] = told[0] ?? [0, 0];
    expect(told.length).toBeGreaterThan(3);
    expect(told.map(([copied]) => copied)).toEqual(told.map((_, at) => Math.min(at * 1000, total)));
    const copy = openCopy(target);
    expect((await copy.raw('pragma journal_mode'))[0]).toEqual({ journal_mode: 'delete' });
    expect([await copy('deleted_accounts'), await sqliteFaults(copy)]).toEqual([[], []]);
    await expect(copy('deleted_accounts').delete()).rejects.toThrow('readonly');
    expect(copy.client.config).toMatchObject({
      useNullAsDefault: true,
      compileSqlOnError: false,
      pool: { min: 0, max: 1 },
    });
    await copy.destroy();
    await expect(copySqlite(`${file}x`, join(newFolder(), 'x'), () => {})).rejects.toThrow();
    expect(existsSync(`${file}x`)).toBe(false);
  });

  it('has the faults that SQLite finds: rows that refer to nothing, by table, and damage', async () => {
    const target = join(newFolder(), 'copy.sqlite');
    await opened.database.raw('pragma foreign_keys = off');
    for (const digest of ['x', 'y']) await opened.database('recovery_codes').insert({ account_id: 'nobody', digest });
    await opened.database('consents').insert({ account_id: 'nobody', client_id: 'c', scopes: '', given_at: 1 });
    await copySqlite(fileOf(opened), target, () => {});
    const copy = openCopy(target);
    expect((await sqliteFaults(copy)).toSorted()).toEqual([
      'rows of consents refer to rows that are not there',
      'rows of recovery_codes refer to rows that are not there',
    ]);
    await copy.destroy();
    const writable = new BetterSqlite3(target);
    writable.unsafeMode(true);
    writable.pragma('writable_schema = on');
    writable.exec("update sqlite_schema set sql = replace(sql, 'digest', 'digset') where name = 'recovery_codes'");
    writable.exec("update sqlite_schema set rootpage = 1 where name = 'leases'");
    writable.close();
    const damaged = openCopy(target);
    const faults = await sqliteFaults(damaged, 1).catch((error: Error) => [error.message]);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults).not.toContain('ok');
    await damaged.destroy();
  });

  it('gives its rows as PostgreSQL reads them, and its numbering by the names there', async () => {
    await opened.database.raw('create table "a""b" (name text, flag boolean, migration_time integer, bytes blob)');
    await opened.database('a"b').insert({ name: 'é', flag: true, migration_time: 1000 });
    await opened.database('a"b').insert({ name: null, flag: false, migration_time: null });
    const rows = await allOf(sqliteRows(fileOf(opened), 'a"b'));
    expect(rows.map((lines) => lines.map((line) => JSON.parse(line)))).toEqual([
      [{ name: 'é', flag: 1, migration_time: '1970-01-01T00:00:01.000Z', bytes: null }],
      [{ name: null, flag: 0, migration_time: null, bytes: null }],
    ]);
    await opened
      .database('mail_queue')
      .insert({ id: 41, kind: 'x', topic: '', account_id: '', created_at: 1, attempts: 0 });
    const sequences = sqliteSequences(fileOf(opened));
    expect(sequences).toMatchObject({ mail_queue_id_seq: 41, knex_migrations_id_seq: migrationNames().length });
    expect(sequences).not.toHaveProperty('logout_deliveries_id_seq');
  });
});

describe('the contents of a database', () => {
  const opened = openedForEach(() => openTestDatabase('sqlite'));

  it('are its tables with their rows, the end of its trail, its directory and its keys', async () => {
    const { database } = opened;
    await openAccounts(database).create([{ name: 'A' }, { name: 'B' }]);
    const { head } = await openAuditEvents(database).append(records(3));
    for (const [at, id] of ['old', 'before', 'now'].entries()) {
      await registerSnapshot(database, snapshotEntry(id, at + 1));
      await activateSnapshot(database, id);
    }
    await openServiceKeys(database).add({ id: 'k', kind: 'cookies', material: 'm', activeAt: 1 }, undefined);
    await database.raw('insert into directory_parts (id, content) values (?, ?)', ['p', Buffer.from('x')]);
    const contents = await readContents(database);
    expect(contents).toMatchObject({
      schema: migrationNames(),
      tables: {
        accounts: 2,
        audit_events: 3,
        directory_snapshots: 3,
        directory_parts: 0,
        service_keys: 2,
        consents: 0,
      },
      auditHead: head,
      sandbox: false,
      snapshots: [snapshotEntry('now', 3), snapshotEntry('before', 2)],
      keys: [{ id: 'k', kind: 'cookies', material: 'm', activeAt: 1 }],
    });
    const names = await listTables(database);
    expect([Object.keys(contents.tables), names.toSorted()]).toEqual([names, names]);
    expect(names).toContain('knex_migrations');
    expect(names.filter((name) => name.startsWith('sqlite_'))).toEqual([]);
    await markSandbox(database);
    expect((await readContents(database)).sandbox).toBe(true);
    expect(LEFT_OUT).toEqual(['directory_parts', 'directory_snapshot_parts']);
  });

  it('are nothing, but for its tables, where nothing was ever migrated', async () => {
    const bare = openDatabase({ engine: 'sqlite', file: join(newFolder(), 'bare.sqlite') });
    await bare.raw('create table other (a integer primary key autoincrement)');
    expect(await readContents(bare)).toEqual({
      schema: [],
      tables: { other: 0 },
      auditHead: undefined,
      sandbox: false,
      snapshots: [],
      keys: [],
    });
    await bare.destroy();
  });
});

describe('a logical copy of PostgreSQL', () => {
  const source = openedForAll(() => openTestDatabase('postgresql'));

  it('has every row of one state, and fills an empty database, with its numbering and its triggers', async () => {
    const { database } = source;
    const [person] = await openAccounts(database).create([{ name: 'A', email: 'a@clinic.test', practitioners: ['1'] }]);
    await openAuditEvents(database).append(records(3));
    await database('recovery_codes').insert({ account_id: person?.id, digest: 'x' });
    await database('directory_parts').insert({ id: 'p', content: Buffer.from('x') });
    for (const kind of ['a', 'b'])
      await database('mail_queue').insert({ kind, topic: '', account_id: '', created_at: 1, attempts: 0 });
    // More than are in memory at once.
    const gone = Array.from({ length: 1001 }, (_, place) => ({ id: `${place}`, deleted_at: place }));
    await database.batchInsert('deleted_accounts', gone, 500);
    const folder = newFolder();
    const counted: number[] = [];
    const copied = await inSnapshot(database, async (transaction) => {
      expect(await snapshotName(transaction)).toMatch(/^[0-9A-F-]+$/);
      await expect(transaction.transaction((inner) => inner('mail_queue').delete())).rejects.toThrow('read-only');
      // What is committed meanwhile is not in it.
      await database('deleted_accounts').insert({ id: 'later', deleted_at: 1 });
      const tables = await listTables(transaction);
      await exportTables(transaction, tables, folder, (rows) => counted.push(rows));
      const contents = await readContents(transaction);
      return { tables, contents, sequences: await readSequences(transaction) };
    });
    const { tables, contents, sequences } = copied;
    const lines = async (table: string) => (await allOf(readLines(join(folder, `${table}.ndjson.gz`)))).flat();
    expect(counted.at(-1)).toBe(Object.values(contents.tables).reduce((sum, count) => sum + count, 0));
    expect(counted).toEqual(counted.toSorted((a, b) => a - b));
    const ids = (await lines('deleted_accounts')).map((line) => JSON.parse(line).id);
    expect([ids.toSorted(), await lines('directory_parts')]).toEqual([gone.map(({ id }) => id).toSorted(), []]);
    const steps = (all: number[]) => all.map((rows, at) => rows - (all[at - 1] ?? 0));
    expect(Math.max(...steps(counted))).toBe(1000);
    expect((await lines('audit_events')).map((line) => JSON.parse(line).sequence)).toEqual([1, 2, 3]);
    expect(JSON.parse((await lines('accounts'))[0] ?? '')).toMatchObject({ id: person?.id, practitioners: '["1"]' });
    expect(sequences).toMatchObject({ mail_queue_id_seq: 2, audit_events_id_seq: 3 });
    expect(sequences).not.toHaveProperty('logout_deliveries_id_seq');
    expect(await serverVersion(database)).toBeGreaterThanOrEqual(15);

    const { settings, remove } = await newDatabase('postgresql');
    const target = openDatabase(settings);
    const imported: number[] = [];
    const rows = (table: string) => readLines(join(folder, `${table}.ndjson.gz`));
    const copy = { schema: contents.schema, tables: tables.filter((name) => name !== 'consents'), sequences, rows };
    await target.transaction((transaction) => importTables(transaction, copy, (count) => imported.push(count)));
    const restored = await readContents(target);
    expect(restored).toEqual({ ...contents, tables: { ...contents.tables, directory_parts: 0 } });
    expect([imported.at(-1), Math.max(...steps(imported))]).toEqual([counted.at(-1), 1000]);
    expect(await openAccounts(target).find(person?.id ?? '')).toEqual(person);
    await expect(target('audit_events').delete()).rejects.toThrow('only the clean-up');
    const [{ id }] = await target('mail_queue')
      .insert({ kind: 'c', topic: '', account_id: '', created_at: 1, attempts: 0 })
      .returning('id');
    expect(Number(id)).toBe(3);
    expect(restored.auditHead?.sequence).toBe(CHAIN_START.sequence + 3);
    await target.destroy();
    await remove();
  });
});
