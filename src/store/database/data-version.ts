// Caches data read from SQLite until this or another process commits. Without this cache, introspection and userinfo take 1.5 times the
// processor time. PostgreSQL does not show whether anything was committed, so there everything is read each time.

import BetterSqlite3 from 'better-sqlite3';

export interface DataVersion {
  /** A number that changes when anything is committed to the file (`pragma data_version`). */
  current(): number;
  close(): void;
}

/** Watches an existing SQLite file. It uses a separate connection, because the number does not change with a connection's own commits. */
export function watchDataVersion(file: string): DataVersion {
  const connection = new BetterSqlite3(file, { readonly: true, fileMustExist: true });
  const version = connection.prepare<[], number>('pragma data_version').pluck();
  return {
    current: () => version.get() as number,
    close: () => connection.close(),
  };
}

/** Maximum entries. Beyond that, all are dropped. */
const MOST_CACHED = 5000;

/**
 * Wraps `find` with a cache that is valid until the next commit. Each use checks whether there was one. Misses are not cached. Without
 * `version`, there is no cache.
 */
export function cacheUntilCommit<Found extends object>(
  version: Pick<DataVersion, 'current'> | undefined,
  find: (key: string) => Promise<Found | undefined>,
): (key: string) => Found | Promise<Found | undefined> {
  if (!version) return find;
  let cachedVersion: number | undefined;
  let cache = new Map<string, Found>();
  return (key) => {
    const current = version.current();
    if (current !== cachedVersion) {
      cachedVersion = current;
      cache = new Map();
    }
    const cached = cache.get(key);
    if (cached) return cached;
    // The result belongs to the version that was current before the reading, whatever is committed meanwhile.
    const ofVersion = cache;
    return find(key).then((found) => {
      if (ofVersion.size >= MOST_CACHED) ofVersion.clear();
      if (found) ofVersion.set(key, found);
      return found;
    });
  };
}
