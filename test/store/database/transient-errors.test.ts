// Which errors say that the database is away: those that engines really give, and none of a query that was wrong.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase } from '#store/database/connection.ts';
import { isTransient } from '#store/database/transient-errors.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '#support/databases.ts';

const errorOf = (work: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(work).then(
    () => undefined,
    (error: unknown) => error,
  );

describe.each(ENGINES)('on %s', (engine) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
  });
  afterAll(() => opened.close());

  it.each([
    ['a table that is not there', 'select * from nothing'],
    ['a value that is missing', 'insert into accounts (id) values (null)'],
    ['a query that is none', 'selekt'],
  ])('%s is an error of the query', async (_what, query) => {
    const error = await errorOf(opened.database.raw(query));
    expect(error).toHaveProperty('message');
    expect(isTransient(error)).toBe(false);
  });
});

describe('a database is away', () => {
  it('that nobody serves', async () => {
    const database = openDatabase({ engine: 'postgresql', url: 'postgresql://127.0.0.1:1/none' });
    expect(isTransient(await errorOf(database.raw('select 1')))).toBe(true);
    await database.destroy();
  });

  it('whose connections are all in use', async () => {
    const opened = await openTestDatabase('postgresql');
    const used = await Promise.all(
      Array.from({ length: opened.database.client.pool.max }, () => opened.database.transaction()),
    );
    opened.database.client.pool.acquireTimeoutMillis = 50;
    expect(isTransient(await errorOf(opened.database.raw('select 1')))).toBe(true);
    await Promise.all(used.map((transaction) => transaction.rollback()));
    await opened.close();
  });

  it('that ends a connection', async () => {
    const opened = await openTestDatabase('postgresql');
    const slow = errorOf(opened.database.raw('select pg_sleep(20)'));
    const administration = openDatabase(opened.settings);
    const others =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like ?';
    let ended = 0;
    while (ended === 0) ended = (await administration.raw(others, ['select pg_sleep%'])).rows.length;
    expect(isTransient(await slow)).toBe(true);
    await administration.destroy();
    await opened.close();
  });

  it('that another holds', async () => {
    const opened = await openTestDatabase('sqlite');
    await opened.database.raw('pragma busy_timeout = 0');
    const other = openDatabase(opened.settings);
    const transaction = await other.transaction();
    await transaction('accounts').delete();
    expect(isTransient(await errorOf(opened.database('accounts').delete()))).toBe(true);
    await transaction.rollback();
    await other.destroy();
    await opened.close();
  });
});
