// Two real PostgreSQL servers of a test's own: a primary, and a replica that follows it by streaming and can be promoted.

import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { newServerFolder } from './postgres.ts';

const run = promisify(execFile);

interface PostgresServer {
  port: number;
  start(): Promise<void>;
  /** `immediate` is a crash: nothing is said to clients or written back. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
}

export interface ReplicatedPostgres {
  /** Names both hosts. */
  url: string;
  primary: PostgresServer;
  replica: PostgresServer & { promote(): Promise<void> };
  remove(): Promise<void>;
}

const SETTINGS = `listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
`;

/** A commit is acknowledged once the replica has it, so that nothing is lost with the primary. */
const ACKNOWLEDGED = `synchronous_standby_names = '*'\n`;

/** The role and the database `hygie` are there. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const { folder, bin, account, remove } = newServerFolder();
  const call = (program: string, args: readonly string[]) =>
    run(join(bin, program), [...args], { cwd: folder, ...account });
  const server = async (name: string) => {
    const port = await freePort();
    const data = join(folder, name);
    const control = (args: readonly string[]) =>
      call('pg_ctl', ['-D', data, '-l', join(folder, `${name}.log`), '-w', ...args]);
    return {
      port,
      data,
      start: async () => void (await control(['start'])),
      stop: async (mode: string) => void (await control(['stop', '-m', mode])),
      promote: async () => void (await control(['promote'])),
    };
  };
  const primary = await server('primary');
  const replica = await server('replica');
  await call('initdb', ['-D', primary.data, '-U', 'hygie', '--auth=trust', '--no-sync', '--locale=C']);
  appendFileSync(join(primary.data, 'postgresql.conf'), SETTINGS);
  // Both have the state of a primary that has never run; its copy follows from there.
  cpSync(primary.data, replica.data, { recursive: true });
  appendFileSync(join(primary.data, 'postgresql.conf'), `port = ${primary.port}\n${ACKNOWLEDGED}`);
  appendFileSync(
    join(replica.data, 'postgresql.conf'),
    `port = ${replica.port}\nprimary_conninfo = 'host=127.0.0.1 port=${primary.port} user=hygie'\n`,
  );
  writeFileSync(join(replica.data, 'standby.signal'), '');
  if (account.uid !== undefined) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, folder]);
  await primary.start();
  await replica.start();
  return {
    url: `postgres://hygie@127.0.0.1:${primary.port},127.0.0.1:${replica.port}/postgres`,
    primary,
    replica,
    remove: async () => {
      for (const one of [primary, replica]) await one.stop('immediate').catch(() => {});
      remove();
    },
  };
}
