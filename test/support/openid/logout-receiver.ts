// An application's address for logout tokens (OpenID Connect Back-Channel Logout 1.0 section 2.5), as a real receiver.

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface LogoutReceiver {
  url: string;
  /** Forms that arrived, in order. */
  received: URLSearchParams[];
  /** Of the requests, as they arrived. */
  headers: IncomingHttpHeaders[];
  /** What it answers; the next ones the last of them. */
  answers: { status: number; headers?: Record<string, string>; body?: string }[];
  close(): Promise<void>;
}

// As most frameworks answer: a receiver need not leave the body away.
export const TOLD = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'OK' };

/** Listens on a port of the loopback address; the caller closes it. */
export async function startLogoutReceiver(): Promise<LogoutReceiver> {
  const receiver: LogoutReceiver = { url: '', received: [], headers: [], answers: [TOLD], close: async () => {} };
  const server: Server = createServer(async (req, res) => {
    receiver.received.push(new URLSearchParams(await text(req)));
    receiver.headers.push(req.headers);
    const [answer = TOLD] = receiver.answers.length > 1 ? receiver.answers.splice(0, 1) : receiver.answers;
    res.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/logout`;
  receiver.close = () =>
    new Promise((done) => {
      server.closeAllConnections();
      server.close(() => done());
    });
  return receiver;
}
