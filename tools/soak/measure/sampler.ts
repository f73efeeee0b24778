// Looks every five seconds at what grows when something leaks: memory, handles, connections, rows, files.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Database } from '#store/database/connection.ts';
import { heldBy } from '#tools/site/proc.ts';
import type { Recorder } from '#tools/soak/load/record.ts';
import type { Site } from '#tools/soak/site/site.ts';
import type { Point } from './slope.ts';

/** Points by the name of what is measured. */
export type Series = Map<string, Point[]>;

const EVERY = 5000;
/** Every so many looks, rows and bytes are counted: that costs the database something. */
const COUNTS = 3;

/** Seconds after its end at which a record must be removed: grace, the minute between two rounds, and as much again. */
const REMOVED_WITHIN = 180;

/** Tables with rows that expire or are used up. */
const TABLES = ['oidc_records', 'page_sessions', 'logout_deliveries', 'rate_limits', 'action_tokens'];

export async function sample(site: Site, recorder: Recorder, series: Series, signal: AbortSignal): Promise<void> {
  for (let look = 0; !signal.aborted; look += 1) {
    const note = (name: string, value: number) => {
      const points = series.get(name) ?? [];
      series.set(name, points);
      points.push({ at: recorder.seconds(), value });
    };
    for (const { name, pid } of site.instances) {
      const { memory, descriptors, threads } = heldBy(pid);
      note(`memory of instance ${name} (MB)`, memory);
      note(`file descriptors of instance ${name}`, descriptors);
      note(`threads of instance ${name}`, threads);
    }
    note(
      'connections to PostgreSQL',
      await numberOf(site.database, 'select count(*) as n from pg_stat_activity where datname = current_database()'),
    );
    if (look % COUNTS === 0) {
      for (const table of TABLES)
        note(`rows of ${table}`, Number((await site.database(table).count({ n: '*' }))[0]?.['n'] ?? 0));
      note('rows that should be gone', await overdue(site.database));
      note('database (MB)', (await numberOf(site.database, 'select pg_database_size(current_database()) as n')) / 1e6);
      note(
        'write-ahead log (MB)',
        (await numberOf(site.database, 'select coalesce(sum(size), 0) as n from pg_ls_waldir()')) / 1e6,
      );
      note('data folder (MB)', bytesIn(site.dataFolder) / 1e6);
      note('memory of the soak itself (MB)', process.memoryUsage().rss / 1e6);
    }
    await setTimeout(EVERY, undefined, { signal }).catch(() => {});
  }
}

/** Records that ended longer ago than the clean-up takes. */
function overdue(database: Database): Promise<number> {
  const before = Math.floor(Date.now() / 1000) - REMOVED_WITHIN;
  return numberOf(database, `select count(*) as n from oidc_records where expires_at < ${before}`);
}

async function numberOf(database: Database, sql: string): Promise<number> {
  const { rows } = (await database.raw(sql)) as { rows: { n: string }[] };
  return Number(rows[0]?.n ?? 0);
}

function bytesIn(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    try {
      if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
    } catch {
      // Removed meanwhile.
    }
  }
  return bytes;
}
