// The network address from which a request comes. `server/app.ts` sets how many proxies are trusted (`proxies`).
// `server/middleware/check-host.ts` cleans the header in which proxies give the address.

import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';

/** Returns the network address of the client. Behind trusted proxies, Express reads it from the headers that they set. */
export function clientAddress(req: IncomingMessage): string {
  return (req as Request).ip ?? '';
}
