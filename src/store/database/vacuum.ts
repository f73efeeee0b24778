// Returns the space of removed rows to the file system, for SQLite only: PostgreSQL's autovacuum does so by itself. A file supports it if
// `auto_vacuum = incremental` was set before its first table (`connection.ts`).

import type BetterSqlite3 from 'better-sqlite3';
import { type Database, isPostgres } from './connection.ts';

/** Free pages that stay in the file for new data: 8 MiB, or this share of the file if that is more. */
const KEPT_PAGES = 2048;
const KEPT_SHARE = 0.1;

/**
 * Makes a function that moves some pages from the end of the file to free ones and truncates the file. It resolves with the number of pages
 * by which the file shrank. That is 0 if only the wanted free pages are left, or if the file does not support this.
 */
export function openPageRelease(database: Database): (most: number) => Promise<number> {
  if (isPostgres(database)) return async () => 0;
  const { client } = database;
  return async (most) => {
    const connection: BetterSqlite3.Database = await client.acquireConnection();
    try {
      const count = (name: string) => Number(connection.pragma(name, { simple: true }));
      const free = count('freelist_count');
      const pages = count('page_count');
      const excess = Math.floor(free - Math.max(KEPT_PAGES, pages * KEPT_SHARE));
      if (excess <= 0) return 0;
      // `exec` removes them all; a query would stop after one page.
      connection.exec(`pragma incremental_vacuum(${Math.min(most, excess)})`);
      return pages - count('page_count');
    } finally {
      client.releaseConnection(connection);
    }
  };
}
