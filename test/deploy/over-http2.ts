// `fetch` over HTTP/2 with TLS, by node:http2: for a proxy at a loopback port, whatever host the address names.

import { connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:tls';

/** The client's own address, another one than that of proxies and service. */
export const CLIENT = '127.0.0.2';

type Init = { method?: string; body?: unknown; headers?: HeadersInit };

export interface OverHttp2 {
  fetch(address: string | URL, init?: Init): Promise<Response>;
  close(): void;
}

/** One connection that trusts `certificate` alone. */
export async function overHttp2(port: number, certificate: Buffer, host: string): Promise<OverHttp2> {
  const options = { host: '127.0.0.1', port, localAddress: CLIENT, servername: host, ca: certificate };
  const socket = connect({ ...options, ALPNProtocols: ['h2'] });
  await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  if (socket.alpnProtocol !== 'h2') throw new Error(`ALPN gave ${socket.alpnProtocol}`);
  const session = connectHttp2(`https://${host}`, { createConnection: () => socket });
  session.on('error', () => {});
  return {
    fetch: (address, { method = 'GET', body, headers } = {}) =>
      new Promise((resolve, reject) => {
        const { pathname, search } = new URL(address);
        const form = body instanceof URLSearchParams && { 'content-type': 'application/x-www-form-urlencoded' };
        const given = Object.fromEntries(new Headers(headers));
        const stream = session.request({ ...form, ...given, ':method': method, ':path': pathname + search });
        stream.once('error', reject);
        stream.once('response', async (received) => {
          const kept = new Headers();
          for (const [name, value] of Object.entries(received)) {
            if (!name.startsWith(':')) for (const one of [value].flat()) kept.append(name, String(one));
          }
          const chunks: Buffer[] = [];
          try {
            for await (const chunk of stream) chunks.push(chunk as Buffer);
          } catch (error) {
            return reject(error);
          }
          const status = Number(received[constants.HTTP2_HEADER_STATUS]);
          const bare = [204, 205, 304].includes(status);
          resolve(new Response(bare ? null : Buffer.concat(chunks), { status, headers: kept }));
        });
        stream.end(body === undefined || body === null ? undefined : String(body));
      }),
    close: () => session.destroy(),
  };
}
