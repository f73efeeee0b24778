// A server of every odd answer that a client's address may give, for `outbound-fetch.test.ts` and
// `backchannel-sender.test.ts`: the path of the request names the answer. Written to the bare connection, because a proper
// HTTP server would not give most of them.

import { type AddressInfo, createServer, type Socket } from 'node:net';

/** What comes of an answer: its status, or the reported reason. */
export type Outcome = number | RegExp;

interface Answer {
  outcome: Outcome;
  /** In Latin-1; a function takes the connection over. */
  send: string | ((socket: Socket) => void);
  /** The connection stays open after it. */
  open?: true;
}

const head = (status: string, ...fields: string[]) =>
  `HTTP/1.1 ${status}\r\n${fields.map((f) => `${f}\r\n`).join('')}\r\n`;
const whole = (status: string, body: string, ...fields: string[]) =>
  `${head(status, `Content-Length: ${Buffer.byteLength(body)}`, ...fields)}${body}`;
const endless = (socket: Socket, piece: string) => {
  const more = () => {
    while (!socket.destroyed && socket.write(piece.repeat(Math.ceil(65_536 / piece.length)))) {}
  };
  socket.on('drain', more);
  more();
};

const BROKEN_OFF = /aborted|premature|hang up|ECONNRESET|EPIPE|terminated|without an answer/i;
const NO_HTTP = /parse error|HPE_/i;
const NO_STATUS = /no status of an answer|parse error/i;
const LATE = /timeout/i;

export const ANSWERS: Readonly<Record<string, Answer>> = {
  'nothing in the body': { outcome: 200, send: head('200 OK', 'Content-Length: 0') },
  'a body': { outcome: 200, send: whole('200 OK', 'OK') },
  'a body in chunks': {
    outcome: 200,
    send: `${head('200 OK', 'Transfer-Encoding: chunked')}2\r\nOK\r\n0\r\n\r\n`,
  },
  'a body that ends with the connection': { outcome: 200, send: `${head('200 OK')}OK` },
  'a body and a connection that is kept': {
    outcome: 200,
    send: whole('200 OK', 'OK', 'Connection: keep-alive'),
    open: true,
  },
  'an answer of HTTP 1.0': { outcome: 200, send: 'HTTP/1.0 200 OK\r\n\r\nOK' },
  'a body that is no gzip': { outcome: 200, send: whole('200 OK', 'OK', 'Content-Encoding: gzip') },
  'a page': { outcome: 200, send: whole('200 OK', `<p>${'x'.repeat(20_000)}</p>`, 'Content-Type: text/html') },
  'fields outside of ASCII': { outcome: 200, send: whole('200 Tr\xe8s bien', 'OK', 'X-Name: \xe9\xff') },
  'the same fields twice': { outcome: 200, send: whole('200 OK', 'OK', 'Set-Cookie: a=1', 'Set-Cookie: b=2') },
  '100 before 200': { outcome: 200, send: head('100 Continue') + whole('200 OK', 'OK') },
  '103 before 200': { outcome: 200, send: head('103 Early Hints', 'Link: </a>; rel=preload') + whole('200 OK', 'OK') },
  'more after its end': { outcome: 200, send: `${whole('200 OK', 'OK')}more` },
  '201 with JSON': { outcome: 201, send: whole('201 Created', '{}', 'Content-Type: application/json') },
  '202': { outcome: 202, send: whole('202 Accepted', 'later') },
  '204': { outcome: 204, send: head('204 No Content') },
  '204 and a kept connection': { outcome: 204, send: head('204 No Content'), open: true },
  '204 with a body': { outcome: 204, send: whole('204 No Content', 'not empty') },
  '205 with a body': { outcome: 205, send: whole('205 Reset Content', 'not empty') },
  '299': { outcome: 299, send: whole('299 Odd', 'odd') },
  '302 elsewhere': { outcome: 302, send: whole('302 Found', 'there', 'Location: http://127.0.0.1:9/') },
  '304': { outcome: 304, send: head('304 Not Modified') },
  '307 to nowhere': { outcome: 307, send: whole('307 Temporary Redirect', '', 'Location: ::') },
  '400 with JSON': { outcome: 400, send: whole('400 Bad Request', '{"error":"x"}', 'Content-Type: application/json') },
  '401 with a challenge': { outcome: 401, send: whole('401 Unauthorized', 'who?', 'WWW-Authenticate: Basic') },
  '407': { outcome: 407, send: whole('407 Proxy Authentication Required', 'who?') },
  '500 with a page': { outcome: 500, send: whole('500 Oops', '<p>'.repeat(30_000), 'Content-Type: text/html') },
  '599': { outcome: 599, send: whole('599 Odd', 'odd') },
  '600': { outcome: NO_STATUS, send: whole('600 Odd', 'odd') },
  '999': { outcome: NO_STATUS, send: head('999 Request Denied', 'Content-Length: 0') },
  '099': { outcome: NO_STATUS, send: whole('099 Odd', 'odd') },
  '99999': { outcome: NO_HTTP, send: whole('99999 Odd', 'odd') },
  '100 for ever': { outcome: LATE, send: head('100 Continue'), open: true },
  '101 as asked by nobody': {
    outcome: /answered 101/,
    send: `${head('101 Switching Protocols', 'Connection: upgrade', 'Upgrade: x')}abc`,
    open: true,
  },
  '101 without a protocol': { outcome: /answered 101/, send: head('101 Switching Protocols'), open: true },
  '200 with an upgrade': {
    outcome: 200,
    send: whole('200 OK', 'OK', 'Connection: upgrade', 'Upgrade: x'),
  },
  'half of the length': { outcome: BROKEN_OFF, send: `${head('200 OK', 'Content-Length: 9')}OK` },
  'two lengths': { outcome: NO_HTTP, send: head('200 OK', 'Content-Length: 2', 'Content-Length: 3') },
  'a length and chunks': {
    outcome: NO_HTTP,
    send: `${head('200 OK', 'Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
  },
  'no length at all': { outcome: NO_HTTP, send: head('200 OK', 'Content-Length: many') },
  'a broken chunk': { outcome: NO_HTTP, send: `${head('200 OK', 'Transfer-Encoding: chunked')}zz\r\nOK` },
  'half of the chunks': { outcome: BROKEN_OFF, send: `${head('200 OK', 'Transfer-Encoding: chunked')}2\r\nOK\r\n` },
  'control characters': { outcome: NO_HTTP, send: head('200 OK', 'X: \x01\x00') },
  'fields without end': {
    outcome: /overflow|parse error/i,
    send: (socket) => endless(socket, 'HTTP/1.1 200 OK\r\nX: y\r\n'),
  },
  'half of the fields': { outcome: BROKEN_OFF, send: 'HTTP/1.1 200 OK\r\nContent-' },
  'the end at once': { outcome: BROKEN_OFF, send: '' },
  'a reset at once': { outcome: BROKEN_OFF, send: (socket) => socket.resetAndDestroy() },
  'a reset in its middle': {
    outcome: BROKEN_OFF,
    send: (socket) =>
      void socket.write(`${head('200 OK', 'Content-Length: 99')}OK`, () =>
        setImmediate(() => socket.resetAndDestroy()),
      ),
  },
  'another protocol': { outcome: NO_HTTP, send: '220 mail.example ESMTP\r\n' },
  'a handshake of TLS': { outcome: NO_HTTP, send: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' },
  noise: { outcome: NO_HTTP, send: '\x00\xff\x7f\r\n\r\n\x80' },
  'nothing for ever': { outcome: LATE, send: '', open: true },
  'a body that stays away': { outcome: LATE, send: `${head('200 OK', 'Content-Length: 9')}OK`, open: true },
  'a body of as much as is read': {
    outcome: 200,
    // A function, so that no random answer is made of it.
    send: (socket) => void socket.end(whole('200 OK', 'x'.repeat(2 ** 20))),
  },
  'a body of a byte more': {
    outcome: /more than 1048576 bytes/,
    send: (socket) => void socket.end(whole('200 OK', 'x'.repeat(2 ** 20 + 1))),
  },
  'a body of too much': {
    outcome: /more than 1048576 bytes/,
    send: (socket) => {
      socket.write(head('200 OK'));
      endless(socket, 'x');
    },
  },
  'chunks of too much': {
    outcome: /more than 1048576 bytes/,
    send: (socket) => {
      socket.write(head('500 Oops', 'Transfer-Encoding: chunked'));
      endless(socket, `10\r\n${'x'.repeat(16)}\r\n`);
    },
  },
};

export interface OddServer {
  /** Where that answer is given, for `https:` too: it never speaks TLS. */
  url(answer: string, scheme?: 'http' | 'https'): string;
  /** Requests that came for an answer. */
  asked(answer: string): number;
  /** Connections that are open now. */
  open(): number;
  close(): Promise<void>;
}

/** Listens on the machine itself. */
export async function startOddServer(): Promise<OddServer> {
  const asked = new Map<string, number>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', (request) => {
      const place = / \/(\d+)/.exec(request.toString('latin1'))?.[1];
      const [name, answer] = Object.entries(ANSWERS)[Number(place ?? -1)] ?? [];
      if (!name || !answer) return socket.end('no TLS here\r\n');
      asked.set(name, (asked.get(name) ?? 0) + 1);
      if (typeof answer.send === 'function') return answer.send(socket);
      const bytes = Buffer.from(answer.send, 'latin1');
      return answer.open ? socket.write(bytes) : socket.end(bytes);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: (answer, scheme = 'http') => `${scheme}://127.0.0.1:${port}/${Object.keys(ANSWERS).indexOf(answer)}`,
    asked: (answer) => asked.get(answer) ?? 0,
    open: () => sockets.size,
    close: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  };
}
