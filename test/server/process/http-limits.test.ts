// SEC-44: what the HTTP server lets one client take: connections, time and bytes of a head.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHttpServer } from '#server/process/http-server.ts';
import { sendRaw } from '#support/raw-request.ts';

const MOST = 10;

const warnings: object[] = [];
const server = createHttpServer(
  (req, res) => void res.end(String(req.rawHeaders.length / 2)),
  {
    issuer: 'https://connect.example',
    hsts: { maxAge: 1, includeSubDomains: false },
    proxies: 0,
    listen: { maxConnections: MOST, connectionsPerNetwork: MOST, keepAlive: 65 },
  },
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

describe('SEC-44 the HTTP server', () => {
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

  it('waits neither for a head, nor for a body, nor for a reader without end', () => {
    const { headersTimeout, requestTimeout, timeout, keepAliveTimeout } = server;
    for (const time of [headersTimeout, requestTimeout, timeout, keepAliveTimeout]) {
      expect(time).toBeGreaterThan(0);
      expect(time).toBeLessThanOrEqual(120_000);
    }
    expect(headersTimeout).toBeLessThan(requestTimeout);
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
