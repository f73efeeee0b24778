// The moment in which a server stops listening. What waits to be accepted or read then would be reset, and the system
// tells neither client nor server; so connections are made to wait, and each has to be answered.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withGracefulEnd } from '#server/process/graceful-end.ts';

const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab';
const CLOSING = /^HTTP\/1\.1 200 OK\r\n.*\r\nConnection: close\r\n/s;
/** More than the turns of the event loop that a close by chance would take. */
const WAITING = 50;

const warnings: string[] = [];
let ending: ReturnType<typeof withGracefulEnd>;
let port: number;
/** Ends the answers to `/slow`, and those to `/begun`, whose heads were sent. */
let waiting: (() => void)[];
beforeEach(async () => {
  warnings.length = 0;
  waiting = [];
  ending = withGracefulEnd(
    (req, res) => {
      if (req.url === '/begun') res.flushHeaders();
      if (req.url === '/') res.end();
      else waiting.push(() => res.end());
    },
    (app) => createServer({ keepAliveTimeout: 600_000 }, app),
    { warn: (message: unknown) => void warnings.push(String(message)) },
  );
  await once(ending.server.listen(0, '127.0.0.1'), 'listening');
  ({ port } = ending.server.address() as AddressInfo);
});
afterEach(() => ending.server.closeAllConnections());

/** A connection that is idle after its first answer. */
async function idle(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write(POST);
  await once(socket, 'data');
  return socket;
}

describe('the end of an HTTP server', () => {
  it('answers all connections that wait to be accepted when it stops listening', async () => {
    const answers = Array.from({ length: WAITING }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.write(POST);
      return text(socket);
    });
    // The system has taken the connections, and this process none of them.
    await new Promise((resolve) => process.nextTick(resolve));
    const ended = ending.end(Promise.resolve(), 60);
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(CLOSING);
    await ended;
    expect(warnings).toEqual([]);
  });

  it('answers requests that come on idle connections once it takes no new ones, and closes the others', async () => {
    const sockets = await Promise.all(Array.from({ length: 10 }, idle));
    const quiet = await idle();
    const ended = ending.end(Promise.resolve(), 60);
    while (ending.server.listening) await new Promise((resolve) => setImmediate(resolve));
    for (const socket of sockets) socket.write(POST);
    for (const answer of await Promise.all(sockets.map((socket) => text(socket)))) expect(answer).toMatch(CLOSING);
    expect(await text(quiet)).toBe('');
    await ended;
    expect(warnings).toEqual([]);
  });

  it('waits neither for a connection that never sent anything, nor for one that is idle after an answer begun before', async () => {
    const silent = connect(port, '127.0.0.1');
    await Promise.all([once(silent, 'connect'), once(ending.server, 'connection')]);
    const begun = connect(port, '127.0.0.1');
    begun.write(POST.replace('/', '/begun'));
    await once(begun, 'data');
    const ended = ending.end(Promise.resolve(), 60);
    expect(await text(silent)).toBe('');
    for (const answer of waiting) answer();
    expect(await text(begun)).toMatch(/0\r\n\r\n$/);
    await ended;
    expect(warnings).toEqual([]);
  });

  it('cuts off a request that is not answered within `finish`, and says so; not one that is', async () => {
    const [answered, never] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    for (const socket of [answered, never]) socket.write(POST.replace('/', '/slow'));
    while (waiting.length < 2) await once(ending.server, 'request');
    const ended = ending.end(Promise.resolve(), 0.1);
    waiting[0]?.();
    const outcomes = await Promise.allSettled([text(answered), text(never)]);
    await ended;
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled' && CLOSING.test(outcome.value))).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining('cut off')]);
  });
});
