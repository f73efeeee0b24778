// SEC-49: a network that swallows what is sent to PostgreSQL, as after a partition: who waits gets an error, and the connections
// are replaced, also those that nobody gives back.

import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase, ping } from '#store/database/connection.ts';
import { prepare, PLACEHOLDER as X } from '#store/database/prepared.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { until } from '#support/until.ts';

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

describe('SEC-49 a database that does not answer', () => {
  it('fails those who wait, and answers again on other connections', async () => {
    const settings = { engine: 'postgresql', url, connections: 3, queryTimeout: 300 } as const;
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
    // Answers that come are waited for, however many there are one after the other.
    for (let times = 0; times < 4; times += 1) await database.raw('select pg_sleep(0.15)');
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
