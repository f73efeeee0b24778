// Requests for an address of the service, sent to a port of this machine: what a balancer in front of it does.

import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** As `fetch`, but for redirects, which are not followed, and with the headers that its callers read. */
export type Send = (
  address: string | URL,
  init?: { method?: string; body?: BodyInit; headers?: Record<string, string> },
) => Promise<Response>;

/** Sends to the port of 127.0.0.1 with the Host of the address, which `fetch` would set itself. */
export function sendTo(port: number): Send {
  return (address, { method = 'GET', body, headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const { pathname, search, host } = new URL(address);
      const form = body && { 'content-type': 'application/x-www-form-urlencoded' };
      const place = { host: '127.0.0.1', port, path: pathname + search, method };
      const sent = request({ ...place, headers: { ...form, ...headers, host } }, (answer) => {
        const { location, 'set-cookie': cookies = [] } = answer.headers;
        const kept = new Headers(location === undefined ? {} : { location });
        for (const cookie of cookies) kept.append('set-cookie', cookie);
        buffer(answer).then(
          (content) => resolve(new Response(content, { status: answer.statusCode ?? 500, headers: kept })),
          reject,
        );
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : String(body));
    });
}
