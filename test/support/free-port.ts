// A port on which nobody listens. Apart from `postgres.ts`, whose library waits for the end of whatever process loads it.

import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A TCP port of the loopback address that is free at this moment, for a process that will listen there. It is none of those
 * that systems give out by themselves: nobody gets it by chance meanwhile, be it to listen or for an outgoing connection.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!free) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
