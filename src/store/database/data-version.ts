// Owns the question whether anything was committed to an SQLite database since it was read, and memory that lasts until
// then. Does not own what is remembered. PostgreSQL has no such sign: there, everything is read each time.

import BetterSqlite3 from 'better-sqlite3';

export interface Changes {
  /** Another number than before once anything was committed to the file, by this process or by any other. */
  mark(): number;
  close(): void;
}

/** Watches an SQLite file that exists, by a connection of its own: SQLite tells each connection of the others' commits. */
export function watchChanges(file: string): Changes {
  const connection = new BetterSqlite3(file, { readonly: true, fileMustExist: true });
  const version = connection.prepare<[], number>('pragma data_version').pluck();
  return {
    mark: () => version.get() as number,
    close: () => connection.close(),
  };
}

/** Things remembered at most: beyond that, all are forgotten. */
const MOST_REMEMBERED = 5000;

/**
 * `find` with a memory that is valid as long as nothing is committed; each use looks. What was not found is not remembered.
 * Without `changes` there is no memory.
 */
export function rememberUntilChange<Found extends object>(
  changes: Pick<Changes, 'mark'> | undefined,
  find: (key: string) => Promise<Found | undefined>,
): (key: string) => Found | Promise<Found | undefined> {
  if (!changes) return find;
  let mark: number | undefined;
  let known = new Map<string, Found>();
  return (key) => {
    const now = changes.mark();
    if (now !== mark) {
      mark = now;
      known = new Map();
    }
    const remembered = known.get(key);
    if (remembered) return remembered;
    // An answer belongs to the mark that was read before it was asked for, whatever is committed meanwhile.
    const asked = known;
    return find(key).then((found) => {
      if (asked.size >= MOST_REMEMBERED) asked.clear();
      if (found) asked.set(key, found);
      return found;
    });
  };
}
