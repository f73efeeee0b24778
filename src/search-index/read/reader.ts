// Opens a snapshot file for reading: resources by position and by id, and the `Snapshot` interface upon it.

import { basename } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { LAYOUT, TABLE_OF } from '../file-layout.ts';
import {
  type GoneResource,
  RESOURCE_TYPES,
  type ResourceType,
  type SearchPage,
  type Snapshot,
  type StoredResource,
} from '../snapshot.ts';
import { decodeText } from '../text-dictionary.ts';
import type { OrderedSpace } from './evaluate-query.ts';
import { cacheFieldExists } from './field-exists.ts';
import { createHashRecheck, type Recheck } from './hash-recheck.ts';
import { openTimedSegments } from './instant-index.ts';
import { searchPage } from './result-page.ts';
import { openScan } from './scan.ts';
import { type OpenField, openTermDictionary } from './term-dictionary.ts';

/** Totals of single beginnings of words that are remembered of one type. */
const MOST_TOTALS = 5000;

/** One row of a resource table. */
export interface ResourceRow {
  id: string;
  version: number;
  /** Milliseconds since 1970. */
  updated: number;
  /** JSON text that follows resourceType and id, encoded. */
  body: string;
}

/** One resource type of an open snapshot, read without waiting. */
interface TypeReader extends OrderedSpace {
  count: number;
  /** To unpack bodies with. */
  texts: readonly string[];
  /** Place in the order of record. */
  ordinalAt(position: number): number;
  rowAt(ordinal: number): ResourceRow | undefined;
  /** Position of the resource with this id. */
  find(id: string): number | undefined;
  gone(id: string): { version: number; since: number } | undefined;
}

export interface SnapshotFile {
  id: string;
  /** Instant of the edition. */
  created: Date;
  /** The connection, read-only, for what only the next import reads. */
  database: BetterSqlite3.Database;
  types: Record<ResourceType, TypeReader>;
  close(): void;
}

/** The file is a snapshot, but of another release's layout. */
export class OtherLayout extends Error {
  override name = 'OtherLayout';
}

/** Bytes of the file that may be mapped: SQLite's own upper limit. */
const MAPPED = 0x7fff_0000;

/**
 * Opens a snapshot file for reading. Throws when it is none, is not finished, or has another layout.
 * `mapped`: whether the file becomes part of the process's memory, which is faster where the same pages are read again.
 */
export function openSnapshotFile(file: string, { mapped = true }: { mapped?: boolean } = {}): SnapshotFile {
  const database = new BetterSqlite3(file, { readonly: true, fileMustExist: true });
  try {
    database.pragma(`mmap_size = ${mapped ? MAPPED : 0}`);
    database.pragma('cache_size = -16384');
    // One transaction for good: without it every statement would lock the file and look for a journal.
    database.exec('begin');
    const properties = new Map(
      database.prepare<[], { name: string; value: string }>('select name, value from property').all().map(entry),
    );
    if (properties.get('layout') !== LAYOUT) {
      throw new OtherLayout(
        `${basename(file)} has layout ${properties.get('layout')}, ` +
          `this release reads ${LAYOUT}: import the edition again`,
      );
    }
    const types = Object.fromEntries(RESOURCE_TYPES.map((type) => [type, openType(database, type)]));
    return {
      id: properties.get('id') as string,
      created: new Date(properties.get('created') as string),
      database,
      types: types as Record<ResourceType, TypeReader>,
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    if (error instanceof OtherLayout) throw error;
    throw new Error(`${basename(file)} cannot be read as a directory snapshot: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

const entry = ({ name, value }: { name: string; value: string }): [string, string] => [name, value];

function openType(database: BetterSqlite3.Database, type: ResourceType): TypeReader {
  const terms = openTermDictionary(database);
  const fields = new Map(
    database
      .prepare<[string], OpenField>('select number, name, kind, bits from field where type = ?')
      .all(type)
      .map((field) => [field.name, field]),
  );
  const fieldOf = (name: string) => {
    const field = fields.get(name);
    if (!field) throw new Error(`${type} has no indexed field ${name}; it has ${[...fields.keys()].join(', ')}`);
    return field;
  };
  const sizes = database
    .prepare<[string], number>('select length(ordinals) / 4 from segment where type = ? order by segment')
    .pluck()
    .all(type);
  const segmentStarts = new Uint32Array(sizes.length === 0 ? 0 : sizes.length + 1);
  sizes.forEach((size, segment) => {
    segmentStarts[segment + 1] = (segmentStarts[segment] as number) + size;
  });

  const texts = database
    .prepare<[string], string>('select text from dictionary where type = ? order by number')
    .pluck()
    .all(type);
  const ordinalsOf = database
    .prepare<[string, number], Uint8Array>('select ordinals from segment where type = ? and segment = ?')
    .pluck();
  const ordinals: (Uint32Array | undefined)[] = [];
  const ordinalAt = (position: number) => {
    const segment = segmentAt(segmentStarts, position);
    ordinals[segment] ??= new Uint32Array(copy(ordinalsOf.get(type, segment)));
    return ordinals[segment][position - (segmentStarts[segment] as number)] as number;
  };

  const parentsIn = database
    .prepare<[number, number], Uint8Array>('select parents from item_parent where field = ? and segment = ?')
    .pluck();
  const parents = new Map<number, Uint16Array | undefined>();
  const itemParents = (field: OpenField, segment: number) => {
    if (field.kind !== 'words') return undefined;
    const key = field.number * 65_536 + segment;
    if (!parents.has(key)) {
      const bytes = parentsIn.get(field.number, segment);
      parents.set(key, bytes && new Uint16Array(copy(bytes)));
    }
    return parents.get(key);
  };

  const row = database.prepare<[number], ResourceRow>(
    `select id, version, updated, body from ${TABLE_OF[type]} where ordinal = ?`,
  );
  // Who finds a resource by its id reads the very row next.
  let last: { ordinal: number; row: ResourceRow | undefined } | undefined;
  const rowAt = (ordinal: number) => {
    if (last?.ordinal !== ordinal) last = { ordinal, row: row.get(ordinal) };
    return last.row;
  };
  const find = (id: string) => {
    for (const list of terms.ofKey(fieldOf('id'), id)) {
      for (const segment of Array.from(list.segments)) {
        for (const member of list.part(segment) ?? []) {
          const position = (segmentStarts[segment] as number) + member;
          if (rowAt(ordinalAt(position))?.id === id) return position;
        }
      }
    }
    return undefined;
  };

  const goneRow = database.prepare<[string, string], { version: number; since: number }>(
    'select version, since from gone where type = ? and id = ?',
  );
  const gone = (id: string) => goneRow.get(type, id);
  const timedSegment = openTimedSegments(database);
  const space = { segmentStarts, fieldOf, itemParents, terms };
  return {
    count: segmentStarts.at(-1) ?? 0,
    texts,
    ...space,
    fieldExists: cacheFieldExists(space),
    totals: new LRUCache({ max: MOST_TOTALS }),
    timesOf: (segment) => timedSegment(fieldOf('_lastUpdated').number, segment),
    ordinalAt,
    rowAt,
    find,
    gone,
  };
}

function copy(bytes: Uint8Array | undefined): ArrayBuffer {
  if (bytes === undefined) throw new Error('a part of the file is missing: import the edition again');
  return new Uint8Array(bytes).buffer;
}

function segmentAt(segmentStarts: Uint32Array, position: number): number {
  let low = 0;
  let high = segmentStarts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((segmentStarts[middle] as number) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Opens a snapshot file as a `Snapshot`. Errors as `openSnapshotFile`.
 * @param recheck the last word on what was found by an exact key's hash; without it hashes are believed
 */
export async function openSnapshot(file: string, recheck: Recheck = () => true): Promise<Snapshot> {
  const opened = openSnapshotFile(file);
  const instants = new Map<number, string>();
  const instantOf = (time: number) => {
    let instant = instants.get(time);
    if (instant === undefined) {
      instant = new Date(time).toISOString();
      if (instants.size < 1000) instants.set(time, instant);
    }
    return instant;
  };

  // A resource that was rechecked is mostly the next one of a page.
  let last: { type: ResourceType; resource: StoredResource } | undefined;
  const resourceAt = (type: ResourceType, position: number): StoredResource => {
    if (last?.type === type && last.resource.position === position) return last.resource;
    const resource = readResource(type, position);
    last = { type, resource };
    return resource;
  };

  const readResource = (type: ResourceType, position: number): StoredResource => {
    const reader = opened.types[type];
    const row = reader.rowAt(reader.ordinalAt(position));
    if (!row) throw new Error(`the snapshot ${opened.id} is damaged: no ${type} at position ${position}`);
    const { id, version } = row;
    const lastUpdated = instantOf(row.updated);
    const json = jsonOf(type, row, lastUpdated);
    return { position, id, versionId: String(version), lastUpdated, json };
  };

  const jsonOf = (type: ResourceType, { id, version, body }: ResourceRow, lastUpdated: string): string => {
    const meta = `{"versionId":"${version}","lastUpdated":"${lastUpdated}"}`;
    return `{"resourceType":"${type}","id":${JSON.stringify(id)},"meta":${meta}${decodeText(body, opened.types[type].texts)}`;
  };

  const { spaceOf, hasKeys } = createHashRecheck(opened.types, resourceAt, recheck);
  let searching = 0;
  let idle = () => {};
  let closing: Promise<void> | undefined;
  return {
    id: opened.id,
    async search(query): Promise<SearchPage> {
      const { type } = query;
      searching++;
      try {
        const source = {
          space: spaceOf[type],
          read: (position: number) => resourceAt(type, position),
          hasKeys: (one: StoredResource) => hasKeys(type, query, one),
        };
        return await searchPage(source, query);
      } finally {
        searching--;
        if (searching === 0) idle();
      }
    },
    async read(type, id) {
      const position = opened.types[type].find(id);
      return position === undefined ? undefined : resourceAt(type, position);
    },
    async gone(type, id): Promise<GoneResource | undefined> {
      const row = opened.types[type].gone(id);
      return row && { id, versionId: String(row.version), goneSince: instantOf(row.since) };
    },
    ...openScan(opened.database, (type, row) => jsonOf(type, row, instantOf(row.updated))),
    async counts() {
      const counts = RESOURCE_TYPES.map((type) => [type, opened.types[type].count]);
      return Object.fromEntries(counts) as Record<ResourceType, number>;
    },
    close() {
      closing ??= new Promise<void>((resolve) => {
        idle = resolve;
        if (searching === 0) resolve();
      }).then(() => opened.close());
      return closing;
    },
  };
}
