// The processes that serve, each with its release, its settings and its snapshot of the directory. The service compares these to find
// differences between its instances.

import { present } from '#shared/present.ts';
import { type Database, dateOf, isPostgres } from './database/connection.ts';
import type { Row } from './rows.ts';

/** A process that serves, with what it last reported about itself. */
export interface Instance {
  id: string;
  /** Machine and port, such as `host:3000`. Worker processes of one instance share it. */
  name: string;
  release: string;
  /** Digests of the settings and of the clients; absent if unknown. */
  settings?: string;
  clients?: string;
  /** The snapshot that the process serves, and the snapshot that was in force when it last looked. */
  edition?: string;
  pointer?: string;
  /** Milliseconds by which the clock of the process is ahead of the database's clock; absent if unknown. */
  clockAhead?: number;
}

/** An instance with the times at which it started and last reported. */
export interface SeenInstance extends Instance {
  startedAt: Date;
  seenAt: Date;
}

/** Seconds without a report after which a process is considered gone. */
const SEEN_WITHIN = 60;

export function openInstances(database: Database) {
  // Times are taken from the clock of the database, because the clocks of instances may differ.
  const now = database.raw(isPostgres(database) ? 'extract(epoch from clock_timestamp())::bigint' : 'unixepoch()');
  // The difference may have either sign: if the clock of the database was set back, rows may have a time in the future.
  const here = () => database<Row<'instances'>>('instances').whereRaw(`abs(seen_at - ?) <= ${SEEN_WITHIN}`, [now]);
  return {
    /** Stores that the process is running, and drops processes that are gone. Call it every few seconds. */
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
    /** Lists the running processes, in the order of their names. */
    list: async (): Promise<SeenInstance[]> => (await here().orderBy(['name', 'started_at', 'id'])).map(instanceOf),
    async remove(id: string): Promise<void> {
      await database('instances').where({ id }).delete();
    },
  };
}

/** Maximum milliseconds that a response may take if the clock is computed from it. From a slower one, the result would be too inexact. */
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

/** Facts that should be the same for all instances. */
export const COMMON = ['release', 'settings', 'clients', 'edition'] as const;
type Common = (typeof COMMON)[number];

/** Counts how many different values the instances have of each fact in `COMMON`. */
export function countValues(instances: readonly Instance[]): Record<Common, number> {
  const count = (what: Common) => new Set(instances.flatMap((instance) => instance[what] ?? [])).size;
  return Object.fromEntries(COMMON.map((what) => [what, count(what)])) as Record<Common, number>;
}

/**
 * Milliseconds by which the clock of an instance may differ from the clock of the database. Beyond `told`, the operator is told. Beyond
 * `ready`, the instance is not ready, because its codes and tokens would be expired, or not yet valid, at another instance.
 */
export const CLOCK_LIMITS = { told: 5000, ready: 30_000 } as const;

/**
 * Returns the names in `COMMON` of which the instances have different values, and `clock` if the clock of any instance is more than
 * `CLOCK_LIMITS.told` from the clock of the database.
 */
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
