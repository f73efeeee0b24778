// Says where a request comes from. Which proxies are believed (`proxies`): `server/middleware/check-host.ts`.

import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';

/** Network address of the client. Express has taken it from the trusted proxies in front, where there are some. */
export function clientAddress(req: IncomingMessage): string {
  return (req as Request).ip ?? '';
}
