// The file of a SQLite database: its log, its size, and what stays in it.

import { readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startCleanup } from '#server/cleanup.ts';
import { copySqlite } from '#store/backup/sqlite-backup.ts';
import { type Database, epochSeconds, openDatabase } from '#store/database/connection.ts';
import { openLease } from '#store/database/lease.ts';
import { migrate } from '#store/database/migrate.ts';
import { openPageRelease, startCheckpoints } from '#store/database/sqlite-upkeep.ts';
import { openOidcRecords } from '#store/oidc/oidc-records.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { rounds } from '#support/rounds.ts';
import { until } from '#support/until.ts';

// What is committed to SQLite gets from its write-ahead log into its file while the service runs, so that the log stays short,
// wherever the service was started from.
describe('the log of the database', () => {
  const MIB = 1024 * 1024;
  const before = process.cwd();
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase('sqlite');
    process.chdir(tmpdir());
  });
  afterAll(async () => {
    process.chdir(before);
    await opened.close();
  });

  it('the file grows by what was committed, started from a folder without packages', async () => {
    const { settings, database } = opened;
    const file = settings.engine === 'sqlite' ? settings.file : '';
    const ends: Error[] = [];
    const checkpoints = startCheckpoints(database, file, (error) => ends.push(error));
    await database.schema.createTable('things', (table) => table.text('text'));
    const size = statSync(file).size;
    await database('things').insert({ text: 'x'.repeat(200_000) });
    await until(() => ends.length > 0 || statSync(file).size >= size + 200_000, 'the file has it');
    expect(ends).toEqual([]);
    await checkpoints.stop();
  });

  it('that nobody moves any more is said with the reason, and can still be stopped', async () => {
    const ends: Error[] = [];
    const checkpoints = startCheckpoints(opened.database, join(tmpdir(), 'no', 'such', 'hygie.sqlite'), (error) =>
      ends.push(error),
    );
    await until(() => ends.length > 0, 'the thread has died');
    expect(ends.map(({ message }) => message)).toEqual([expect.stringContaining('directory does not exist')]);
    await checkpoints.stop();
  });

  /** Fills the log beyond the 16 MiB at which it is restarted. `cut` resolves when later writes have found it short. */
  const withLongLog = async () => {
    const { settings, database } = opened;
    const file = settings.engine === 'sqlite' ? settings.file : '';
    const size = () => statSync(`${file}-wal`).size;
    const insert = (text: string) => database('many_things').insert({ text });
    await database.schema.dropTableIfExists('many_things');
    await database.schema.createTable('many_things', (table) => table.text('text'));
    await insert('x'.repeat(18 * MIB));
    expect(size()).toBeGreaterThan(18 * MIB);
    const cut = () =>
      until(async () => {
        await insert('the next one');
        return size() <= 16 * MIB;
      }, 'the log is short');
    return { database, file, size, cut };
  };

  it('SEC-58 the log is cut once it is longer than 16 MiB', async () => {
    const { database, file, cut } = await withLongLog();
    const checkpoints = startCheckpoints(database, file);
    await cut();
    await checkpoints.stop();
  });

  it('is cut while the pool gives no connection for writing, so that writers wait there and not in SQLite', async () => {
    const { database, file, size, cut } = await withLongLog();
    const { client } = database;
    const connection = await client.acquireConnection();
    const checkpoints = startCheckpoints(database, file);
    await until(() => client.pool.numPendingAcquires() === 1, 'the restart waits for the connection');
    expect(size()).toBeGreaterThan(18 * MIB);
    client.releaseConnection(connection);
    await cut();
    await checkpoints.stop();
  });

  it('that is not cut before the end leaves the connection free', async () => {
    const { database, file } = await withLongLog();
    const { client } = database;
    const connection = await client.acquireConnection();
    const checkpoints = startCheckpoints(database, file);
    await until(() => client.pool.numPendingAcquires() === 1, 'the restart waits for the connection');
    await checkpoints.stop();
    client.releaseConnection(connection);
    await until(() => client.pool.numUsed() === 0, 'the connection is free');
    expect(await database('many_things').count()).toEqual([{ 'count(*)': 1 }]);
  });
});

// SEC-58: expired rows leave SQLite's file, and not only its tables.
describe('the file of the database', () => {
  const MIB = 1024 * 1024;

  let place: Installation;
  let file: string;
  let database: Database;
  beforeEach(() => {
    place = installation();
    file = join(place.folder, 'data', 'hygie.sqlite');
    database = openDatabase({ engine: 'sqlite', file });
  });
  afterEach(async () => {
    await database.destroy();
  });

  const size = async () => {
    await database.raw('pragma wal_checkpoint(truncate)');
    return statSync(file).size;
  };
  const fill = async () => {
    const payload = 'x'.repeat(130_000);
    const rows = Array.from({ length: 120 }, (_, index) => ({ model: 'Interaction', id: String(index), payload }));
    const expires_at = epochSeconds() - 3600;
    await database.batchInsert(
      'oidc_records',
      rows.map((row) => ({ ...row, expires_at })),
      50,
    );
    expect(await size()).toBeGreaterThan(14 * MIB);
  };
  const cleanUp = () => {
    const none = { prune: async () => 0 };
    return startCleanup({
      stores: {
        records: openOidcRecords(database),
        pageSessions: () => none,
        signInLimiters: none,
        actionTokens: none,
        auditEvents: none,
        logoutDeliveries: { hasten: async () => 0 },
        mailQueue: { hasten: async () => 0, ...none },
        releasePages: openPageRelease(database),
      },
      cleanUpCorrections: async () => {},
      lease: openLease(database, 'cleanup'),
      engine: 'sqlite',
      keepAudit: 86_400,
      log: { error: (entry: object) => expect(entry).toBeUndefined() } as never,
    });
  };
  const shrinks = async () => {
    const cleanup = cleanUp();
    // 8 MiB stay for what is stored next.
    await until(async () => (await size()) < 10 * MIB, 'the file is short');
    await cleanup.stop();
  };
  it('SEC-58 shrinks by what expired, and then is left alone', async () => {
    await migrate(database);
    await fill();
    await shrinks();
    const release = openPageRelease(database);
    for (const _round of rounds()) if ((await release(500)) === 0) break;
    expect(await size()).toBeGreaterThan(8 * MIB);
  });
});

// What was removed from an SQLite file, or replaced in it, is not to be read there any more, nor in a backup.
it('remnants SEC-62 a key that was encrypted, and a row that was deleted, are in neither file nor backup in plain text', async () => {
  const folder = newFolder();
  const [file, copy] = [join(folder, 'hygie.sqlite'), join(folder, 'copy.sqlite')];
  const database = openDatabase({ engine: 'sqlite', file });
  await database.raw('create table material (id text primary key, text text)');
  const rows = Array.from({ length: 100 }, (_, id) => ({ id: `${id}`, text: `canary${id}${'x'.repeat(1500)}` }));
  await database.batchInsert('material', rows, 50);
  // Longer than a page.
  await database('material').insert({ id: 'long', text: 'canaries '.repeat(4000) });
  const left = (path: string) => (readFileSync(path, 'latin1').match(/canar/g) ?? []).length;
  await database.raw('pragma wal_checkpoint(truncate)');
  expect(left(file)).toBeGreaterThan(100);

  // Encrypted, a key is a little longer.
  await database('material')
    .whereNot({ id: 'long' })
    .update({ text: `sealed${'y'.repeat(1600)}` });
  await database.raw('pragma wal_checkpoint(truncate)');
  expect(readFileSync(file, 'latin1')).not.toMatch(/canary\d/);
  // What is left in the file of longer rows is in free pages, which a backup has not.
  await database('material').where('id', '>', '5').delete();
  await copySqlite(file, copy, () => {});
  expect(left(copy)).toBe(0);
  await database.destroy();
});
