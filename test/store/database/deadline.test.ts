// SEC-78, SEC-49: what was given up is not carried out later. A server that was frozen reads what it was sent, though nobody waits for it any more.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { prepare, PLACEHOLDER as X } from '#store/database/prepared.ts';
import { isTransient } from '#store/database/transient-errors.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { type LateNetwork, lateNetwork } from '#support/late-network.ts';
import { until } from '#support/until.ts';

const TIMEOUT = 400;
let opened: TestDatabase;
let network: LateNetwork;
let database: Database;

beforeAll(async () => {
  opened = await openTestDatabase('postgresql');
  if (opened.settings.engine !== 'postgresql') throw new Error('not on PostgreSQL');
  network = await lateNetwork();
  const url = new URL(opened.settings.url);
  network.leadTo(new URL(url));
  url.port = String(network.port);
  await opened.database.schema.createTable('kept', (table) => {
    table.integer('id').primary();
    table.string('name').notNullable();
  });
  database = openDatabase(
    { engine: 'postgresql', url: url.href, connections: 2, queryTimeout: TIMEOUT },
    { warn: () => {} },
  );
});
afterAll(async () => {
  await database.destroy();
  network.close();
  await opened.close();
});

const rows = () => opened.database('kept').select('id', 'name').orderBy('id');

describe('SEC-78 a write that was given up', () => {
  const insert = (name: string) => (one: Database) => one('kept').insert({ id: 2, name });
  const WAYS: [string, (one: Database) => Promise<unknown>][] = [
    ['a prepared statement', (one) => prepare(one, (k) => k('kept').where('id', X).update({ name: X }))('late', 1)],
    ['one with rows', (one) => prepare(one, (k) => k.raw('delete from kept where id = ? returning name', [X]))(1)],
    ['one by Knex', async (one) => insert('late')(one)],
    ['one without values', async (one) => one('kept').delete()],
    [
      'a transaction of which all is given up',
      (one) =>
        one.transaction(async (transaction) => {
          await transaction('kept').delete();
        }),
    ],
  ];
  beforeAll(() => opened.database('kept').insert({ id: 1, name: 'before' }));
  afterEach(() => network.deliver());

  it.each(WAYS)('%s, leaves nothing when it is delivered late, and can be repeated', async (_what, write) => {
    const before = await rows();
    await database.raw('select 1');
    network.keepWrites();
    const error = await write(database).catch((reason: unknown) => reason);
    expect([isTransient(error), error]).toEqual([true, expect.any(Error)]);
    expect(network.kept()).toBe(1);
    await network.deliver();
    expect(await rows()).toEqual(before);

    await write(database);
    expect(await rows()).not.toEqual(before);
    await opened.database('kept').delete();
    await opened.database('kept').insert({ id: 1, name: 'before' });
  });

  it('a transaction of which the end is given up', async () => {
    const before = await rows();
    const work = (one: Database) =>
      one.transaction(async (transaction) => {
        await transaction('kept').update({ name: 'late' });
        if (one === database && network.kept() === 0) network.keepWrites();
      });
    await expect(work(database)).rejects.toThrow('did not answer');
    expect(network.kept()).toBe(1);
    await network.deliver();
    expect(await rows()).toEqual(before);
  });

  it('and that waited for a lock meanwhile', async () => {
    const holder = await opened.database.transaction();
    await holder('kept').where({ id: 1 }).forUpdate();
    expect(await rows()).toEqual([{ id: 1, name: 'before' }]);
    await expect(database('kept').update({ name: 'late' })).rejects.toThrow('did not answer');
    await holder.commit();
    const under = async () =>
      (
        await opened.database.raw(
          `select 1 from pg_stat_activity where query like 'update "kept"%' and state = 'active'`,
        )
      ).rows;
    await until(async () => (await under()).length === 0, 'the server has ended it');
    expect(await rows()).toEqual([{ id: 1, name: 'before' }]);
  });

  it('on a server that was frozen (SIGSTOP)', async () => {
    const before = await rows();
    const backends = await opened.database.raw(
      `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await Promise.all([database.raw('select pg_sleep(0.05)'), database.raw('select pg_sleep(0.05)')]);
    const watcher = new pg.Client({ connectionString: (opened.settings as { url: string }).url });
    await watcher.connect();
    void backends;
    const { rows: frozen } = await watcher.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and query like '%pg_sleep(0.05)%' and pid <> pg_backend_pid()`,
    );
    expect(frozen.length).toBe(2);
    for (const { pid } of frozen) process.kill(pid, 'SIGSTOP');
    const given = await Promise.allSettled([database('kept').delete(), database('kept').update({ name: 'late' })]);
    for (const { pid } of frozen) process.kill(pid, 'SIGCONT');
    expect(given.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const left = async () =>
      (await watcher.query('select 1 from pg_stat_activity where pid = any($1)', [frozen.map(({ pid }) => pid)]))
        .rowCount;
    await until(async () => (await left()) === 0, 'they have ended');
    await watcher.end();
    expect(await rows()).toEqual(before);
  });
});
