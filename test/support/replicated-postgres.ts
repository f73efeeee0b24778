// Two real PostgreSQL servers of a test's own: a primary, and a replica that follows it by streaming and can be promoted. What was the primary can
// become a replica of the new one.

import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { newServerFolder } from './postgres.ts';

const run = promisify(execFile);

export interface PostgresServer {
  port: number;
  start(): Promise<void>;
  /** `immediate` is a crash: nothing is said to clients or written back. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  promote(): Promise<void>;
  /** Makes the stopped server a replica that begins with a copy of the running primary, and starts it. */
  follow(primary: PostgresServer): Promise<void>;
  /** One statement, at the server's own port. */
  sql(statement: string): Promise<Record<string, unknown>[]>;
}

export interface ReplicatedPostgres {
  /** Names both hosts. */
  url: string;
  primary: PostgresServer;
  replica: PostgresServer;
  remove(): Promise<void>;
}

interface Choices {
  /** A commit is acknowledged once the replica has it, so that nothing is lost with the primary. */
  synchronous?: boolean;
  /** The port at which a replica finds its primary: its own by default. */
  replication?: (primary: number) => number;
}

const SETTINGS = `listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
wal_keep_size = 64MB
`;

/** The role and the database `hygie` are there. */
export async function startReplicatedPostgres({
  synchronous = true,
  replication = (port) => port,
}: Choices = {}): Promise<ReplicatedPostgres> {
  const { folder, bin, account, remove } = newServerFolder();
  const call = (program: string, args: readonly string[]) =>
    run(join(bin, program), [...args], { cwd: folder, ...account });
  const own = (path: string) => {
    if (account.uid !== undefined) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, path]);
  };
  const dataOf = (port: number) => join(folder, String(port));
  /** Says at which port it listens, and that it is a replica of a primary. */
  const configure = (port: number, primary?: number) => {
    const following =
      primary === undefined
        ? []
        : [`primary_conninfo = 'host=127.0.0.1 port=${replication(primary)} user=hygie application_name=replica'`];
    const lines = [`port = ${port}`, `synchronous_standby_names = ''`, ...following, ''];
    // This file beats postgresql.conf, which a copy has from its primary.
    writeFileSync(join(dataOf(port), 'postgresql.auto.conf'), lines.join('\n'), { mode: 0o600 });
    if (primary !== undefined) writeFileSync(join(dataOf(port), 'standby.signal'), '');
    chmodSync(dataOf(port), 0o700);
    own(dataOf(port));
  };
  const server = async (): Promise<PostgresServer> => {
    const port = await freePort();
    const data = dataOf(port);
    const control = async (...args: string[]) =>
      void (await call('pg_ctl', ['-D', data, '-l', `${data}.log`, '-w', ...args]));
    const made: PostgresServer = {
      port,
      start: () => control('start'),
      stop: (mode) => control('stop', '-m', mode),
      promote: () => control('promote'),
      sql: (statement) =>
        withClient(port, async (client) => (await client.query<Record<string, unknown>>(statement)).rows),
      follow: async (primary) => {
        await withClient(primary.port, async (client) => {
          await client.query(`select pg_backup_start('copy', true)`);
          rmSync(data, { recursive: true, force: true });
          mkdirSync(data, { mode: 0o700 });
          // Files come and go meanwhile; the log of transactions, from which the copy recovers, is streamed.
          const left = ['pg_wal', 'postmaster.pid', 'postmaster.opts', 'pg_replslot'];
          const files = `cd ${dataOf(primary.port)} && tar -c ${left.map((name) => `--exclude=./${name}`).join(' ')} . | tar -x -C ${data}`;
          await run('sh', ['-c', files]).catch(() => {});
          for (const name of ['pg_wal', 'pg_wal/archive_status', 'pg_wal/summaries', 'pg_replslot'])
            mkdirSync(join(data, name));
          const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
          writeFileSync(join(data, 'backup_label'), rows[0]?.labelfile ?? '');
        });
        configure(port, primary.port);
        await control('start');
      },
    };
    return made;
  };
  const [primary, replica] = [await server(), await server()];
  await call('initdb', ['-D', dataOf(primary.port), '-U', 'hygie', '--auth=trust', '--no-sync', '--locale=C']);
  appendFileSync(join(dataOf(primary.port), 'postgresql.conf'), SETTINGS);
  // Both have the state of a primary that has never run; its copy follows from there.
  cpSync(dataOf(primary.port), dataOf(replica.port), { recursive: true });
  configure(primary.port);
  configure(replica.port, primary.port);
  const removeAll = async () => {
    for (const one of [primary, replica]) await one.stop('immediate').catch(() => {});
    remove();
  };
  try {
    for (const one of [primary, replica]) await one.start();
    if (synchronous) await acknowledgeAfterReplica(primary, true);
  } catch (error) {
    await removeAll();
    throw error;
  }
  return {
    url: `postgres://hygie@127.0.0.1:${primary.port},127.0.0.1:${replica.port}/postgres`,
    primary,
    replica,
    remove: removeAll,
  };
}

/** Whether a primary acknowledges a commit only when its replica has it. */
export async function acknowledgeAfterReplica(primary: PostgresServer, yes: boolean): Promise<void> {
  await primary.sql(`alter system set synchronous_standby_names = '${yes ? '*' : ''}'`);
  await primary.sql('select pg_reload_conf()');
}

async function withClient<Result>(port: number, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: `postgres://hygie@127.0.0.1:${port}/postgres` });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
