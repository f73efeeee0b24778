// Reads the parts of a snapshot file that need no index: the rows of the resources, the removed resources, and the history. A search finds
// positions in the index. For each position on the result page, `resourceAt` of `reader.ts` then reads a row, through `type-reader.ts` and
// `openRows`. If a snapshot file has an earlier layout, nothing but these parts is read, because a release cannot use the old index. It
// builds a new one from the resources.

import BetterSqlite3 from 'better-sqlite3';
import { isOlderLayout, TABLE_OF } from '#search-index/file-layout.ts';
import { byType, type Edition, type GoneResource, type ResourceType, type Snapshot } from '#search-index/snapshot.ts';
import { decodeText } from '#search-index/text-dictionary.ts';

/** One row of the table of a resource type. */
export interface ResourceRow {
  id: string;
  version: number;
  /** Milliseconds since 1970. */
  updated: number;
  /** The JSON text of the resource without its beginning (`resourceType`, `id` and `meta`), encoded (`text-dictionary.ts`). */
  body: string;
}

/** One row of the table `gone`. */
export interface GoneRow {
  id: string;
  version: number;
  /** Milliseconds since 1970. */
  since: number;
}

/** The stored resources of one type. All methods read synchronously. */
export interface StoredType {
  count: number;
  /** For each mark in encoded bodies, the text that it replaces. */
  texts: readonly string[];
  /**
   * Returns the ordinal of the resource at a position of the alphabetical order. Ordinals number the resources of a type from 0, in the
   * order in which they were stored.
   */
  ordinalAt(position: number): number;
  rowAt(ordinal: number): ResourceRow | undefined;
  /** Returns the position of the resource with this id; undefined if there is none. */
  find(id: string): number | undefined;
  gone(id: string): GoneRow | undefined;
}

/** The parts of the previous snapshot that are needed to write the next one. */
export interface PreviousFile {
  /** The instant of the edition. */
  created: Date;
  database: BetterSqlite3.Database;
  types: Record<ResourceType, StoredType>;
  close(): void;
}

interface StoredResources extends PreviousFile {
  /** Reads up to `limit` resources of a type as JSON without `meta`, beginning at the ordinal `from`. */
  read(type: ResourceType, from: number, limit: number): string[];
}

/** Opens a file of this layout or an earlier one. `find` always returns undefined, because only the index can find a resource by its id. */
export function openStoredResources(file: string): StoredResources {
  const database = new BetterSqlite3(file, { readonly: true, fileMustExist: true });
  try {
    database.exec('begin');
    const types = byType((type) => openResources(database, type));
    const rows = byType((type) =>
      database.prepare<[number, number], ResourceRow>(
        `select id, version, updated, body from ${TABLE_OF[type]} where ordinal >= ? order by ordinal limit ?`,
      ),
    );
    return {
      created: new Date(propertyOf(database, 'created') ?? ''),
      database,
      types,
      read: (type, from, limit) =>
        rows[type]
          .all(from, limit)
          .map(
            ({ id, body }) =>
              `{"resourceType":"${type}","id":${JSON.stringify(id)}${decodeText(body, types[type].texts)}`,
          ),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

function openResources(database: BetterSqlite3.Database, type: ResourceType): StoredType {
  return {
    ...openRows(database, type),
    count: countIn(database, type),
    ordinalAt: (ordinal) => ordinal,
    find: () => undefined,
  };
}

/** Makes the functions that read the rows of a type, one by one: by ordinal, or a removed resource by its id. They need no index. */
export function openRows(
  database: BetterSqlite3.Database,
  type: ResourceType,
): Pick<StoredType, 'texts' | 'rowAt' | 'gone'> {
  const row = database.prepare<[number], ResourceRow>(
    `select id, version, updated, body from ${TABLE_OF[type]} where ordinal = ?`,
  );
  const gone = database.prepare<[string, string], GoneRow>(
    'select id, version, since from gone where type = ? and id = ?',
  );
  const texts = database.prepare<[string], string>('select text from dictionary where type = ? order by number');
  return {
    texts: texts.pluck().all(type),
    rowAt: (ordinal) => row.get(ordinal),
    gone: (id) => gone.get(type, id),
  };
}

/** Counts the resources of a type. */
export function countIn(database: BetterSqlite3.Database, type: ResourceType): number {
  return database.prepare<[], number>(`select count(*) from ${TABLE_OF[type]}`).pluck().get() ?? 0;
}

export function propertyOf(database: BetterSqlite3.Database, name: string): string | undefined {
  return database.prepare<[string], string>('select value from property where name = ?').pluck().get(name);
}

/** Checks whether a file has an earlier layout. Also returns false if the file cannot be read. */
export function isOfOlderLayout(file: string): boolean {
  try {
    const database = new BetterSqlite3(file, { readonly: true, fileMustExist: true });
    try {
      return isOlderLayout(propertyOf(database, 'layout'));
    } finally {
      database.close();
    }
  } catch {
    return false;
  }
}

/** Maximum number of editions in the history. With one edition a day, they cover ten years. */
const MOST_EDITIONS = 4000;

/** An edition in the property `history`, which is a JSON list. */
interface StoredEdition {
  /** Milliseconds since 1970. */
  at: number;
  apart?: true;
}

/** Returns the editions from which a snapshot descends, oldest first. The last one is the snapshot's own edition. */
function historyOf(database: BetterSqlite3.Database): StoredEdition[] {
  return JSON.parse(propertyOf(database, 'history') ?? '[]') as StoredEdition[];
}

/**
 * Makes the property `history` of a new snapshot.
 * @param apart true if other editions may have been made between the new one and the one before it in the history. After a rollback, the
 * history goes on from an earlier edition and leaves out the editions after that one. If the edition in force could not be read, `previous`
 * is undefined, and the history begins again.
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
 * Makes the methods of a snapshot that need no index. They read the history, the resources by ordinal, and the removed resources by id.
 * @param jsonOf returns the JSON text of a resource
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
