// What the HTTP server lets one client or network take: connections, time and bytes (SEC-44, SEC-76). What a start opened is closed again.

import { once } from 'node:events';
import type { createServer, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Certificate } from '#config/index.ts';
import { openWithClosers } from '#server/process/closers.ts';
import { createHttpServer } from '#server/process/http-server.ts';
import { sendRaw } from '#support/raw-request.ts';
import { authority } from '#support/tls/certificates.ts';
import { serverSettings } from './server-settings.ts';

const nextTurn = promisify(setImmediate);
const MOST = 3;
const REQUEST = 'GET /hold HTTP/1.1\r\nHost: a\r\n\r\n';

describe.each(['http', 'https'] as const)('SEC-76 connections of a network, %s', (scheme) => {
  const held: ServerResponse[] = [];
  const warnings: unknown[] = [];
  let server: ReturnType<typeof createServer>;
  let port: number;
  const start = async (proxies: number) => {
    const { certificate: chain, key } = await (await authority()).issue();
    const certificate = { current: () => ({ chain, key }) as Certificate, serve: () => {}, close: () => {} };
    const made = createHttpServer(
      (req, res) => (req.url === '/hold' ? void held.push(res) : void res.end('served')),
      serverSettings({ connectionsPerNetwork: MOST }, proxies),
      { warn: (...line: unknown[]) => void warnings.push(line) },
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
    const message = 'connections are closed: one network has listen.connectionsPerNetwork open';
    expect(warnings).toEqual([[{ dropped: 1, connectionsPerNetwork: MOST }, message]]);
  });

  it('behind proxies, which are one network, there is no such share', async () => {
    const behind = await start(1);
    const to = (behind.address() as { port: number }).port;
    const sockets = await Promise.all(Array.from({ length: 2 * MOST }, () => open('127.0.1.1', to)));
    expect(await Promise.all(sockets.map(isServed))).toEqual(sockets.map(() => true));
    behind.close();
  });
});

describe('SEC-44 the HTTP server', () => {
  const MOST = 10;

  const warnings: object[] = [];
  const server = createHttpServer(
    (req, res) => void res.end(String(req.rawHeaders.length / 2)),
    serverSettings({ maxConnections: MOST, connectionsPerNetwork: MOST }),
    { warn: (entry: object) => void warnings.push(entry) },
  );
  let port: number;
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    port = (server.address() as { port: number }).port;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const ask = (headers: string) =>
    sendRaw(`http://127.0.0.1:${port}`, `GET / HTTP/1.1\r\nHost: a\r\n${headers}Connection: close\r\n\r\n`);

  it('closes connections beyond the most at once, says so in one line, and serves again when there is room', async () => {
    const open: Socket[] = [];
    for (let count = 0; count < MOST; count += 1) {
      const socket = connect(port, '127.0.0.1');
      open.push(socket);
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      await once(socket, 'data');
    }
    for (let count = 0; count < 5; count += 1) {
      const beyond = connect(port, '127.0.0.1').on('error', () => {});
      let answer = '';
      beyond.on('data', (chunk) => {
        answer += chunk;
      });
      await new Promise((resolve) => beyond.once('close', resolve));
      expect(answer).toBe('');
    }
    expect(warnings).toEqual([{ dropped: 1, maxConnections: MOST }]);
    for (const socket of open) {
      const closed = once(socket, 'close');
      socket.end();
      await closed;
    }
    expect((await ask('')).status).toBe(200);
  });

  it('leaves out no header, however many there are: a proxy may add its own at the end', async () => {
    const many = 'a:\r\n'.repeat(4000);
    expect((await ask(`${many}X-Forwarded-For: 192.0.2.1\r\n`)).body).toBe('4003');
  });

  it('takes a request of 8 KiB with cookies of the same size, and refuses more than 24 KiB', async () => {
    expect((await ask(`Cookie: ${'c'.repeat(8192)}\r\nX: ${'s'.repeat(8192)}\r\n`)).status).toBe(200);
    expect((await ask(`Cookie: ${'c'.repeat(8192)}\r\nX: ${'s'.repeat(17_000)}\r\n`)).status).toBe(431);
  });

  it.each([
    ['an expectation that nobody knows', 'Expect: a-miracle\r\n', 200],
    ['two lengths', 'Content-Length: 1\r\nContent-Length: 2\r\n', 400],
    ['a length and chunks', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n', 400],
    ['chunks twice', 'Transfer-Encoding: chunked, chunked\r\n', 400],
    ['a folded header', 'X: a\r\n b\r\n', 400],
    ['a bare line feed', 'X: a\nY: b\r\n', 400],
    ['a blank before the colon', 'Content-Length : 1\r\n', 400],
  ])('%s', async (_what, headers, status) => {
    const answer = await ask(headers);
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('operations: what a start opened is closed again', () => {
  it('closes the parts in the opposite order, waits for each, and goes on after one that fails', async () => {
    const closed: string[] = [];
    const opened = await openWithClosers(async (closers) => {
      closers.add(() => closed.push('database'));
      closers.add(() => Promise.reject(new Error('queue')));
      closers.add(async () => {
        await new Promise(setImmediate);
        closed.push('timer');
      });
      return { close: closers.close };
    });
    await expect(opened.close()).rejects.toThrow('queue');
    expect(closed).toEqual(['timer', 'database']);
  });

  it('closes what was open when the start fails, and reports the failure of the start', async () => {
    const closed: string[] = [];
    const start = openWithClosers(async (closers) => {
      closers.add(() => closed.push('database'));
      closers.add(() => Promise.reject(new Error('queue')));
      throw new Error('no keys');
    });
    await expect(start).rejects.toThrow('no keys');
    expect(closed).toEqual(['database']);
  });
});
