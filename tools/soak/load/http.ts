// Requests as a browser or an application sends them to the proxy: kept-alive TLS connections from an address of its own. Every
// request is sent once and never again: what a standard client or the proxy would have to repeat counts as lost.

import { Agent, request } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { HOST } from '#support/deploy/proxies.ts';

type Init = { method?: string; body?: unknown; headers?: HeadersInit };

export interface Browser {
  /** Works like `fetch` without following redirects. Rejects when there is no whole answer within thirty seconds. */
  fetch(address: string | URL, init?: Init): Promise<Response>;
  close(): void;
}

const PATIENCE = 30_000;
/** Milliseconds after which an idle connection is closed. The proxy closes later; that could cut off a request. */
const IDLE = 5000;

/** @param address of the loopback network, 127.x.y.z, that the service sees */
export function createBrowser(proxy: { port: number; ca: Buffer }, address: string): Browser {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 6,
    timeout: IDLE,
    ca: proxy.ca,
    servername: HOST,
    localAddress: address,
  });
  return {
    fetch: (target, { method = 'GET', body, headers } = {}) =>
      new Promise((resolve, reject) => {
        const { pathname, search, host, origin } = new URL(target);
        if (host !== HOST) return reject(new Error(`an address that is not the service's: ${origin}`));
        const text = body === undefined || body === null ? undefined : String(body);
        const sent = {
          ...(body instanceof URLSearchParams && { 'content-type': 'application/x-www-form-urlencoded' }),
          ...Object.fromEntries(new Headers(headers)),
          ...(text !== undefined && { 'content-length': String(Buffer.byteLength(text)) }),
          host,
        };
        const signal = AbortSignal.timeout(PATIENCE);
        const place = { host: '127.0.0.1', port: proxy.port, path: pathname + search, method };
        const call = request({ ...place, agent, headers: sent, signal }, (answer) => {
          const kept = new Headers();
          for (const [name, value] of Object.entries(answer.headersDistinct))
            for (const one of value ?? []) kept.append(name, one);
          const status = answer.statusCode ?? 0;
          const bare = [204, 205, 304].includes(status);
          buffer(answer).then(
            (bytes) => resolve(new Response(bare ? null : bytes, { status, headers: kept })),
            (error: Error) => reject(lost(method, pathname, error)),
          );
        });
        call.once('error', (error) => reject(lost(method, pathname, error)));
        call.end(text);
      }),
    close: () => agent.destroy(),
  };
}

function lost(method: string, path: string, error: NodeJS.ErrnoException): Error {
  return new Error(
    `no answer to ${method} ${path}: ${error.name === 'AbortError' ? 'timeout' : (error.code ?? error.message)}`,
  );
}
