// Caches what was read from SQLite until anything is committed to it, by this process or another. Without it, introspection
// and userinfo take half as much again of the processor. PostgreSQL has no such sign: there, everything is read each time.

import BetterSqlite3 from 'better-sqlite3';

export interface DataVersion {
  /** Another number than before once anything was committed to the file (`pragma data_version`). */
  current(): number;
  close(): void;
}

/** Watches an SQLite file that exists, by a connection of its own: the number does not change with a connection's own commits. */
export function watchDataVersion(file: string): DataVersion {
  const connection = new BetterSqlite3(file, { readonly: true, fileMustExist: true });
  const version = connection.prepare<[], number>('pragma data_version').pluck();
  return {
    current: () => version.get() as number,
    close: () => connection.close(),
  };
}

/** Entries at most: beyond that, all are forgotten. */
const MOST_CACHED = 5000;

/**
 * `find` with a cache that is valid as long as nothing is committed, which each use checks. What was not found is not cached.
 * Without `version` there is no cache.
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
    // What is found belongs to the version that was read before, whatever is committed meanwhile.
    const ofVersion = cache;
    return find(key).then((found) => {
      if (ofVersion.size >= MOST_CACHED) ofVersion.clear();
      if (found) ofVersion.set(key, found);
      return found;
    });
  };
}
