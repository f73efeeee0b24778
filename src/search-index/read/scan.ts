// Reads a snapshot file from end to end, in the order of storage: the resources, the removed resources, and the history.

import type BetterSqlite3 from 'better-sqlite3';
import { TABLE_OF } from '#search-index/file-layout.ts';
import { byType, type Edition, type GoneResource, type ResourceType, type Snapshot } from '#search-index/snapshot.ts';
import type { GoneRow, ResourceRow } from './stored-resources.ts';

/** Number of editions that are remembered. With one a day, they cover ten years. */
const MOST_EDITIONS = 4000;

/** An edition in the property `history`, which is a JSON list. */
interface StoredEdition {
  /** Milliseconds since 1970. */
  at: number;
  apart?: true;
}

/** The editions that a snapshot descends from. The last one is its own. */
function historyOf(database: BetterSqlite3.Database): StoredEdition[] {
  const stored = database.prepare<[], string>("select value from property where name = 'history'").pluck().get();
  return JSON.parse(stored ?? '[]') as StoredEdition[];
}

/**
 * Makes the property `history` of a new snapshot.
 * @param apart true if other editions, from which this one does not descend, were made after the previous snapshot
 */
export function continuedHistory(
  previous: BetterSqlite3.Database | undefined,
  { created, apart }: { created: number; apart: boolean },
): string {
  const before = previous === undefined ? [] : historyOf(previous);
  const own: StoredEdition = apart ? { at: created, apart } : { at: created };
  return JSON.stringify([...before, own].slice(-MOST_EDITIONS));
}

/**
 * Makes the methods of a snapshot that read it in the order of storage.
 * @param jsonOf gives the JSON text of a resource
 */
export function openScan(
  database: BetterSqlite3.Database,
  jsonOf: (type: ResourceType, row: ResourceRow) => string,
): Pick<Snapshot, 'history' | 'scan' | 'listGone'> {
  const rows = byType((type) =>
    database.prepare<[number, number], ResourceRow>(
      `select id, version, updated, body from ${TABLE_OF[type]} where ordinal >= ? and ordinal < ? order by ordinal`,
    ),
  );
  const goneRows = database.prepare<[string, string, number], GoneRow>(
    'select id, version, since from gone where type = ? and id > ? order by id limit ?',
  );
  let history: readonly Edition[] | undefined;
  return {
    async history() {
      history ??= historyOf(database).map(({ at, apart = false }) => ({ created: new Date(at).toISOString(), apart }));
      return history;
    },
    async scan(type, { from, to }) {
      let text = '';
      for (const row of rows[type].all(from, to)) text += `${jsonOf(type, row)}\n`;
      return text;
    },
    async listGone(type, { after = '', limit }) {
      const found = goneRows.all(type, after, limit);
      return found.map(({ id, since }): GoneResource => ({ id, goneSince: new Date(since).toISOString() }));
    },
  };
}
