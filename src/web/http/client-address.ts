// The network address from which a request comes. `server/app.ts` sets how many proxies are trusted
// (`proxies`), and `server/middleware/check-host.ts` cleans the header in which they name it.

import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';

/** Network address of the client. Behind trusted proxies, Express reads it from their headers. */
export function clientAddress(req: IncomingMessage): string {
  return (req as Request).ip ?? '';
}
