// SEC-76: how many connections one network holds, with TLS and without. 127.0.1.1 and 127.0.2.1 stand for two networks.

import { once } from 'node:events';
import type { createServer, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Certificate } from '#config/index.ts';
import { createHttpServer } from '#server/process/http-server.ts';
import { authority } from '#support/tls/certificates.ts';

const nextTurn = promisify(setImmediate);
const MOST = 3;
const REQUEST = 'GET /hold HTTP/1.1\r\nHost: a\r\n\r\n';

describe.each(['http', 'https'] as const)('SEC-76 connections of a network, %s', (scheme) => {
  const held: ServerResponse[] = [];
  const warnings: object[] = [];
  let server: ReturnType<typeof createServer>;
  let port: number;
  const settings = (proxies: number) => ({
    issuer: 'https://connect.example',
    hsts: { maxAge: 1, includeSubDomains: false },
    proxies,
    listen: { maxConnections: 100, connectionsPerNetwork: MOST, keepAlive: 65 },
  });
  const start = async (proxies: number) => {
    const { certificate: chain, key } = await (await authority()).issue();
    const certificate = { current: () => ({ chain, key }) as Certificate, serve: () => {}, close: () => {} };
    const made = createHttpServer(
      (req, res) => (req.url === '/hold' ? void held.push(res) : void res.end('served')),
      settings(proxies),
      { warn: (entry: object) => void warnings.push(entry) },
      scheme === 'https' ? certificate : undefined,
    );
    await once(made.listen(0, '127.0.0.1'), 'listening');
    return made;
  };
  beforeAll(async () => {
    server = await start(0);
    port = (server.address() as { port: number }).port;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** A connection that is ready for requests, or closed. */
  const open = async (localAddress: string, to = port): Promise<Socket> => {
    const socket = connect({ port: to, host: '127.0.0.1', localAddress }).on('error', () => {});
    await once(socket, 'connect');
    if (scheme === 'http') return socket.resume();
    const secure = connectTls({ socket, rejectUnauthorized: false }).on('error', () => {});
    await new Promise((resolve) => secure.once('secureConnect', resolve).once('close', resolve));
    return secure.resume();
  };
  const closed = (socket: Socket) => socket.closed || new Promise((resolve) => socket.once('close', resolve));
  const hold = async (socket: Socket) => {
    const before = held.length;
    socket.write(REQUEST);
    while (held.length === before) await nextTurn();
  };
  const isServed = async (socket: Socket) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await closed(socket);
    return text.includes('served');
  };

  it('four answers are underway on a connection; one that asks for more is closed, and no more are worked off', async () => {
    const waiting = await open('127.0.3.1');
    held.length = 0;
    waiting.write(REQUEST.repeat(4));
    while (held.length < 4) await nextTurn();
    for (const res of held.splice(0)) res.end();
    const impatient = await open('127.0.3.1');
    impatient.write(REQUEST.repeat(1000));
    await closed(impatient);
    expect([held.length, waiting.closed]).toEqual([4, false]);
    held.length = 0;
    waiting.destroy();
  });

  it('beyond the most, the one that is idle for longest goes, then the new one; others find their place', async () => {
    const working = await open('127.0.1.1');
    await hold(working);
    const idle = [await open('127.0.1.1'), await open('127.0.1.77')];
    expect(idle.map((socket) => socket.destroyed)).toEqual([false, false]);

    const fourth = await open('127.0.1.2');
    await closed(idle[0] as Socket);
    expect([working, idle[1], fourth].map((socket) => socket?.destroyed)).toEqual([false, false, false]);

    await hold(fourth);
    await hold(idle[1] as Socket);
    const refused = await open('127.0.1.1');
    await closed(refused);
    expect([working, idle[1], fourth].map((socket) => socket?.destroyed)).toEqual([false, false, false]);
    expect(await isServed(await open('127.0.2.1'))).toBe(true);

    // Once an answer is over its connection is idle again.
    const last = held.pop() as ServerResponse;
    last.end('done');
    await once(last, 'close');
    const again = await open('127.0.1.1');
    await closed(idle[1] as Socket);
    expect([working.destroyed, again.destroyed]).toEqual([false, false]);
    expect(warnings).toEqual([{ dropped: 1, connectionsPerNetwork: MOST }]);
  });

  it('behind proxies, which are one network, there is no such share', async () => {
    const behind = await start(1);
    const to = (behind.address() as { port: number }).port;
    const sockets = await Promise.all(Array.from({ length: 2 * MOST }, () => open('127.0.1.1', to)));
    expect(await Promise.all(sockets.map(isServed))).toEqual(sockets.map(() => true));
    behind.close();
  });
});
