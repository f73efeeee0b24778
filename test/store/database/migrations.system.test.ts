// Migrations, and the version of what is cached.

import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import knex from 'knex';
import { type Database, knexConfiguration, openDatabase } from '#store/database/connection.ts';
import { cacheUntilCommit, type DataVersion, watchDataVersion } from '#store/database/data-version.ts';
import { makeMigrationTables, migrate, migrationStatus } from '#store/database/migrate.ts';
import { migrationNames } from '#store/database/migration-source.ts';
import { bothEngines } from '#support/both-engines.ts';
import { installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { newDatabase, openTestDatabase, type TestDatabase } from '#support/databases.ts';

// SEC-49, operations.md "migrations applied": instances that start at once on an empty database all get its schema, and whoever migrates
// by other means is waited for. A release before the one that migrated last says so, and changes nothing; there is no way back.
describe('SEC-49 instances that meet an empty database at once', () => {
  it('on PostgreSQL: each migration is applied once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { settings, remove } = await newDatabase('postgresql');
      const instances = [1, 2, 3].map(() => openDatabase(settings));
      const applied = await Promise.allSettled(instances.map((database) => migrate(database)));
      const [database] = instances as [Database, ...Database[]];
      const locks = await database('knex_migrations_lock');
      const names = await database('knex_migrations').pluck('name');
      const { pending } = await migrationStatus(database);
      await Promise.all(instances.map((instance) => instance.destroy()));
      await remove();
      expect(applied.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
      expect(applied.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])).sort()).toEqual(names.sort());
      expect([locks, pending]).toEqual([[{ index: 1, is_locked: 0 }], []]);
    }
  });

  describe('on SQLite', () => {
    const place = installation();

    it('in processes of their own: all end well', async () => {
      const ended = await Promise.all([1, 2, 3].map(() => place.hygie(['migrate', '--json'])));
      expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
      const applied = ended.flatMap(({ stdout }) => JSON.parse(stdout).applied);
      expect(applied).toHaveLength(new Set(applied).size);
      const status = await inProcess(place)(['migrate', '--status', '--json']);
      expect(JSON.parse(status.stdout)).toEqual({ applied: applied.sort(), pending: [], directory: 'none' });
    });
  });
});

describe.each(bothEngines('store/database/migrations.system'))('migrations, on %s', (engine) => {
  it('SEC-49 an instance waits for the lock of Knex, which older releases and its command line take', async () => {
    const { settings, remove } = await newDatabase(engine);
    const database = openDatabase(settings);
    const lock = database('knex_migrations_lock');
    await makeMigrationTables(database);
    await lock.clone().update({ is_locked: 1 });
    const heard: string[] = [];
    const migrated = migrate(database, (reason) => {
      heard.push(reason);
      void lock.clone().update({ is_locked: 0 }).then();
    });
    expect(await migrated).toEqual(migrationNames());
    expect(heard).toEqual([expect.stringContaining('older release')]);
    await database.destroy();
    await remove();
  });

  it('migrations only go forward: the Knex command line is refused, and nothing is undone', async () => {
    const { settings, remove } = await newDatabase(engine);
    const database = openDatabase(settings);
    await migrate(database);
    const before = await migrationStatus(database);
    // As `npx knex migrate:rollback`, with the configuration of knexfile.ts.
    const commandLine = knex({ ...knexConfiguration(settings), log: { warn: () => {} } });
    await expect(commandLine.migrate.rollback()).rejects.toThrow('Migrations only go forward');
    await expect(commandLine.migrate.down()).rejects.toThrow('Remedy: restore the backup');
    await commandLine.destroy();
    expect(await migrationStatus(database)).toEqual(before);
    await database.destroy();
    await remove();
  });

  it('a database that a newer release has migrated: start, migrate and commands name the remedy', async () => {
    const { settings, remove } = await newDatabase(engine);
    const database = openDatabase(settings);
    await migrate(database);
    await database('knex_migrations').insert({ name: '29991231000000_of_tomorrow.ts', batch: 9 });
    const again = migrate(database);
    await expect(again).rejects.toThrow('does not know 29991231000000_of_tomorrow.ts.\nRemedy: use that release');
    await database.destroy();
    const place = installation(
      settings.engine === 'sqlite' ? { HYGIE_DATA: dirname(settings.file) } : { DATABASE_URL: settings.url },
    );
    const here = inProcess(place);
    const ended = [await here(['migrate']), await here(['accounts', 'list']), await place.hygie(['serve'])];
    await remove();
    expect(ended.map(({ code }) => code)).toEqual([1, 1, 1]);
    for (const { stderr } of ended) expect(stderr).toContain('A newer release has migrated the database');
  });

  it('a database of before 1.0.0: start, migrate and commands name the remedy, and change nothing', async () => {
    const { settings, remove } = await newDatabase(engine);
    const database = openDatabase(settings);
    await makeMigrationTables(database);
    await database('knex_migrations').insert({ name: '20261124010000_initials.ts', batch: 1 });
    await expect(migrate(database)).rejects.toThrow('before 1.0.0 made this database');
    expect(await database.schema.hasTable('accounts')).toBe(false);
    await database.destroy();
    const place = installation(
      settings.engine === 'sqlite' ? { HYGIE_DATA: dirname(settings.file) } : { DATABASE_URL: settings.url },
    );
    const here = inProcess(place);
    const ended = [await here(['migrate', '--status']), await here(['accounts', 'list']), await place.hygie(['serve'])];
    await remove();
    for (const { code, stderr } of ended) {
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/before 1\.0\.0 made this database.*Remedy: .*empty place/s),
      ]);
    }
  });
});

// What is remembered of the main database on SQLite ends with any commit: of the same process, of another connection, and
// of one that comes between the question and its answer (SEC-33).
describe('versions of data', () => {
  let opened: TestDatabase;
  let version: DataVersion;
  beforeAll(async () => {
    opened = await openTestDatabase('sqlite');
    await opened.database.schema.createTable('things', (table) => table.integer('size'));
    version = watchDataVersion(opened.settings.engine === 'sqlite' ? opened.settings.file : '');
  });
  afterAll(async () => {
    version.close();
    await opened.close();
  });

  const add = (database = opened.database) => database('things').insert({ size: 1 });
  const count = async () => ({ things: (await opened.database('things')).length });

  describe('the data version', () => {
    it('stays while nothing is committed', async () => {
      const before = version.current();
      await count();
      await opened.database.transaction(async (work) => {
        await work('things').insert({ size: 2 });
        expect(version.current()).toBe(before);
        await work.rollback();
      });
      expect(version.current()).toBe(before);
    });

    it('is another one after a commit of the same process, and of another connection', async () => {
      const versions = [version.current()];
      await add();
      versions.push(version.current());
      const other = openDatabase(opened.settings);
      await add(other);
      versions.push(version.current());
      await other.destroy();
      expect(new Set(versions).size).toBe(3);
    });
  });

  describe('what is cached', () => {
    it('is given again without asking until something is committed', async () => {
      let asked = 0;
      const find = cacheUntilCommit(version, () => {
        asked += 1;
        return count();
      });
      const first = await find('all');
      expect(await find('all')).toBe(first);
      expect(asked).toBe(1);
      await add();
      expect((await find('all'))?.things).toBe((first?.things ?? 0) + 1);
      expect(asked).toBe(2);
    });

    it('is not what was read before a commit that came while it was on its way', async () => {
      const find = cacheUntilCommit(version, async () => {
        const found = await count();
        await add();
        return found;
      });
      const first = await find('all');
      expect((await find('all'))?.things).toBe((first?.things ?? 0) + 1);
    });

    it('is never that there was nothing', async () => {
      const answers = [undefined, { found: true }];
      const find = cacheUntilCommit(version, async () => answers.shift());
      expect(await find('one')).toBeUndefined();
      expect(await find('one')).toEqual({ found: true });
    });

    it('has a bound', async () => {
      let asked = 0;
      const find = cacheUntilCommit(version, async (key) => {
        asked += 1;
        return { key };
      });
      for (let number = 0; number < 20_000; number += 1) await find(`key ${number}`);
      expect(asked).toBe(20_000);
      await find('key 0');
      expect(asked).toBe(20_001);
    });
  });
});
