// Several hosts in DATABASE_URL, as libpq has them, on a real PostgreSQL: operations.md, DATABASE_URL. A fail-over from one real server to
// another is `fail-over.system.test.ts`.

import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Database, openDatabase, ping } from '#store/database/connection.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { freePort } from '#support/free-port.ts';
import { until } from '#support/until.ts';

describe('hosts of a database', () => {
  let opened: TestDatabase;
  let good: URL;
  let closedPort: number;
  let silent: Server;
  beforeAll(async () => {
    opened = await openTestDatabase('postgresql');
    good = new URL(opened.settings.engine === 'postgresql' ? opened.settings.url : '');
    closedPort = await freePort();
    // Takes connections and says nothing, as a frozen server does.
    silent = createServer((socket) => sockets.add(socket.on('error', () => {})));
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  });
  const sockets = new Set<Socket>();
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    silent.close();
    await opened.close();
  });

  const databases: Database[] = [];
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const database of databases.splice(0)) await database.destroy();
  });
  const warnings: string[] = [];
  function openAt(hosts: string, parameters = ''): Database {
    const url = `postgres://${good.username}:${good.password}@${hosts}${good.pathname}${parameters}`;
    const database = openDatabase(
      { engine: 'postgresql', url, connections: 4 },
      { warn: (line) => void warnings.push(line) },
    );
    databases.push(database);
    return database;
  }
  const portOf = async (database: Database) => {
    const connection = await database.client.acquireConnection();
    database.client.releaseConnection(connection);
    return String(connection.port);
  };
  const errorOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => error as Error & { code?: string },
    );

  describe('operations.md: several hosts in DATABASE_URL', () => {
    it('the first one that answers is taken: one that refuses, or says nothing in time, is passed over', async () => {
      const silentPort = (silent.address() as { port: number }).port;
      const hosts = `127.0.0.1:${closedPort},127.0.0.1:${silentPort},${good.host}`;
      const database = openAt(hosts, '?connect_timeout=1');
      expect(await portOf(database)).toBe(good.port);
      expect(warnings.pop()).toContain(`connected to ${good.host} now`);
      // Nobody asks the others again.
      const asked = sockets.size;
      await Promise.all([1, 2, 3].map(() => database.transaction(ping)));
      expect(sockets.size).toBe(asked);
    });

    it('if none answers, the error names each with its reason, and nothing of user and password', async () => {
      const database = openAt(`127.0.0.1:${closedPort},localhost:${closedPort}`);
      const error = await errorOf(ping(database));
      expect(error?.code).toBe('ECONNREFUSED');
      expect(error?.message).toMatch(
        new RegExp(
          `no server takes writes \\(127\\.0\\.0\\.1:${closedPort}: .*ECONNREFUSED.*; localhost:${closedPort}: `,
        ),
      );
      expect(error?.message).not.toContain(good.password);
    });

    it('a password that is wrong is not tried at the others', async () => {
      const database = openAt(`${good.host},127.0.0.1:${closedPort}`, '?user=nobody');
      expect((await errorOf(ping(database)))?.message).toMatch(/^password authentication failed/);
    });
  });

  describe('operations.md: target_session_attrs, at a server that takes no writes', () => {
    let administration: Database;
    beforeAll(() => {
      administration = openDatabase(opened.settings);
    });
    afterAll(() => administration.destroy());
    const setReadOnly = (state: 'on' | 'off') =>
      administration.raw(
        `begin read write; alter database ${good.pathname.slice(1)} set default_transaction_read_only = ${state}; commit`,
      );
    afterEach(() => setReadOnly('off'));

    it('one of several has to take writes, unless any is enough; a single one is taken as it is', async () => {
      await setReadOnly('on');
      const hosts = `${good.host},127.0.0.1:${closedPort}`;
      for (const [list, parameters, code] of [
        [hosts, '', '25006'],
        [good.host, '?target_session_attrs=read-write', '25006'],
        [hosts, '?target_session_attrs=any', undefined],
        // It is no replica.
        [hosts, '?target_session_attrs=primary', undefined],
        [good.host, '', undefined],
      ] as const) {
        expect([list, parameters, (await errorOf(ping(openAt(list, parameters))))?.code]).toEqual([
          list,
          parameters,
          code,
        ]);
      }
    });

    it('after a refused write, no connection to it is used again', async () => {
      const database = openAt(good.host);
      const write = (one: Database) => one('accounts').where({ id: 'none' }).delete();
      const numbers = async () => {
        const all = await Promise.all(
          [1, 2, 3].map(() =>
            database.transaction(
              async (one) => (await one.raw('select pg_backend_pid() as id, pg_sleep(0.05)')).rows[0].id,
            ),
          ),
        );
        return new Set<number>(all);
      };
      let before = new Set<number>();
      await until(async () => {
        before = await numbers();
        return before.size === 3;
      }, 'three connections are in use');
      // Connections are kept for a second, so that a database that only reads is not left for each write.
      const { now } = performance;
      jest.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 1100);
      await database.raw('set default_transaction_read_only = on');
      await until(
        async () => (await errorOf(write(database).then()))?.code === '25006',
        'the connection that is read-only',
      );
      const after = await numbers();
      expect([...after].filter((id) => before.has(id))).toEqual([]);
      expect(await write(database)).toBe(0);
    });
  });

  /** What the server says once a client may ask (section 54.7 of its manual). */
  const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5]);

  it('operations.md: DATABASE_URL, many who connect at once a process opens three connections at a time, and rests after failures', async () => {
    let [entering, most, count] = [0, 0, 0];
    const refuses = { now: false };
    // The first ones wait here until as many have come as may come at once.
    const held: (() => void)[] = [];
    const gate = createServer((near) => {
      count += 1;
      if (refuses.now) return void near.resetAndDestroy();
      most = Math.max(most, ++entering);
      const far = connect(Number(good.port), good.hostname);
      const look = (data: Buffer) => {
        if (!data.includes(READY_FOR_QUERY)) return;
        entering -= 1;
        far.off('data', look);
      };
      const admit = () => {
        far.on('data', look);
        near.pipe(far).pipe(near);
      };
      near.on('error', () => {}).on('close', () => far.destroy());
      far.on('error', () => {}).on('close', () => near.destroy());
      if (count > 3) admit();
      else held.push(admit);
    });
    await new Promise<void>((done) => gate.listen(0, '127.0.0.1', done));
    const database = openAt(`127.0.0.1:${(gate.address() as { port: number }).port}`);
    database.client.pool.max = 10;
    // None of the transactions ends before all have a connection, however long that takes.
    const all = Promise.withResolvers<void>();
    let begun = 0;
    const ended = Array.from({ length: 10 }, () =>
      database.transaction(async (one) => {
        await one.raw('select 1');
        begun += 1;
        if (begun === 10) all.resolve();
        await all.promise;
      }),
    );
    await until(() => held.length === 3, 'three connections are being opened');
    for (const admit of held) admit();
    await Promise.all(ended);
    expect([count, most]).toEqual([10, 3]);

    refuses.now = true;
    for (const socket of database.client.pool.free) socket.resource.connection.stream.destroy();
    count = 0;
    const errors = await Promise.all(Array.from({ length: 30 }, () => errorOf(ping(database))));
    expect(errors.every((error) => error !== undefined)).toBe(true);
    // A try for each would be 30; a slow machine may come to a few rests.
    expect(count).toBeLessThan(20);
    refuses.now = false;
    await until(async () => (await errorOf(ping(database))) === undefined, 'it answers again');
    gate.close();
  });
});
