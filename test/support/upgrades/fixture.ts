// Databases of earlier releases as SQL text, and what is in a database, so that an upgrade can be compared row by row.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { listTables } from '#store/backup/database-contents.ts';
import type { Database } from '#store/database/connection.ts';
import type { Engine } from '#support/databases.ts';
import type { Written } from './written.ts';

/** One folder for each engine, one file of SQL for each release. */
const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures', 'schemas');

/** The releases with a schema of their own, oldest first. */
export const RELEASES = readdirSync(join(FIXTURES, 'sqlite')).map((name) => name.replace('.sql.gz', ''));

const fileOf = (engine: Engine, release: string) => join(FIXTURES, engine, `${release}.sql.gz`);

/** The first line keeps what is random in the rows, and cannot be read from the database. */
export function writeFixture(engine: Engine, release: string, written: Written, sql: string): void {
  mkdirSync(join(FIXTURES, engine), { recursive: true });
  writeFileSync(fileOf(engine, release), gzipSync(`-- ${JSON.stringify(written)}\n${sql}\n`, { level: 9 }));
}

/** Fills an empty database. */
export async function loadFixture(database: Database, engine: Engine, release: string): Promise<Written> {
  const sql = gunzipSync(readFileSync(fileOf(engine, release))).toString();
  const connection = await database.client.acquireConnection();
  try {
    // Many statements in one text, which Knex does not take.
    if (engine === 'sqlite') connection.exec(sql);
    else await connection.query(sql);
  } finally {
    await database.client.releaseConnection(connection);
  }
  return JSON.parse(sql.slice(3, sql.indexOf('\n')));
}

/** Rows by table. */
export type Contents = Record<string, Record<string, unknown>[]>;

/** All rows but those of Knex, with bytes as text. */
export async function contentsOf(database: Database): Promise<Contents> {
  const contents: Contents = {};
  for (const table of (await listTables(database)).filter((name) => !name.startsWith('knex_'))) {
    contents[table] = await database(table);
  }
  return contents;
}

/** What `after` has of the tables and columns that were there before. */
export function keptIn(after: Contents, before: Contents): Contents {
  const kept: Contents = {};
  for (const [table, rows] of Object.entries(before)) {
    const columns = Object.keys(rows[0] ?? {});
    const known = new Set(rows.map((row) => JSON.stringify(row)));
    const now = (after[table] ?? []).map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])));
    // Migrations may add rows of their own; those of before are counted.
    kept[table] = now.filter((row) => known.has(JSON.stringify(row)));
  }
  return kept;
}
