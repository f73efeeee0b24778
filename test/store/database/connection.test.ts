// How the main database is opened on either engine, and what is small and used everywhere: batches, counts, marks, spans, groups of commits.

import { EventEmitter } from 'node:events';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { type Span, type StartedSpan, type Tracer, withinContext } from '#shared/request-context.ts';
import {
  batches,
  countRows,
  dateOf,
  epochSeconds,
  isPostgres,
  knexConfiguration,
  openDatabase,
  PostgresSocket,
  ping,
  ROWS_AT_ONCE,
} from '#store/database/connection.ts';
import { migrationSource } from '#store/database/migration-source.ts';
import { PostgresHosts } from '#store/database/postgres-hosts.ts';
import { groupCommit } from '#store/database/prepared.ts';
import { isSandbox, markSandbox } from '#store/database/sandbox-mark.ts';
import { openPageRelease } from '#store/database/sqlite-upkeep.ts';
import { tracedQuery, traceKnex } from '#store/database/trace-queries.ts';
import { openTestDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForAll } from '#support/opened.ts';

describe('the main database', () => {
  afterEach(() => void jest.restoreAllMocks());

  const COMMON = { compileSqlOnError: false, migrations: { migrationSource } };

  it('has one connection to SQLite', () => {
    expect(knexConfiguration({ engine: 'sqlite', file: '/a/b.sqlite' })).toEqual({
      ...COMMON,
      client: 'better-sqlite3',
      connection: { filename: '/a/b.sqlite' },
      useNullAsDefault: true,
      pool: { min: 1, max: 1, afterCreate: expect.any(Function) },
    });
  });

  it('has ten to PostgreSQL, or as many as the settings say, pipelined and named', () => {
    const url = 'postgresql://127.0.0.1:1/none';
    const configuration = knexConfiguration({ engine: 'postgresql', url });
    const connection = {
      connectionString: url,
      application_name: 'hygie',
      pipeline: true,
      stream: expect.any(Function),
      preparedStatements: undefined,
    };
    expect(configuration).toEqual({ ...COMMON, client: PostgresHosts, connection, pool: { min: 0, max: 10 } });
    const { stream } = configuration.connection as unknown as { stream(): unknown };
    expect(stream()).toBeInstanceOf(PostgresSocket);
    const own = knexConfiguration({ engine: 'postgresql', url, connections: 3, preparedStatements: false });
    expect([own.pool, own.connection]).toMatchObject([{ max: 3 }, { preparedStatements: false }]);
  });

  it('is a file in a folder of its own, opened with these settings', async () => {
    const file = join(newFolder(), 'deep', 'hygie.sqlite');
    const database = openDatabase({ engine: 'sqlite', file });
    const SETTINGS = {
      auto_vacuum: 2,
      journal_mode: 'wal',
      synchronous: 1,
      foreign_keys: 1,
      cache_size: -16_384,
      secure_delete: 2,
      wal_autocheckpoint: 16_384,
      journal_size_limit: 16_777_216,
    };
    await database.raw('create table a (b)');
    const found: Record<string, unknown> = {};
    for (const name of Object.keys(SETTINGS)) found[name] = (await database.raw(`pragma ${name}`))[0][name];
    expect(found).toEqual(SETTINGS);
    expect((await database.raw('pragma busy_timeout'))[0]).toEqual({ timeout: 5000 });
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    await expect(ping(database)).resolves.toBeUndefined();
    expect(isPostgres(database)).toBe(false);
    await database.destroy();
    await expect(ping(database)).rejects.toThrow();
  });

  it('has its log told what Knex would write to the console, and is silent without one', async () => {
    const lines: string[] = [];
    const file = join(newFolder(), 'hygie.sqlite');
    const database = openDatabase({ engine: 'sqlite', file }, { warn: (line) => void lines.push(line) });
    const { logger } = database.client;
    logger.warn(new Error('lost'));
    logger.error('gone');
    // Knex adds the stack of an error. The same again is said once a minute.
    for (let again = 0; again < 3; again += 1) logger.warn(`Connection Error: ${new Error('away').stack}`);
    for (const kind of ['debug', 'deprecate']) logger[kind]('nothing');
    expect(lines).toEqual(['database: lost', 'database: gone', 'database: Connection Error: Error: away']);
    const silent = openDatabase({ engine: 'sqlite', file });
    expect(() => silent.client.logger.warn('x')).not.toThrow();
    await Promise.all([database.destroy(), silent.destroy()]);
  });

  it('counts in seconds, and splits lists so that a statement changes 250 rows', () => {
    jest.spyOn(Date, 'now').mockReturnValue(1_999_999);
    expect([epochSeconds(), dateOf(7), dateOf('8'), ROWS_AT_ONCE]).toEqual([1999, new Date(7000), new Date(8000), 250]);
    const sizes = (count: number) =>
      [...batches(Array.from({ length: count }, (_, at) => at))].map((some) => some.length);
    expect([sizes(0), sizes(250), sizes(251), sizes(501)]).toEqual([[], [250], [250, 1], [250, 250, 1]]);
    expect([...batches([1, 2])]).toEqual([[1, 2]]);
  });
});

describe('in a database', () => {
  afterEach(() => void jest.restoreAllMocks());

  const opened = openedForAll(() => openTestDatabase('sqlite'));

  it('rows are counted, and a sandbox is marked once and for ever', async () => {
    const { database } = opened;
    jest.spyOn(Date, 'now').mockReturnValue(5000);
    expect([await countRows(database('sandbox')), await isSandbox(database)]).toEqual([0, false]);
    await markSandbox(database);
    jest.spyOn(Date, 'now').mockReturnValue(9000);
    await markSandbox(database);
    expect([await countRows(database('sandbox')), await isSandbox(database)]).toEqual([1, true]);
    expect(await database('sandbox')).toEqual([{ id: 1, marked_at: 5 }]);
    expect(await countRows(database('sandbox').where({ id: 2 }))).toBe(0);
  });

  it('free pages are given back in portions, down to 8 MiB or a tenth; none on PostgreSQL', async () => {
    expect(await openPageRelease({ client: { config: { client: 'pg' } } } as never)(9)).toBe(0);
    const ran: string[] = [];
    const pages = { freelist_count: 0, page_count: 0 };
    const released: unknown[] = [];
    const connection = {
      pragma: (name: keyof typeof pages, { simple }: { simple?: boolean }) => (simple ? pages[name] : [pages]),
      exec(text: string) {
        ran.push(text);
        pages.page_count -= 5;
      },
    };
    const client = {
      config: { client: 'better-sqlite3' },
      acquireConnection: async () => connection,
      releaseConnection: (one: unknown) => released.push(one),
    };
    const release = openPageRelease({ client } as never);
    const after = async (free: number, count: number, most = 1000) => {
      Object.assign(pages, { freelist_count: free, page_count: count });
      return [await release(most), ran.pop()];
    };
    const vacuum = (count: number) => `pragma incremental_vacuum(${count})`;
    expect(await after(2048, 10_000)).toEqual([0, undefined]);
    expect(await after(2049, 10_000)).toEqual([5, vacuum(1)]);
    expect(await after(9000, 10_000, 40)).toEqual([5, vacuum(40)]);
    expect(await after(10_001, 100_000)).toEqual([5, vacuum(1)]);
    expect(await after(10_000, 100_000)).toEqual([0, undefined]);
    expect(released).toEqual(Array(5).fill(connection));
  });
});

describe('writes of one turn of the event loop', () => {
  const table = () => {
    const connection = new BetterSqlite3(':memory:');
    connection.exec('create table a (id integer primary key)');
    const insert = connection.prepare('insert into a values (?)');
    const ids = () => connection.prepare('select id from a order by id').pluck().all();
    return { connection, ids, write: (id: number) => groupCommit(connection, () => insert.run(id).changes) };
  };

  it('are one transaction; if one fails, each is by itself, and the next turn begins anew', async () => {
    const { connection, ids, write } = table();
    const transactions: boolean[] = [];
    const note = () => groupCommit(connection, () => transactions.push(connection.inTransaction));
    expect(await Promise.all([write(1), write(2), note()])).toEqual([1, 1, 1]);
    await note();
    expect(transactions).toEqual([true, false]);
    const settled = await Promise.allSettled([write(3), write(1), write(4)]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(ids()).toEqual([1, 2, 3, 4]);
  });

  it('are left to their caller where a transaction has begun meanwhile', async () => {
    const { connection, ids, write } = table();
    const both = [write(1), write(2)];
    connection.exec('begin');
    expect(await Promise.all(both)).toEqual([undefined, undefined]);
    connection.exec('commit');
    expect([ids(), await write(1)]).toEqual([[], 1]);
  });
});

describe('spans of statements', () => {
  function traced(client: 'pg' | 'better-sqlite3') {
    const started: (StartedSpan & { ended?: string | null })[] = [];
    const tracer: Tracer = {
      start: (span) => {
        const one: (typeof started)[number] = { ...span };
        started.push(one);
        const end = (failed: string | null = null) => {
          one.ended = failed;
        };
        return { end } as Span;
      },
    };
    const emitter = Object.assign(new EventEmitter(), { config: { client } });
    const database = { client: emitter } as never;
    const span = { traceId: 'of the request' } as unknown as Span;
    return { started, emitter, database, within: <R>(work: () => R) => withinContext({ tracer, span }, work), span };
  }

  it.each([
    ['select * from "accounts" where "id" = ?', 'SELECT accounts'],
    [' insert into `consents` (`a`) values (?)', 'INSERT consents'],
    ['update "leases" set "a" = ?', 'UPDATE leases'],
    ['delete from page_sessions', 'DELETE page_sessions'],
    ['with used as (update x) insert into y values (1)', 'INSERT y'],
    ['create table a (b)', 'CREATE a'],
    ['pragma data_version', 'PRAGMA'],
    ['(', 'postgresql'],
  ])('%s is named %s', (sql, name) => {
    const { started, emitter, database, within, span } = traced('pg');
    traceKnex(database);
    const query = { __knexQueryUid: '1', sql };
    within(() => emitter.emit('query', query));
    const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name, 'db.query.text': sql };
    expect(started).toEqual([{ name, kind: 'client', attributes, parent: span }]);
    emitter.emit('query-response', [], query);
    expect(started[0]?.ended).toBeNull();
  });

  it('end with the code of the error; transactions, and what belongs to no request, have none', () => {
    const { started, emitter, database, within } = traced('better-sqlite3');
    traceKnex(database);
    const ids = ['1', '2'];
    for (const id of ids) within(() => emitter.emit('query', { __knexQueryUid: id, sql: 'select 1 from a' }));
    emitter.emit('query-error', { code: 'SQLITE_BUSY' }, { __knexQueryUid: '1' });
    emitter.emit('query-error', {}, { __knexQueryUid: '2' });
    expect(started.map(({ ended }) => ended)).toEqual(['SQLITE_BUSY', 'Error']);
    emitter.emit('query-response', [], { __knexQueryUid: '1' });
    expect(started[0]?.ended).toBe('SQLITE_BUSY');
    for (const sql of ['BEGIN;', 'commit', ' rollback', 'savepoint a', 'release a', 'set a = b'])
      within(() => emitter.emit('query', { __knexQueryUid: sql, sql }));
    emitter.emit('query', { __knexQueryUid: '3', sql: 'select 1' });
    expect(started).toHaveLength(2);
  });

  it('have 500 characters of the statement', async () => {
    const { started, database, within } = traced('better-sqlite3');
    const sql = (length: number) => 'select 1 from a where '.padEnd(length, 'x');
    for (const length of [500, 501])
      expect(await within(() => tracedQuery(database, sql(length), async () => length))).toBe(length);
    const texts = started.map(({ attributes = {} }) => attributes['db.query.text']);
    expect(texts).toEqual([sql(500), `${sql(500)}…`]);
    expect(started[0]).toMatchObject({ name: 'SELECT a', kind: 'client', ended: null });
    expect(started[0]?.attributes?.['db.system.name']).toBe('sqlite');
    expect(await tracedQuery(database, 'select 1', async () => 'untraced')).toBe('untraced');
    expect(started).toHaveLength(2);
  });
});
