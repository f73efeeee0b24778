// The HTTP server at the lowest level: a request that cannot be read is answered with a remedy (SEC-44), and no connection that waits is
// reset at the end.

import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { createHttpServer } from '#server/process/http-server.ts';
import '#support/seed.ts';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { withGracefulEnd } from '#server/process/end-http-server.ts';
import { anyText } from '#support/any-text.ts';
import { serverSettings } from './server-settings.ts';

describe('a request that cannot be read', () => {
  const TEXT = 'seen';
  /** In the place of a piece: the next one is sent when an answer has begun. */
  const WHEN_ANSWERED = '';
  let port: number;
  const server = createHttpServer(
    async (req, res) => {
      if (req.url === '/slow') await wait(20);
      if (req.url !== '/half') return res.end(TEXT);
      res.writeHead(200, { 'Content-Length': '100' }).write(TEXT);
    },
    serverSettings(),
    { warn: () => {} },
  );
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    port = (server.address() as { port: number }).port;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  interface WireAnswer {
    status: number;
    headers: Record<string, string>;
    body: string;
  }

  /** Sends bytes, in pieces, and takes all that comes until the server closes, or nothing more comes. */
  async function send(...pieces: (string | Uint8Array)[]): Promise<WireAnswer[]> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {});
    await once(socket, 'connect');
    for (const piece of pieces) {
      if (pieces.length > 1) await new Promise((resolve) => setImmediate(resolve));
      if (piece === WHEN_ANSWERED) while (chunks.length === 0) await wait(1);
      else if (socket.writable) socket.write(piece);
    }
    // What is a whole request for nobody ends here.
    socket.end();
    if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
    return answersIn(Buffer.concat(chunks).toString('latin1'));
  }

  /** Every byte must belong to an answer. */
  function answersIn(text: string): WireAnswer[] {
    if (text === '') return [];
    const [, status, head = ''] =
      /^HTTP\/1\.1 (\d{3}) [A-Za-z -]+\r\n((?:[A-Za-z-]+: [^\r\n]*\r\n)+)\r\n/.exec(text) ?? [];
    if (status === undefined) throw new Error(`no answer: ${text.slice(0, 200)}`);
    const lines = head.trimEnd().split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line): [string, string] => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
    );
    const start = text.indexOf('\r\n\r\n') + 4;
    // Node's own refusal of a request without Host is an empty chunk; an answer without a length ends with the connection.
    const length = headers['transfer-encoding'] === 'chunked' ? '0\r\n\r\n'.length : headers['content-length'];
    const end = length === undefined ? text.length : start + Number(length);
    return [{ status: Number(status), headers, body: text.slice(start, end) }, ...answersIn(text.slice(end))];
  }

  it.each([
    ['a raw é', Buffer.from('GET /directory/v2/Practitioner?qualification=Médecin HTTP/1.1\r\nHost: a\r\n\r\n')],
    ['a raw é in Latin-1', Buffer.from('GET /directory/v2/Practitioner?name=é HTTP/1.1\r\nHost: a\r\n\r\n', 'latin1')],
    ['a blank', 'GET /directory/v2/Practitioner?name=le goff HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['no HTTP', 'rubbish\r\n\r\n'],
  ])('%s: 400, how to write it, and the security headers', async (_what, bytes) => {
    const [answer, ...more] = await send(bytes);
    expect([answer?.status, answer?.headers['connection'], more]).toEqual([400, 'close', []]);
    expect(Buffer.from(answer?.body ?? '', 'latin1').toString()).toMatch(
      /write é as %C3%A9 .*, or use curl -G --data-urlencode\n$/,
    );
    expect(answer?.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'strict-transport-security': expect.any(String),
    });
  });

  it('SEC-44 nothing that is slow keeps a connection for long, and no header is dropped', () => {
    const { headersTimeout, requestTimeout, keepAliveTimeout, timeout, maxHeadersCount, maxConnections } = server;
    const times = { headersTimeout, requestTimeout, keepAliveTimeout, timeout };
    expect(times).toEqual({
      headersTimeout: 15_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 65_000,
      timeout: 120_000,
    });
    expect([maxHeadersCount, maxConnections]).toEqual([0, 1000]);
    expect(server).toMatchObject({ dropMaxConnection: true });
  });

  it('431 for headers and addresses that are too long, however they arrive', async () => {
    const long = `GET /directory/v2/Practitioner?name=${'a'.repeat(300_000)} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const [answer] = await send(long);
    expect([answer?.status, answer?.body]).toEqual([431, expect.stringContaining('24 KiB')]);
    const [slow] = await send(
      'GET / HTTP/1.1\r\nHost: a\r\n',
      ...Array.from('abcde', (x) => `${x}: ${x.repeat(9000)}\r\n`),
    );
    expect(slow?.status).toBe(431);
  });

  it('nothing is written into an answer that has begun', async () => {
    const bad = Buffer.from('GET /directory/v2?é HTTP/1.1\r\nHost: a\r\n\r\n');
    const [half, ...more] = await send('GET /half HTTP/1.1\r\nHost: a\r\n\r\n', WHEN_ANSWERED, bad);
    expect([half?.status, half?.body, more]).toEqual([200, TEXT, []]);
  });

  it('SEC-44 whatever the bytes: answers that are well-formed, and a server that goes on', async () => {
    const whole =
      'GET /slow HTTP/1.1\r\nHost: a\r\n\r\nPOST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n';
    const damaged = fc
      .tuple(fc.nat({ max: whole.length }), fc.nat({ max: 3 }), fc.uint8Array({ maxLength: 6 }))
      .map(([at, cut, bytes]) =>
        Buffer.concat([Buffer.from(whole.slice(0, at)), bytes, Buffer.from(whole.slice(at + cut))]),
      );
    const line = fc
      .tuple(fc.constantFrom('GET', 'POST', 'CONNECT', 'get', ''), anyText({ maxLength: 30 }))
      .map(([method, target]) => Buffer.from(`${method} /directory/v2${target} HTTP/1.1\r\nHost: a\r\n\r\n`));
    const bytes = fc.oneof(damaged, line, fc.uint8Array({ minLength: 1, maxLength: 60 }));
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.array(bytes, { minLength: 1, maxLength: 3 }), async (pieces) => {
        for (const { status, body } of await send(...pieces)) {
          statuses.add(status);
          if (status === 200) expect(body === '' || body === TEXT).toBe(true);
        }
      }),
      { numRuns: 200, examples: [[[Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n')]]] },
    );
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400]));
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe(TEXT);
  });
});

// The moment in which a server stops listening. What waits to be accepted or read then would be reset, and the system
// tells neither client nor server; so connections are made to wait, and each has to be answered.
describe('the end of an HTTP server', () => {
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

  /** A connection that never sent anything, and one whose first answer has begun. */
  async function silentAndBegun(): Promise<[Socket, Socket]> {
    const silent = connect(port, '127.0.0.1');
    await Promise.all([once(silent, 'connect'), once(ending.server, 'connection')]);
    const begun = connect(port, '127.0.0.1');
    begun.write(POST.replace('/', '/begun'));
    await once(begun, 'data');
    return [silent, begun];
  }

  /** What comes on a connection that stays silent. Once the server has stopped listening, its clock is twenty times as fast. */
  async function textOfSilent(socket: Socket): Promise<string> {
    const [now, began] = [performance.now.bind(performance), performance.now()];
    const ahead = () => (ending.server.listening ? 0 : 20 * (now() - began));
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead());
    return text(socket).finally(() => clock.mockRestore());
  }

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
    const [silent, begun] = await silentAndBegun();
    const ended = ending.end(Promise.resolve(), 60);
    expect(await textOfSilent(silent)).toBe('');
    for (const answer of waiting) answer();
    expect(await text(begun)).toMatch(/0\r\n\r\n$/);
    await ended;
    expect(warnings).toEqual([]);
  });

  it('answers what comes on a connection whose first answer was begun before, until that is finished', async () => {
    const [silent, begun] = await silentAndBegun();
    const ended = ending.end(Promise.resolve(), 60);
    // From now on nothing is closed but what is idle.
    expect(await textOfSilent(silent)).toBe('');
    begun.write(POST);
    const answers = text(begun);
    await once(ending.server, 'request');
    for (const answer of waiting) answer();
    expect(await answers).toMatch(/0\r\n\r\nHTTP\/1\.1 200 [\s\S]*Connection: close/i);
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

describe('SEC-51 a server with a certificate', () => {
  it('answers who speaks plain http below TLS, and only hangs up on other bad handshakes', async () => {
    const served: unknown[] = [];
    const certificate = { current: () => ({}), serve: (one: unknown) => void served.push(one) };
    const server = createHttpServer(() => {}, serverSettings(), { warn: () => {} }, certificate as never);
    // Node's own listener would wait for a connection that never becomes secure.
    expect([served, server.listenerCount('tlsClientError')]).toEqual([[server], 1]);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const say = async (words: string) => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      socket.write(words);
      return text(socket);
    };
    const plain = await say('GET / HTTP/1.1\r\nHost: connect.example\r\n\r\n');
    expect(plain).toMatch(/^HTTP\/1\.1 400 /);
    // There is no HSTS in plain http (RFC 6797 section 7.2).
    expect(plain).not.toMatch(/strict-transport-security/i);
    // A whole record, whose message would be too long.
    expect(await say('\u0016\u0003\u0001\u0000\u0004nono')).not.toContain('HTTP');
    server.close();
  });
});
