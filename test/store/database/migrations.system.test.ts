// Migrations, and the version of what is cached.

import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import knex from 'knex';
import { type Database, knexConfiguration, openDatabase } from '#store/database/connection.ts';
import { makeMigrationTables, migrate, migrationStatus } from '#store/database/migrate.ts';
import { migrationNames } from '#store/database/migration-source.ts';
import { bothEngines } from '#support/both-engines.ts';
import { installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { newDatabase } from '#support/databases.ts';

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

  it.each([
    [
      'that a newer release has migrated',
      '29991231000000_of_tomorrow.ts',
      /newer release has migrated.*Remedy: use that/s,
    ],
    ['of before 1.0.0', '20261124010000_initials.ts', /before 1\.0\.0 made this database.*Remedy: .*empty place/s],
  ])('a database %s: start, migrate and commands name the remedy, and change nothing', async (_which, name, words) => {
    const { settings, remove } = await newDatabase(engine);
    const database = openDatabase(settings);
    await makeMigrationTables(database);
    await database('knex_migrations').insert({ name, batch: 1 });
    await expect(migrate(database)).rejects.toThrow(words);
    expect(await database.schema.hasTable('accounts')).toBe(false);
    await database.destroy();
    const place = installation(
      settings.engine === 'sqlite' ? { HYGIE_DATA: dirname(settings.file) } : { DATABASE_URL: settings.url },
    );
    const here = inProcess(place);
    const ended = [await here(['migrate', '--status']), await here(['accounts', 'list']), await place.hygie(['serve'])];
    await remove();
    const refused = { code: 1, stderr: expect.stringMatching(words) };
    expect(ended).toMatchObject([refused, refused, refused]);
  });
});
