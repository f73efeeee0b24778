// A client's server on the loopback, for tests that follow a browser from the sign-in pages to a callback.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A client's server: writes down which paths were asked for; `to` sends on. */
export async function openCallbacks() {
  const asked: string[] = [];
  const opened = createServer((req, res) => {
    const url = new URL(req.url ?? '/', 'http://localhost');
    if (url.pathname !== '/favicon.ico') asked.push(url.pathname);
    const to = url.searchParams.get('to');
    if (to) res.writeHead(302, { location: to }).end();
    else res.end('here');
  });
  await new Promise<void>((done) => opened.listen(0, '127.0.0.1', done));
  const { port } = opened.address() as AddressInfo;
  const close = () =>
    new Promise<void>((done) => {
      opened.close(() => done());
      opened.closeAllConnections();
    });
  return { address: `http://127.0.0.1:${port}`, asked, close };
}
