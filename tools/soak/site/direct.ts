// Asks one instance past the proxy, as the proxy does: for what both of them must know.

import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { HOST } from '#support/deploy/proxies.ts';

/** A GET without body, or a form that is posted. */
export function directRequest(
  port: number,
  path: string,
  { form, headers = {} }: { form?: URLSearchParams; headers?: Record<string, string> } = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const forwarded = {
      host: HOST,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': HOST,
      'x-forwarded-for': '127.9.9.9',
    };
    const posted = form && { 'content-type': 'application/x-www-form-urlencoded', 'content-length': `${form}`.length };
    const call = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: form ? 'POST' : 'GET',
        headers: { ...forwarded, ...posted, ...headers, connection: 'close' },
        signal: AbortSignal.timeout(30_000),
      },
      (answer) => {
        text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
      },
    );
    call.once('error', reject).end(form && String(form));
  });
}
