// The processes that serve, and what each of them has: its release, its settings, the edition of the directory. From this the service sees
// where its instances differ.

import { present } from '#shared/present.ts';
import { type Database, dateOf, isPostgres } from './database/connection.ts';
import type { Row } from './rows.ts';

/** A process that serves, as it last described itself. */
export interface Instance {
  id: string;
  /** Machine and port, such as `host:3000`. Worker processes of one instance share it. */
  name: string;
  release: string;
  /** Digests of the settings and of the clients; absent if unknown. */
  settings?: string;
  clients?: string;
  /** The snapshot that it serves, and the one that it last saw in force. */
  edition?: string;
  pointer?: string;
  /** Milliseconds by which its clock is ahead of the database's; absent if unknown. */
  clockAhead?: number;
}

/** An instance as others see it. */
export interface SeenInstance extends Instance {
  startedAt: Date;
  seenAt: Date;
}

/** Seconds after which a process that has not reported counts as gone. */
const SEEN_WITHIN = 60;

export function openInstances(database: Database) {
  // The clocks of instances may differ, so the times are the database's.
  const now = database.raw(isPostgres(database) ? 'extract(epoch from clock_timestamp())::bigint' : 'unixepoch()');
  // The difference may have either sign: if the clock of the database was set back, rows may have a time that is later than now.
  const here = () => database<Row<'instances'>>('instances').whereRaw(`abs(seen_at - ?) <= ${SEEN_WITHIN}`, [now]);
  return {
    /** Stores that the process is there, and drops processes that are gone. Call it every few seconds. */
    async seen({ id, name, release, settings, clients, edition, pointer, clockAhead }: Instance): Promise<void> {
      const row = {
        name,
        release,
        settings: settings ?? null,
        clients: clients ?? null,
        edition: edition ?? null,
        pointer: pointer ?? null,
        clock_ahead: clockAhead ?? null,
        seen_at: now,
      };
      await database('instances')
        .insert({ id, ...row, started_at: now })
        .onConflict('id')
        .merge(row);
      await database('instances').whereRaw(`abs(seen_at - ?) > ${SEEN_WITHIN}`, [now]).delete();
    },
    /** Lists the processes that are there, in the order of their names. */
    list: async (): Promise<SeenInstance[]> => (await here().orderBy(['name', 'started_at', 'id'])).map(instanceOf),
    async remove(id: string): Promise<void> {
      await database('instances').where({ id }).delete();
    },
  };
}

/** If an answer takes more milliseconds than this, it says too little about the clock. */
const PROMPT = 2000;

/**
 * Measures by how many milliseconds the clock of this machine is ahead of PostgreSQL's. It assumes that the server read its clock half-way
 * between request and response. Returns undefined if the response took too long, and for SQLite, which has no clock of its own.
 */
export async function measureClock(database: Database): Promise<number | undefined> {
  if (!isPostgres(database)) return undefined;
  const [sentAt, since] = [Date.now(), performance.now()];
  const { rows } = await database.raw('select extract(epoch from clock_timestamp()) * 1000 as now');
  const took = performance.now() - since;
  return took > PROMPT ? undefined : Math.round(sentAt + took / 2 - Number(rows[0].now));
}

/** What instances should have in common. */
export const COMMON = ['release', 'settings', 'clients', 'edition'] as const;

/** Counts the different values of each thing that instances should have in common. */
export function countValues(instances: readonly Instance[]): Record<(typeof COMMON)[number], number> {
  const count = (what: (typeof COMMON)[number]) => new Set(instances.flatMap((instance) => instance[what] ?? [])).size;
  return {
    release: count('release'),
    settings: count('settings'),
    clients: count('clients'),
    edition: count('edition'),
  };
}

/**
 * Milliseconds by which a clock may differ from the database's. Beyond `told`, the operator is told. Beyond `ready`, an instance is not
 * ready: codes and tokens of one instance would be expired or not yet valid at another.
 */
export const CLOCK_LIMITS = { told: 5000, ready: 30_000 } as const;

/** Returns the things of `COMMON` in which the instances differ. `clock` is added if the clock of one is far from the database's. */
export function differencesOf(instances: readonly Instance[]): string[] {
  const values = countValues(instances);
  const isOff = instances.some(({ clockAhead = 0 }) => Math.abs(clockAhead) > CLOCK_LIMITS.told);
  return [...COMMON.filter((what) => values[what] > 1), ...(isOff ? ['clock'] : [])];
}

function instanceOf(row: Row<'instances'>): SeenInstance {
  const { id, name, release, settings, clients, edition, pointer } = row;
  return {
    id,
    name,
    release,
    startedAt: dateOf(row.started_at),
    seenAt: dateOf(row.seen_at),
    ...present({ settings, clients, edition, pointer, clockAhead: row.clock_ahead }),
  };
}
