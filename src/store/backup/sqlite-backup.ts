// Copies an SQLite database while others write to it, and opens such a copy.

import BetterSqlite3 from 'better-sqlite3';
import knex from 'knex';
import type { Database } from '#store/database/connection.ts';

/** Pages that are copied in one step. A step takes a few milliseconds. After it, signals are handled and the progress is reported. */
const PAGES_AT_ONCE = 1000;

/**
 * Copies one state of the database, page by page, into a new self-contained file (without a write-ahead log). Writers do not wait; their
 * log grows until the copy is done. `onProgress` gets the number of copied pages and of all pages.
 */
export async function copySqlite(
  file: string,
  target: string,
  onProgress: (copied: number, total: number) => void,
): Promise<void> {
  const source = new BetterSqlite3(file, { readonly: true, fileMustExist: true });
  try {
    // One read transaction spans the whole copy. Without it, SQLite would begin the copy again whenever somebody commits.
    source.exec('begin');
    source.prepare('select 1 from sqlite_schema').get();
    await source.backup(target, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress(totalPages - remainingPages, totalPages);
        return PAGES_AT_ONCE;
      },
    });
  } finally {
    source.close();
  }
  const copy = new BetterSqlite3(target);
  try {
    // The copy does not keep the service's journal mode (WAL), because a file in that mode cannot be read from a read-only folder.
    copy.pragma('journal_mode = delete');
    // Removes all free pages, because they may hold removed data. `exec` runs this pragma to its end; a query would stop after one page.
    copy.exec('pragma incremental_vacuum');
  } finally {
    copy.close();
  }
}

/** Opens a copy to read it. The caller destroys the connection. */
export function openCopy(file: string): Database {
  return knex({
    client: 'better-sqlite3',
    connection: { filename: file, options: { readonly: true } },
    useNullAsDefault: true,
    compileSqlOnError: false,
    pool: { min: 0, max: 1 },
  });
}

/**
 * Returns the faults that SQLite itself finds in the file, as sentences. A sound file has none. `most` is the maximum number of findings of
 * the integrity check.
 */
export async function sqliteFaults(copy: Database, most = 20): Promise<string[]> {
  const found: { integrity_check: string }[] = await copy.raw(`pragma integrity_check(${most})`);
  const orphans: { table: string }[] = await copy.raw('pragma foreign_key_check');
  return [
    ...found.map((row) => row.integrity_check).filter((sentence) => sentence !== 'ok'),
    ...[...new Set(orphans.map(({ table }) => table))].map(
      (table) => `rows of ${table} refer to rows that are not there`,
    ),
  ];
}

/** Reads the rows of a table, each as a line of JSON. Booleans are numbers, as in SQLite. */
export async function* sqliteRows(file: string, table: string): AsyncGenerator<[string]> {
  const copy = new BetterSqlite3(file, { readonly: true });
  try {
    for (const row of copy.prepare(`select * from "${table.replaceAll('"', '""')}"`).iterate()) {
      yield [JSON.stringify(row, asPostgresReads)];
    }
  } finally {
    copy.close();
  }
}

/** Returns the last id that was given to a row, for each table. The key is the name that the table's sequence has on PostgreSQL. */
export function sqliteSequences(file: string): Record<string, number> {
  const copy = new BetterSqlite3(file, { readonly: true });
  try {
    const rows = copy.prepare<[], { name: string; seq: number }>('select name, seq from sqlite_sequence').all();
    return Object.fromEntries(rows.filter(({ seq }) => seq > 0).map(({ name, seq }) => [`${name}_id_seq`, seq]));
  } finally {
    copy.close();
  }
}

/**
 * Name of the column that is converted for PostgreSQL: on SQLite, Knex stores milliseconds in it, but on PostgreSQL it is a timestamp. All
 * other times are the same numbers on both engines.
 */
const TIME = 'migration_time';

function asPostgresReads(key: string, value: unknown): unknown {
  return key === TIME && typeof value === 'number' ? new Date(value).toISOString() : value;
}
