// Two instances on a PostgreSQL with a replica, behind HAProxy. While each of these is there, a machine with an empty folder imports a new edition.

import { setTimeout } from 'node:timers/promises';
import { type PgBouncer, pgBouncers, startPgBouncer } from '#support/pgbouncer.ts';
import { acknowledgeAfterReplica } from '#support/replicated-postgres.ts';
import { type Fault, GONE, PAIR } from '#tools/faults/fault.ts';
import type { Pair, Site } from '#tools/faults/site/site.ts';
import { END_OTHERS, type Taken, takeConnections } from './database.ts';

/** What HAProxy does with a request that an instance had when it died: says so, or ends the connection without a word. */
const CUT = new RegExp(`^502 |${GONE.source}`);

const pairOf = ({ pair }: Site): Pair => {
  if (!pair) throw new Error('not two instances');
  return pair;
};

async function inTurn({ pair }: Site, env: Record<string, string> = {}): Promise<void> {
  for (const service of pair ? [pair.one, pair.two] : []) {
    await service.kill('SIGTERM');
    await service.start(env);
  }
}

const later = (site: Site, milliseconds: number) => {
  for (const network of pairOf(site).networks) network.delay = milliseconds;
};

/** The primary crashes; after so many milliseconds its replica takes its place. Both instances find it by `DATABASE_URL`. */
async function failOver(site: Site, after: number): Promise<void> {
  const { servers } = pairOf(site);
  const { primary, replica } = servers;
  await primary.stop('immediate');
  await setTimeout(after);
  await replica.promote();
  Object.assign(servers, { primary: replica, replica: primary });
}

/** What was the primary follows the new one. Its place in `DATABASE_URL` stays. */
async function rebuild(site: Site): Promise<void> {
  const { servers } = pairOf(site);
  await servers.replica.follow(servers.primary);
}

let taken: Taken | undefined;
let bouncer: PgBouncer | undefined;
let lock: { release(): Promise<void> } | undefined;

/** A transaction that keeps everyone from the table of tokens, as a careless migration by hand does. */
async function lockTokens(site: Site): Promise<typeof lock> {
  const { Client } = (await import('pg')).default;
  const client = new Client({ connectionString: (site.database() as { url: string }).url });
  client.on('error', () => {});
  await client.connect();
  await client.query('begin');
  await client.query('lock table oidc_records in access exclusive mode');
  return { release: () => client.end() };
}

const all: Omit<Fault, 'on'>[] = [
  {
    name: 'kill -9 of an instance',
    how: 'SIGKILL of one of two; started again after 5 s',
    seconds: 5,
    may: CUT,
    kills: true,
    ready: 200,
    make: (site) => pairOf(site).one.kill('SIGKILL'),
    mend: (site) => pairOf(site).one.start(),
  },
  {
    name: 'both instances restarted in turn',
    how: 'SIGTERM, start, ready; then the other',
    seconds: 0,
    unnoticed: true,
    make: (site) => inTurn(site),
    mend: () => {},
  },
  {
    name: 'database away for 30 s',
    how: 'both servers refuse connections',
    seconds: 30,
    ready: 503,
    make: (site) => Promise.all(pairOf(site).networks.map((network) => network.cut())),
    mend: (site) => Promise.all(pairOf(site).networks.map((network) => network.open())),
  },
  {
    name: 'database slower by 50 ms',
    how: 'the network is 25 ms late in each direction',
    seconds: 20,
    ready: 200,
    make: (site) => later(site, 25),
    mend: (site) => later(site, 0),
  },
  {
    name: 'no connection free at the server',
    how: 'others take every connection of `max_connections`, those of the service are ended (code 53300)',
    seconds: 8,
    make: async (site) => {
      taken = takeConnections(site);
      await setTimeout(1000);
      await taken.query(`${END_OTHERS} and application_name = 'hygie'`);
    },
    mend: () => taken?.release(),
  },
  {
    name: 'pools of the instances exhausted',
    how: 'a transaction of somebody else locks the table of tokens for 20 s: every connection waits for it',
    seconds: 20,
    make: async (site) => {
      lock = await lockTokens(site);
    },
    mend: () => lock?.release(),
  },
  {
    name: 'PgBouncer restarted',
    how: 'both instances by a PgBouncer in transaction mode, which is ended and started again, twice',
    seconds: 3,
    missing: () => (pgBouncers().length > 0 ? undefined : 'apt-get install pgbouncer'),
    make: async (site) => {
      const { servers, writeDatabase } = pairOf(site);
      const program = pgBouncers().find(({ prepares }) => prepares) ?? pgBouncers()[0];
      if (!program) return;
      const prepared = program.prepares ? { max_prepared_statements: 200 } : {};
      const server = new URL(`postgres://hygie@127.0.0.1:${servers.primary.port}`);
      bouncer = await startPgBouncer(program, { auth_type: 'trust', default_pool_size: 10, ...prepared }, server);
      writeDatabase(program.prepares ? {} : { preparedStatements: false });
      await inTurn(site, { DATABASE_URL: `postgres://hygie@127.0.0.1:${bouncer.port}/postgres` });
      await setTimeout(3000);
      await bouncer.restart();
      await setTimeout(3000);
      await bouncer.restart();
    },
    mend: async (site) => {
      pairOf(site).writeDatabase({});
      await inTurn(site);
      await bouncer?.stop();
    },
  },
  {
    name: 'a fresh instance joins and leaves',
    how: 'a third instance with an empty data folder is started, serves for 10 s, and ends by SIGTERM',
    seconds: 10,
    unnoticed: true,
    ready: 200,
    make: async (site) => {
      pairOf(site).forget();
      await pairOf(site).joining.start();
    },
    mend: async (site) => {
      const { joining, forget } = pairOf(site);
      const served = (joining.logged().match(/"path":"\/(authorize|oauth|userinfo|directory)/g) ?? []).length;
      const code = await joining.kill('SIGTERM');
      forget();
      if (code !== 0 || served === 0) throw new Error(`the third instance served ${served} and ended with ${code}`);
    },
  },
  {
    name: 'the synchronous replica is away',
    how: '`synchronous_standby_names`, the replica is stopped for 10 s: commits wait',
    seconds: 10,
    make: async (site) => {
      const { servers } = pairOf(site);
      await acknowledgeAfterReplica(servers.primary, true);
      await servers.replica.stop('fast');
    },
    mend: async (site) => {
      const { servers } = pairOf(site);
      await servers.replica.start();
      await acknowledgeAfterReplica(servers.primary, false);
    },
  },
  {
    name: 'fail-over, synchronous replication',
    how: '`pg_ctl stop -m immediate` of the primary with `synchronous_standby_names`; 5 s later the replica is promoted',
    seconds: 0,
    make: async (site) => {
      await acknowledgeAfterReplica(pairOf(site).servers.primary, true);
      await setTimeout(3000);
      await failOver(site, 5000);
    },
    mend: () => {},
    check: async (site) => {
      await rebuild(site);
      return [];
    },
  },
  {
    name: 'fail-over, asynchronous replication, half a second behind',
    how: 'the same without `synchronous_standby_names`, while the replica is 500 ms behind',
    seconds: 0,
    forgets: true,
    may: /^(400|401) for |^no form with a button|^sign-in stopped at/,
    make: async (site) => {
      const { replication } = pairOf(site);
      replication.delay = 500;
      await setTimeout(3000);
      await replication.cut();
      await failOver(site, 5000);
    },
    mend: async (site) => {
      const { replication } = pairOf(site);
      replication.delay = 0;
      await replication.open();
    },
    check: async (site) => {
      await rebuild(site);
      return [];
    },
  },
];

export const pairs: Fault[] = all.map((fault) => ({ on: PAIR, ...fault }));
