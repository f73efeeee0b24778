// Stands for the reverse proxy of an installation: ends TLS for connect.example.org in front of the page's service.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export const PUBLIC_HOST = 'connect.example.org';

export interface Front {
  port: number;
  /** Answers come from this port of 127.0.0.1 from now on. */
  target(port: number): void;
  close(): void;
}

/** Makes `fullchain.pem` and `key.pem` in the folder, for the public host. */
export function makeCertificate(folder: string): void {
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'fullchain.pem')];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '90'];
  const name = ['-subj', `/CN=${PUBLIC_HOST}`, '-addext', `subjectAltName=DNS:${PUBLIC_HOST}`];
  execFileSync('openssl', ['req', '-x509', ...key, ...name, ...files], { stdio: 'ignore' });
}

export async function openFront(folder: string): Promise<Front> {
  let port = 0;
  const [cert, key] = ['fullchain.pem', 'key.pem'].map((name) => readFileSync(join(folder, name)));
  const server = createServer({ cert, key }, (incoming, outgoing) => {
    const headers = { ...incoming.headers, 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.7' };
    const onward = request(
      { host: '127.0.0.1', port, method: incoming.method, path: incoming.url, headers, agent: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(onward);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
  return {
    port: (server.address() as AddressInfo).port,
    target: (next) => {
      port = next;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
