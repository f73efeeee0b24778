// A database that is away, slow, full of connections or read-only.

import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase } from '#store/database/connection.ts';
import { type Fault, POSTGRESQL } from '#tools/faults/fault.ts';
import type { Site } from '#tools/faults/site/site.ts';

async function sql(site: Site, ...statements: string[]): Promise<void> {
  const database = openDatabase(site.database());
  try {
    for (const statement of statements) await database.raw(statement);
  } finally {
    await database.destroy();
  }
}

const nameOf = (site: Site) => new URL(site.environment['DATABASE_URL'] ?? '').pathname.slice(1);
export const END_OTHERS =
  'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = $$client backend$$';

export interface Taken {
  query(statement: string): Promise<unknown>;
  release(): Promise<void>;
}

let taken: Taken | undefined;

/** Takes whatever connection becomes free, until released. */
export function takeConnections(site: Site): Taken {
  const { url } = site.database() as { url: string };
  const clients = new Set<pg.Client>();
  let over = false;
  const take = async () => {
    while (!over) {
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => clients.delete(client));
      await client.connect().then(
        () => clients.add(client),
        () => setTimeout(20),
      );
    }
  };
  const takers = Array.from({ length: 8 }, take);
  return {
    query: async (statement) => [...clients][0]?.query(statement),
    release: async () => {
      over = true;
      await Promise.all(takers);
      await Promise.all([...clients].map((client) => client.end().catch(() => {})));
    },
  };
}

const all: Omit<Fault, 'on'>[] = [
  {
    name: 'database stopped and started',
    how: '`pg_ctl stop -m fast`, 4 s, start',
    ready: 503,
    make: (site) => site.postgres?.stop(),
    mend: (site) => site.postgres?.start(),
    seconds: 4,
  },
  {
    name: 'connections of the database end',
    how: '`pg_terminate_backend` of every connection, as at a restart or a failover',
    make: (site) => sql(site, END_OTHERS),
    mend: () => {},
    seconds: 1,
  },
  {
    name: 'database refuses connections',
    how: 'the relay to PostgreSQL refuses for 4 s',
    ready: 503,
    make: (site) => site.network?.cut(),
    mend: (site) => site.network?.open(),
    seconds: 4,
  },
  {
    name: 'no connection free at the database',
    how: 'others take every connection that `max_connections` gives, those of the service are ended (code 53300)',
    log: /53300|too many clients/,
    make: async (site) => {
      taken = takeConnections(site);
      await setTimeout(1000);
      // One of the takers' own: another connection is not to be had.
      await taken.query(`${END_OTHERS} and application_name = 'hygie'`);
    },
    mend: () => taken?.release(),
    seconds: 5,
  },
  {
    name: 'database hangs',
    how: 'SIGSTOP of all processes of PostgreSQL for 40 s',
    ready: 503,
    make: (site) => site.postgres?.signal('SIGSTOP'),
    mend: (site) => site.postgres?.signal('SIGCONT'),
    seconds: 40,
  },
  {
    name: 'network to the database swallows everything',
    how: 'the relay passes nothing on and closes nothing, for 40 s; then its connections end',
    ready: 503,
    make: (site) => {
      if (site.network) site.network.swallow = true;
    },
    mend: async (site) => {
      if (!site.network) return;
      site.network.swallow = false;
      await site.network.cut();
      await site.network.open();
    },
    seconds: 40,
  },
  {
    name: 'slow database: 100 ms',
    how: 'the relay is 50 ms late in each direction',
    ready: 200,
    make: (site) => delay(site, 50),
    mend: (site) => delay(site, 0),
    seconds: 10,
  },
  {
    name: 'slow database: 1 s',
    how: 'the relay is 500 ms late in each direction',
    ready: 200,
    make: (site) => delay(site, 500),
    mend: (site) => delay(site, 0),
    seconds: 20,
  },
  {
    name: 'database became read-only',
    how: '`default_transaction_read_only = on`, connections end: a failover to a replica',
    ready: 503,
    make: (site) => sql(site, `alter database ${nameOf(site)} set default_transaction_read_only = on`, END_OTHERS),
    mend: (site) =>
      sql(
        site,
        'set default_transaction_read_only = off',
        `alter database ${nameOf(site)} set default_transaction_read_only = off`,
        END_OTHERS,
      ),
    seconds: 4,
  },
];

export const databases: Fault[] = all.map((fault) => ({ on: POSTGRESQL, ...fault }));

function delay({ network }: Site, milliseconds: number): void {
  if (network) network.delay = milliseconds;
}
