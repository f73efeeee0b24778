// The pauses between tries to connect to PostgreSQL, by a clock of the tests, and how long one host may take.

import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { freePort } from '#support/free-port.ts';

describe('a server that does not let the service in', () => {
  const opened: Database[] = [];
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const database of opened.splice(0)) await database.destroy();
  });
  const open = (url: string): Database => {
    const database = openDatabase({ engine: 'postgresql', url });
    opened.push(database);
    return database;
  };
  const errorOf = ({ client }: Database): Promise<Error & { code?: string }> =>
    client.acquireRawConnection().catch((error: unknown) => error);

  it('is left alone after its second failure, twice as long each time, for a second at most', async () => {
    const database = open(`postgres://a:b@127.0.0.1:${await freePort()}/c`);
    let now = 1000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    jest.spyOn(Math, 'random').mockReturnValue(1);
    let last = await errorOf(database);
    expect(last.code).toBe('ECONNREFUSED');
    for (const pause of [0, 100, 200, 400, 800, 1000, 1000]) {
      if (pause > 0) {
        now += pause - 1;
        expect([pause, (await errorOf(database)) === last]).toEqual([pause, true]);
        now += 1;
      }
      const next = await errorOf(database);
      expect([pause, next === last]).toEqual([pause, false]);
      last = next;
    }
    // Half as long at least, so that instances do not try together.
    jest.spyOn(Math, 'random').mockReturnValue(0);
    now += 1000;
    last = await errorOf(database);
    now += 499;
    expect(await errorOf(database)).toBe(last);
    now += 1;
    expect(await errorOf(database)).not.toBe(last);
    expect(database.client.connectionSettings.connectionTimeoutMillis).toBe(5000);
  });

  it('and says nothing is given up after its time', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket.on('error', () => {})));
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    const { port } = silent.address() as { port: number };
    const error = await errorOf(open(`postgres://a:b@127.0.0.1:${port}/c?connect_timeout=0.05`));
    expect([error.code, error.message]).toEqual(['ETIMEDOUT', 'it did not let the service in within 0.05 s']);
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
});
