// SEC-49, operations.md "migrations applied": instances that start at once on an empty database all get its schema, and the lock
// of the migrations can be taken afterwards. A release before the one that migrated last says so, and changes nothing.

import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate, openDatabase } from '../../../src/store/database/connection.ts';
import { type Installation, installation } from '../../support/cli/hygie.ts';
import { newDatabase } from '../../support/databases.ts';

describe('SEC-49 instances that meet an empty database at once', () => {
  it('on PostgreSQL: one migrates, the others wait for it', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { settings, remove } = await newDatabase('postgresql');
      const instances = [1, 2, 3].map(() => openDatabase(settings));
      const applied = await Promise.allSettled(instances.map(migrate));
      const locks = await instances[0]?.('knex_migrations_lock');
      await Promise.all(instances.map((database) => database.destroy()));
      await remove();
      expect(applied.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
      const numbers = applied.map((one) => (one.status === 'fulfilled' ? one.value.length : -1)).sort();
      expect(numbers).toEqual([0, 0, expect.any(Number)]);
      expect(locks).toEqual([{ index: 1, is_locked: 0 }]);
    }
  });

  describe('on SQLite', () => {
    let place: Installation;
    beforeAll(() => {
      place = installation();
    });
    afterAll(() => place.remove());

    it('in processes of their own: all end well', async () => {
      const ended = await Promise.all([1, 2, 3].map(() => place.hygie(['migrate', '--json'])));
      expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
    });
  });
});

describe('a database that a newer release has migrated', () => {
  it.each(['sqlite', 'postgresql'] as const)('on %s: start, migrate and commands name the remedy', async (engine) => {
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
    const commands = [['migrate'], ['accounts', 'list'], ['serve']];
    const ended = await Promise.all(commands.map((command) => place.hygie(command)));
    place.remove();
    await remove();
    expect(ended.map(({ code }) => code)).toEqual([1, 1, 1]);
    for (const { stderr } of ended) expect(stderr).toContain('A newer release has migrated the database');
  });
});
