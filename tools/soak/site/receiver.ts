// The application's address for logout tokens (OpenID Connect Back-Channel Logout 1.0), over https, as production demands.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface Receiver {
  url: string;
  /** Resolves with the logout token of a session; rejects when none has come within the time. */
  tokenOf(sid: string, milliseconds: number): Promise<string>;
  close(): Promise<void>;
}

/** @param folder with `fullchain.pem` and `key.pem` */
export async function startReceiver(folder: string): Promise<Receiver> {
  const [cert, key] = ['fullchain.pem', 'key.pem'].map((name) => readFileSync(join(folder, name)));
  const waiting = new Map<string, (token: string) => void>();
  const server = createServer({ cert, key }, async (req, res) => {
    const token = new URLSearchParams(await text(req)).get('logout_token') ?? '';
    res.writeHead(200).end();
    const { sid = '' } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}');
    // Sessions that nobody asks about end, too: at the limit of their life.
    waiting.get(sid)?.(token);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/logout-token`,
    tokenOf: (sid, milliseconds) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.delete(sid);
          reject(new Error(`no logout token came within ${milliseconds / 1000} s`));
        }, milliseconds);
        waiting.set(sid, (token) => {
          clearTimeout(late);
          waiting.delete(sid);
          resolve(token);
        });
      }),
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
