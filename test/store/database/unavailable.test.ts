// A database that is away, late or does not answer.

import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Database, openDatabase, ping } from '#store/database/connection.ts';
import { prepare, PLACEHOLDER as X } from '#store/database/prepared.ts';
import { isTransient } from '#store/database/transient-errors.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { type LateNetwork, lateNetwork } from '#support/late-network.ts';
import { openedForAll } from '#support/opened.ts';
import { until } from '#support/until.ts';

// Which errors say that the database is away: those that engines really give, and none of a query that was wrong.
describe('transient errors', () => {
  const errorOf = (work: PromiseLike<unknown>): Promise<unknown> =>
    Promise.resolve(work).then(
      () => undefined,
      (error: unknown) => error,
    );

  describe.each(bothEngines('store/database/unavailable'))('transient errors, on %s', (engine) => {
    const opened = openedForAll(() => openTestDatabase(engine));

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
});

// SEC-78, SEC-49: what was given up is not carried out later. A server that was frozen reads what it was sent, though nobody waits for it any more.
describe('SEC-78 a write that was given up', () => {
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
      { engine: 'postgresql', url: url.href, connections: WAYS.length, statementTimeout: TIMEOUT / 1000 },
      { warn: () => {} },
    );
  });
  afterAll(async () => {
    await database.destroy();
    network.close();
    await opened.close();
  });

  const rows = () => opened.database('kept').select('id', 'name').orderBy('id');

  /** Each with a row of its own, so that all can be given up together. */
  const WAYS: ((one: Database) => Promise<unknown>)[] = [
    (one) => prepare(one, (k) => k('kept').where('id', X).update({ name: X }))('late', 1),
    (one) => prepare(one, (k) => k.raw('delete from kept where id = ? returning name', [X]))(2),
    async (one) => one('kept').insert({ id: 9, name: 'late' }),
    async (one) => one('kept').whereRaw('id = 3').delete(),
    (one) =>
      one.transaction(async (transaction) => {
        await transaction('kept').where({ id: 4 }).delete();
      }),
  ];
  beforeEach(async () => {
    await opened.database('kept').delete();
    await opened.database('kept').insert([1, 2, 3, 4].map((id) => ({ id, name: 'before' })));
  });
  afterEach(() => network.deliver());

  it('a prepared statement, one with rows, by Knex, without values, or a whole transaction: leaves nothing when it is delivered late, and can be repeated', async () => {
    const before = await rows();
    await database.raw('select 1');
    network.keepWrites();
    const errors = await Promise.all(WAYS.map((write) => write(database).catch((reason: unknown) => reason)));
    expect(errors.map((error) => [isTransient(error), error])).toEqual(WAYS.map(() => [true, expect.any(Error)]));
    expect(network.kept()).toBe(WAYS.length);
    await network.deliver();
    expect(await rows()).toEqual(before);

    for (const write of WAYS) await write(database);
    expect(await rows()).toEqual([
      { id: 1, name: 'late' },
      { id: 9, name: 'late' },
    ]);
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
    const before = await rows();
    const holder = await opened.database.transaction();
    await holder('kept').where({ id: 1 }).forUpdate();
    await expect(database('kept').update({ name: 'late' })).rejects.toThrow('did not answer');
    await holder.commit();
    const under = async () =>
      (
        await opened.database.raw(
          `select 1 from pg_stat_activity where query like 'update "kept"%' and state = 'active'`,
        )
      ).rows;
    await until(async () => (await under()).length === 0, 'the server has ended it');
    expect(await rows()).toEqual(before);
  });

  it('on a server that was frozen (SIGSTOP)', async () => {
    const before = await rows();
    // Transactions at once have a connection each, however slow the machine is: all go back to the pool, which has no other ones.
    const all = await Promise.all(WAYS.map(() => database.transaction()));
    const frozen: number[] = [];
    for (const one of all) frozen.push((await one.raw('select pg_backend_pid() as pid')).rows[0].pid);
    for (const one of all) await one.rollback();
    const watcher = new pg.Client({ connectionString: (opened.settings as { url: string }).url });
    await watcher.connect();
    expect(new Set(frozen).size).toBe(WAYS.length);
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    const given = await Promise.allSettled(WAYS.map((write) => write(database)));
    for (const pid of frozen) process.kill(pid, 'SIGCONT');
    expect(given.map(({ status }) => status)).toEqual(WAYS.map(() => 'rejected'));
    const left = async () =>
      (await watcher.query('select 1 from pg_stat_activity where pid = any($1)', [frozen])).rowCount;
    await until(async () => (await left()) === 0, 'they have ended');
    await watcher.end();
    expect(await rows()).toEqual(before);
  });
});

// SEC-49: a network that swallows what is sent to PostgreSQL, as after a partition: who waits gets an error, and the connections
// are replaced, also those that nobody gives back.
describe('SEC-49 a database that does not answer', () => {
  let opened: TestDatabase;
  let network: Server;
  let url: string;
  const swallowing = new Set<Socket>();
  const through = new Set<Socket>();

  beforeAll(async () => {
    opened = await openTestDatabase('postgresql');
    const server = new URL(opened.settings.engine === 'postgresql' ? opened.settings.url : '');
    const { port, hostname } = server;
    network = createServer((near) => {
      const far = connect(Number(port), hostname);
      through.add(near);
      near.on('data', (data) => swallowing.has(near) || far.write(data));
      far.on('data', (data) => swallowing.has(near) || near.write(data));
      near.on('error', () => {}).on('close', () => far.destroy());
      far.on('error', () => {}).on('close', () => swallowing.has(near) || near.destroy());
    });
    await new Promise<void>((resolve) => network.listen(0, '127.0.0.1', resolve));
    const address = network.address();
    server.port = String(typeof address === 'object' && address ? address.port : 0);
    url = server.href;
  });
  afterAll(async () => {
    network.close();
    await opened.close();
  });

  it('fails those who wait, and answers again on other connections', async () => {
    const settings = { engine: 'postgresql', url, connections: 3, statementTimeout: 0.3 } as const;
    const database = openDatabase(settings, { warn: () => {} });
    const select = prepare<{ id: string }>(database, (one) => one('accounts').select('id').where('id', X));
    const change = prepare(database, (one) => one('accounts').where('id', X).delete());
    const all = () =>
      Promise.allSettled([select('a'), change('b'), ping(database), select('c'), database.transaction(ping)]);
    const outcomes = async () => (await all()).map(({ status }) => status);

    expect(await outcomes()).toEqual(Array(5).fill('fulfilled'));
    // A connection that is being opened has half a minute of its own.
    await until(() => database.client.pool.numPendingCreates() === 0, 'every connection is open');
    for (const socket of through) swallowing.add(socket);
    expect(await outcomes()).toContain('rejected');
    await expect(outcomes()).resolves.toEqual(Array(5).fill('fulfilled'));
    await database.destroy();
  });

  it('a service’s connections have the limit, those of commands do not', async () => {
    for (const [log, has] of [
      [{ warn: () => {} }, true],
      [undefined, false],
    ] as const) {
      const database = openDatabase({ engine: 'postgresql', url }, log);
      const connection = await database.client.acquireConnection();
      expect(Object.hasOwn(connection, 'query')).toBe(has);
      database.client.releaseConnection(connection);
      await database.destroy();
    }
  });
});
