// Returns the space of removed rows to the file system, for SQLite only: PostgreSQL's autovacuum does so by itself. New files support it
// (`auto_vacuum = incremental`, before their first table); a file of an earlier release must be rewritten once.

import { stat } from 'node:fs/promises';
import type BetterSqlite3 from 'better-sqlite3';
import { type Database, isPostgres } from './connection.ts';

/** Free pages that stay in the file for new data: 8 MiB, or this share of it. */
const KEPT_PAGES = 2048;
const KEPT_SHARE = 0.1;
/** Bytes that are rewritten in less than a second or two. */
const SMALL = 64 * 1024 * 1024;

/**
 * Moves some pages from the end of the file to free ones and truncates it. Resolves with the number of pages removed: 0 if only the wanted
 * free pages are left, and if the file does not support it.
 */
export function openPageRelease(database: Database): (most: number) => Promise<number> {
  if (isPostgres(database)) return async () => 0;
  return (most) =>
    onSqlite(database, (connection) => {
      const count = (name: string) => Number(connection.pragma(name, { simple: true }));
      const free = count('freelist_count');
      const pages = count('page_count');
      const excess = Math.floor(free - Math.max(KEPT_PAGES, pages * KEPT_SHARE));
      if (excess <= 0) return 0;
      // This is not run as a query, which would stop after one page.
      connection.exec(`pragma incremental_vacuum(${Math.min(most, excess)})`);
      return pages - count('page_count');
    });
}

/** Tells whether a file must be rewritten once before it can shrink, and whether that is quick. */
export async function rewriteNeeded(database: Database, file: string): Promise<'no' | 'quick' | 'long'> {
  const mode = await onSqlite(database, (connection) => {
    // The pragma returns the connection's last reading, but another connection may have rewritten the file.
    connection.exec('select 1 from sqlite_schema');
    return connection.pragma('auto_vacuum', { simple: true });
  });
  if (mode !== 0) return 'no';
  return (await stat(file)).size <= SMALL ? 'quick' : 'long';
}

/**
 * Rewrites the file without free pages, as one that can shrink. It needs its size twice on the disk meanwhile, and nobody else can write.
 * Resolves with its size in bytes before and after.
 */
export async function rewrite(database: Database, file: string): Promise<{ before: number; after: number }> {
  const before = (await stat(file)).size;
  await onSqlite(database, (connection) => {
    connection.exec('pragma auto_vacuum = incremental');
    connection.exec('vacuum');
    connection.exec('pragma wal_checkpoint(truncate)');
  });
  return { before, after: (await stat(file)).size };
}

async function onSqlite<Result>(
  database: Database,
  work: (connection: BetterSqlite3.Database) => Result,
): Promise<Result> {
  const { client } = database;
  const connection = await client.acquireConnection();
  try {
    return work(connection);
  } finally {
    client.releaseConnection(connection);
  }
}
