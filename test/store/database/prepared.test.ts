// Statements that run at every request: many at once, beside transactions, and with errors among them.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openDatabase } from '#store/database/connection.ts';
import { PLACEHOLDER, type Prepared, prepare } from '#store/database/prepared.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { until } from '#support/until.ts';

describe.each(ENGINES)('prepared statements on %s', (engine) => {
  let opened: TestDatabase;
  let insert: Prepared<unknown>;
  let remove: Prepared<unknown>;
  let count: Prepared<{ n: number | string }>;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
    await opened.database.schema.createTable('kept', (table) => {
      table.integer('id').primary();
      table.string('name').notNullable();
    });
    insert = prepare(opened.database, (knex) => knex('kept').insert({ id: PLACEHOLDER, name: PLACEHOLDER }));
    remove = prepare(opened.database, (knex) => knex('kept').where('name', PLACEHOLDER).delete());
    count = prepare(opened.database, (knex) => knex('kept').count({ n: '*' }).where('id', '>=', PLACEHOLDER));
  });
  afterAll(() => opened.close());
  beforeEach(() => opened.database('kept').delete());
  const rows = async () => Number((await count(0)).rows[0]?.n);

  it('written at the same time are all there, and each knows what it changed', async () => {
    const written = await Promise.all(Array.from({ length: 40 }, (_, id) => insert(id, id % 2 ? 'odd' : 'even')));
    expect(written.map(({ changed }) => changed)).toEqual(Array(40).fill(1));
    expect(await rows()).toBe(40);
    const removed = await Promise.all([remove('odd'), remove('odd'), remove('none')]);
    expect(removed.map(({ changed }) => changed).toSorted()).toEqual([0, 0, 20]);
  });

  it('of which one fails, the others stand', async () => {
    await insert(7, 'first');
    const ids = [5, 6, 7, 8];
    const written = await Promise.allSettled([...ids.map((id) => insert(id, 'second')), insert(9, null)]);
    expect(written.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ]);
    expect(await rows()).toBe(4);
    await insert(10, 'third');
    expect(await rows()).toBe(5);
  });

  it('are no part of a transaction that is open elsewhere, and outlive its end', async () => {
    const transaction = await opened.database.transaction();
    await transaction('kept').insert({ id: 1, name: 'undone' });
    const beside = insert(2, 'kept');
    const read = rows();
    await transaction.rollback();
    await beside;
    expect(await read).toBeLessThan(2);
    expect(await rows()).toBe(1);
    // A transaction that begins before writes of the same turn are committed.
    const late = insert(3, 'kept');
    const second = await opened.database.transaction();
    await second('kept').insert({ id: 4, name: 'undone' });
    await second.rollback();
    await late;
    expect((await opened.database('kept').select('id').orderBy('id')).map(({ id }) => id)).toEqual([2, 3]);
  });

  it('are refused when the database is closed, instead of waiting', async () => {
    const other = await openTestDatabase(engine);
    const ask = prepare(other.database, (knex) => knex('accounts').count({ n: '*' }));
    await ask();
    await other.close();
    await expect(ask()).rejects.toThrow();
  });
});

describe('reads on PostgreSQL', () => {
  let opened: TestDatabase;
  let backend: () => Promise<number>;
  beforeAll(async () => {
    opened = await openTestDatabase('postgresql');
    const ask = prepare<{ pid: number }>(opened.database, (knex) => knex.select(knex.raw('pg_backend_pid() as pid')));
    backend = async () => (await ask()).rows[0]?.pid ?? 0;
  });
  afterAll(() => opened.close());

  it('that overlap share a connection, and give it back', async () => {
    const backends = await Promise.all(Array.from({ length: 20 }, backend));
    expect(new Set(backends).size).toBe(1);
    await until(() => opened.database.client.pool.numUsed() === 0, 'the connection is in the pool again');
  });

  it('leave the connection on which one has failed to those that are under way: it may be the connection that failed', async () => {
    const fail = prepare(opened.database, (knex) => knex.select(knex.raw('1 / cast(? as integer)', [PLACEHOLDER])));
    const slow = prepare<{ pid: number }>(opened.database, (knex) =>
      knex.select(knex.raw('pg_backend_pid() as pid, pg_sleep(0.5)')),
    );
    const failure = fail(0);
    const under = slow();
    await expect(failure).rejects.toThrow('division by zero');
    const next = await backend();
    expect(next).not.toBe((await under).rows[0]?.pid);
    expect(await backend()).toBeGreaterThan(0);
  });

  it('go on after that connection is lost, though they never cease to overlap', async () => {
    const administration = openDatabase(opened.settings);
    // Slow ones: the answers come one by one, so that some read is under way at any moment, and the loss meets it.
    const ask = prepare<{ pid: number }>(opened.database, (knex) =>
      knex.select(knex.raw('pg_backend_pid() as pid, pg_sleep(0.02)')),
    );
    const seen = new Set<number>();
    let refused = 0;
    let over = false;
    const read = async () => {
      while (!over) {
        await ask().then(
          ({ rows }) => seen.add(rows[0]?.pid ?? 0),
          () => {
            refused += 1;
          },
        );
      }
    };
    const readers = Array.from({ length: 6 }, read);
    try {
      await until(() => seen.size > 0, 'a read');
      const lost = [...seen];
      await administration.raw('select pg_terminate_backend(pid) from pg_stat_activity where pid = any(?)', [lost]);
      const goesOn = () => [...seen].some((pid) => !lost.includes(pid));
      await until(() => refused > 0 && goesOn(), 'a read after the lost ones');
    } finally {
      over = true;
      await Promise.all(readers);
      await administration.destroy();
    }
  });
});
