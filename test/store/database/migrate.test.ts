// Migrations: what a database has before and after, and what is refused with which remedy. On both engines.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Refusal } from '#shared/operator-messages.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { isUnused, makeMigrationTables, migrate, migrationStatus } from '#store/database/migrate.ts';
import { migrationNames, migrationSource, readMigration, unknownMigrations } from '#store/database/migration-source.ts';
import { bothEngines } from '#support/both-engines.ts';
import { newDatabase } from '#support/databases.ts';

const NAMES = [
  '20261125000000_baseline.ts',
  '20261126000000_directory_corrections.ts',
  '20261128000000_distribution.ts',
];

describe.each(bothEngines('store/database/migrate'))('migrations on %s', (engine) => {
  let database: Database;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    const made = await newDatabase(engine);
    remove = made.remove;
    database = openDatabase(made.settings);
  });
  afterEach(async () => {
    await database.destroy();
    await remove();
  });
  const applied = (names: string[]) =>
    database('knex_migrations').insert(names.map((name) => ({ name, batch: 1, migration_time: new Date() })));

  it('bring an empty database to the newest version, one after the other, and do nothing the next time', async () => {
    expect(await migrationStatus(database)).toEqual({ applied: [], pending: NAMES });
    expect([await isUnused(database), await database.schema.hasTable('knex_migrations')]).toEqual([true, false]);
    const heard: string[] = [];
    const statements: string[] = [];
    database.on('query', ({ sql }: { sql: string }) => statements.push(sql));
    expect(await migrate(database, (reason) => heard.push(reason))).toEqual(NAMES);
    const limits = `set local lock_timeout = '500ms'; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = '60s'`;
    expect(statements.filter((sql) => sql === limits)).toHaveLength(engine === 'postgresql' ? 4 : 0);
    const rows = await database('knex_migrations').orderBy('id');
    expect(rows.map(({ id, name, batch }) => [id, name, batch])).toEqual(
      NAMES.map((name, at) => [at + 1, name, at + 1]),
    );
    for (const { migration_time: time } of rows)
      expect(Math.abs(new Date(time).getTime() - Date.now())).toBeLessThan(60_000);
    expect(await database('knex_migrations_lock')).toEqual([{ index: 1, is_locked: 0 }]);
    expect(await migrationStatus(database)).toEqual({ applied: NAMES, pending: [] });
    expect([await migrate(database, (reason) => heard.push(reason)), heard]).toEqual([[], []]);
    // What every database has from the first day on.
    expect(await database('leases').orderBy('name')).toEqual([
      { name: 'cleanup', holder: '', ends_at: expect.anything() },
      { name: 'distribution', holder: '', ends_at: expect.anything() },
    ]);
    expect((await database('leases').pluck('ends_at')).map(Number)).toEqual([0, 0]);
    const [pointer] = await database('directory_pointer');
    expect([pointer.id, pointer.current, pointer.previous, Number(pointer.changed_at)]).toEqual([1, null, null, 0]);
    expect(await database('service_keys').select('id', 'purpose', 'material')).toEqual([
      { id: 'lock', purpose: 'lock', material: '' },
    ]);
    const [chain] = await database('audit_chain');
    expect([chain.id, chain.sequence, chain.pruned_sequence, chain.pruned_before].map(Number)).toEqual([1, 0, 0, 0]);
    expect([chain.pruned_digest, chain.pruned_seal]).toEqual([chain.digest, null]);
  });

  it('leave tables of the migrations alone that are there', async () => {
    await makeMigrationTables(database);
    await database('knex_migrations_lock').update({ is_locked: 1 });
    await makeMigrationTables(database);
    expect(await database('knex_migrations_lock')).toEqual([{ index: 1, is_locked: 1 }]);
    expect(await database('knex_migrations')).toEqual([]);
  });

  it('refuse a database of before 1.0.0, and one of a newer release, and change nothing', async () => {
    await makeMigrationTables(database);
    await applied(['20261124010000_initials.ts', '29991231000000_of_tomorrow.ts']);
    const early = await migrate(database).catch((error: unknown) => error);
    expect([early instanceof Refusal, (early as Refusal).reasons]).toEqual([
      true,
      [
        'A version before 1.0.0 made this database, and no release can upgrade it.',
        'Remedy: set HYGIE_DATA or DATABASE_URL to an empty place, and add the accounts and the directory again.',
      ],
    ]);
    await database('knex_migrations').delete();
    await applied([...NAMES, '29991230000000_a.ts', '29991231000000_of_tomorrow.ts']);
    const newer = await migrationStatus(database).catch((error: unknown) => error);
    expect([newer instanceof Refusal, (newer as Refusal).reasons]).toEqual([
      true,
      [
        'A newer release has migrated the database: this one does not know 29991230000000_a.ts, 29991231000000_of_tomorrow.ts.',
        'Remedy: use that release here too, or restore the backup from before the upgrade.',
      ],
    ]);
    expect(await database.schema.hasTable('accounts')).toBe(false);
  });

  it('say whether a database has ever held anything', async () => {
    await migrate(database);
    expect(await isUnused(database)).toBe(true);
    await database('service_keys').insert({ id: 'a', purpose: 'cookies', material: 'x', created_at: 1, active_at: 1 });
    expect(await isUnused(database)).toBe(false);
    await database('service_keys').where({ id: 'a' }).delete();
    const account = {
      id: 'a',
      email_verified: false,
      name: 'A',
      practitioners: '[]',
      workspaces: '[]',
      status: 'active',
    };
    await database('accounts').insert({ ...account, created_at: 1, updated_at: 1 });
    expect(await isUnused(database)).toBe(false);
  });
});

describe('the source of migrations', () => {
  it('knows them by name, in their order, and the ways of Knex to them', async () => {
    expect(migrationNames()).toEqual(NAMES);
    const sources = await migrationSource.getMigrations([]);
    expect(sources).toEqual(NAMES.map((file) => ({ file })));
    expect(sources.map((one) => migrationSource.getMigrationName(one))).toEqual(NAMES);
    const migration = await migrationSource.getMigration({ file: NAMES[1] ?? '' });
    expect(migration).toEqual(await readMigration(NAMES[1] ?? ''));
    expect(migration.up).toEqual(expect.any(Function));
    const refused = await (migration.down as () => Promise<never>)().catch((error: Refusal) => error);
    expect(refused).toBeInstanceOf(Refusal);
    expect(refused.reasons).toEqual([
      'Migrations only go forward: to undo one would lose what was stored since.',
      'Remedy: restore the backup from before the upgrade (docs/operating/upgrade.md).',
    ]);
  });

  it('tells names of earlier versions from those of newer releases', () => {
    const unknown = ['20261124000000_a.ts', '20261125000000_aaa.ts', '20261125000000_zzz.ts', '20270101000000_b.ts'];
    expect(unknownMigrations([...NAMES, ...unknown])).toEqual({ early: unknown.slice(0, 2), newer: unknown.slice(2) });
    expect(unknownMigrations(NAMES)).toEqual({ early: [], newer: [] });
  });
});
