// Opens a snapshot file for reading, and implements the interface `Snapshot` on it.

import { basename } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { closedWhenIdle } from '#search-index/closed-when-idle.ts';
import { LAYOUT } from '#search-index/file-layout.ts';
import {
  byType,
  type GoneResource,
  type ResourceChecks,
  type ResourceType,
  type SearchPage,
  type Snapshot,
  type StoredResource,
} from '#search-index/snapshot.ts';
import { decodeText } from '#search-index/text-dictionary.ts';
import { createChains } from './chained.ts';
import { BitmapPool } from './doc-id-bitmap.ts';
import { createHashRecheck } from './hash-recheck.ts';
import { searchPage } from './result-page.ts';
import { spellingsOf } from './spellings.ts';
import { openScan, propertyOf, type ResourceRow } from './stored-resources.ts';
import { openTermDictionary } from './term-dictionary.ts';
import { openType, type TypeReader } from './type-reader.ts';

export interface SnapshotFile {
  id: string;
  /** The instant of the edition, which is `meta.lastUpdated` of its new and changed resources. */
  created: Date;
  /** The read-only connection. An import reads the tables of the previous snapshot through it. */
  database: BetterSqlite3.Database;
  types: Record<ResourceType, TypeReader>;
  close(): void;
}

/** The error for a file that is a snapshot but has the layout of another release. */
export class OtherLayout extends Error {
  override name = 'OtherLayout';
}

/** Opens a snapshot file for reading. Throws if it is no snapshot, is unfinished, or has another layout. */
export function openSnapshotFile(file: string): SnapshotFile {
  const database = new BetterSqlite3(file, { readonly: true, fileMustExist: true });
  try {
    // The file is read, and not mapped into memory. If a mapped page is not in memory, the system reads 128 kB around it, which takes ten
    // times as long. A failing disk would even end the process. The price is small: if the file is in memory, a search without mapping
    // takes 0.1 ms longer.
    database.pragma('mmap_size = 0');
    database.pragma('cache_size = -16384');
    // One transaction stays open until the file is closed. Otherwise every statement would lock the file and look for a journal.
    database.exec('begin');
    const layout = propertyOf(database, 'layout');
    if (layout !== LAYOUT) {
      throw new OtherLayout(
        `${basename(file)} has layout ${layout}, this release reads ${LAYOUT}: import the edition again`,
      );
    }
    const bitmaps = new BitmapPool();
    const terms = openTermDictionary(database, bitmaps);
    return {
      id: propertyOf(database, 'id') as string,
      created: new Date(propertyOf(database, 'created') as string),
      database,
      types: byType((type) => openType(database, type, terms, bitmaps)),
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

/**
 * Opens a snapshot file as a `Snapshot`. Throws like `openSnapshotFile`.
 * @param checks if `hasKey` is absent, every resource that a hash finds is taken as a match; if `hasText` is absent, no search may ask for
 * exact texts
 */
export async function openSnapshot(
  file: string,
  checks: Partial<ResourceChecks> = {},
): Promise<Snapshot & AsyncDisposable> {
  const { hasKey = () => true, hasText = noTexts } = checks;
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

  const resourceAt = (type: ResourceType, position: number): StoredResource => {
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

  // `read` takes a resource from memory if it was rechecked just now, and otherwise calls `resourceAt`. `rechecked` changes only searches
  // for keys that are stored as hashes, and `chained` only searches with criteria on linked resources. Neither changes a search by words
  // alone.
  const { rechecked, read, checkOf } = createHashRecheck(opened.types, resourceAt, hasKey);
  const chained = createChains({ types: opened.types, rechecked, read, hasText });
  const spaceOf = byType((type) => ({ ...rechecked[type], chained: chained(type) }));
  const { during, close } = closedWhenIdle(opened.close);
  return {
    id: opened.id,
    async search(query, options = {}): Promise<SearchPage> {
      const { type, exactly = [], within } = query;
      const end = performance.now() + (within ?? Number.POSITIVE_INFINITY);
      const source = {
        abandoned: () => performance.now() > end || (options.abandoned?.() ?? false),
        space: spaceOf[type],
        read: (position: number) => read(type, position),
        hasKeys: checkOf(type, query),
        hasTexts: ({ json }: StoredResource) => exactly.every(({ field, texts }) => hasText(field, texts, json)),
      };
      return during(() => searchPage(source, query));
    },
    codes: async (type, field) => opened.types[type].terms.everyKey(opened.types[type].fieldOf(field)),
    spellings: async (type, { field, word, within }) =>
      spellingsOf(spaceOf[type].terms, spaceOf[type].fieldOf(field), word, within),
    async read(type, id) {
      const position = opened.types[type].find(id);
      return position === undefined ? undefined : resourceAt(type, position);
    },
    async gone(type, id): Promise<GoneResource | undefined> {
      const row = opened.types[type].gone(id);
      return row && { id, goneSince: instantOf(row.since) };
    },
    ...openScan(opened.database, (type, row) => jsonOf(type, row, instantOf(row.updated))),
    counts: async () => byType((type) => opened.types[type].count),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function noTexts(): never {
  throw new Error('the snapshot was opened without a check of exact texts');
}

/** Checks whether a file is a snapshot with the layout of another release. Also returns false if the file cannot be read. */
export function isOfOtherLayout(file: string): boolean {
  try {
    openSnapshotFile(file).close();
    return false;
  } catch (error) {
    return error instanceof OtherLayout;
  }
}
