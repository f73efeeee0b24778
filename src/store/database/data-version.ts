// Caches data read from SQLite until this or another process commits. Without this cache, introspection and userinfo take 1.5 times the
// processor time. On PostgreSQL nothing is cached, because PostgreSQL does not show whether anything was committed.

import { performance } from 'node:perf_hooks';
import BetterSqlite3 from 'better-sqlite3';

export interface DataVersion {
  /**
   * Returns a number that changes when anything is committed to the file (`pragma data_version`). Requests that the event loop found ready
   * together share one reading, for `SHARED_FOR` at most, because a reading takes a twelfth of an introspection. They began before it, so
   * none of them has to know of a later commit (decision 21).
   */
  current(): number;
  close(): void;
}

/** Milliseconds for which a reading of the data version is shared within one turn of the event loop. */
const SHARED_FOR = 1;

/**
 * Watches an existing SQLite file. It uses a connection of its own, because the number that a connection reads does not change with the
 * commits of the same connection.
 */
export function watchDataVersion(file: string): DataVersion {
  const connection = new BetterSqlite3(file, { readonly: true, fileMustExist: true });
  const version = connection.prepare<[], number>('pragma data_version').pluck();
  const read = { turn: -1, until: 0 };
  let current: number;
  return {
    current: () => {
      const { loopCount: turn } = performance.nodeTiming.uvMetricsInfo;
      const now = performance.now();
      if (turn !== read.turn || now >= read.until) {
        current = version.get() as number;
        Object.assign(read, { turn, until: now + SHARED_FOR });
      }
      return current;
    },
    close: () => connection.close(),
  };
}

/** Maximum entries of the cache. When it is full, all entries are dropped. */
const MOST_CACHED = 5000;

/**
 * Wraps `find` with a cache that is valid until the next commit. Each call checks first whether anything was committed. If `find` finds
 * nothing, that is not cached. Without `version`, there is no cache.
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
    // The result goes into the cache of the version that was current before the reading. If anything is committed meanwhile, that cache is
    // no longer used.
    const ofVersion = cache;
    return find(key).then((found) => {
      if (ofVersion.size >= MOST_CACHED) ofVersion.clear();
      if (found) ofVersion.set(key, found);
      return found;
    });
  };
}
