// The network address from which a request comes. `server/middleware/check-host.ts` sets which proxies are trusted (`proxies`).

import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';

/** Network address of the client. Behind trusted proxies, Express reads it from their headers. */
export function clientAddress(req: IncomingMessage): string {
  return (req as Request).ip ?? '';
}
