// Owns which network address a request comes from. Does not own what is made of it.

import type { IncomingMessage } from 'node:http';

/**
 * The address of the client: behind `proxies` trusted reverse proxies, the one that the outermost of them saw
 * (X-Forwarded-For; what stands before it was sent by the client itself and is not believed). As Express's `req.ip`.
 */
export function addressOf({ headers, socket }: IncomingMessage, proxies: number): string {
  const forwarded = proxies > 0 ? headers['x-forwarded-for'] : undefined;
  const seen = String(forwarded ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean);
  return seen.at(-proxies) ?? seen[0] ?? socket.remoteAddress ?? '';
}
