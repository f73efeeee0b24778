// The rows of a database before its migrations and after them, so that both can be compared: nothing that was there may be another.

import type { Database } from '#store/database/connection.ts';
import { tablesOf } from './dump.ts';

type Row = Record<string, unknown>;
/** Rows by table. */
export type Contents = Record<string, Row[]>;

/** Tables that may hold no row in the database of a schema: why. */
const MAY_BE_EMPTY: Readonly<Record<string, string>> = {};

/** Every row but those by which migrations and instances are kept apart. */
export async function contentsOf(database: Database): Promise<Contents> {
  const contents: Contents = {};
  for (const table of (await tablesOf(database)).filter((name) => !name.startsWith('knex_'))) {
    const rows = ((await database(table)) as Row[]).map(legible);
    contents[table] = table === 'service_keys' ? rows.filter(({ purpose }) => purpose !== 'lock') : rows;
  }
  return contents;
}

/** Tables of whose rows no migration can be seen to damage any. */
export function emptyTables(contents: Contents): string[] {
  return Object.keys(contents).filter((table) => contents[table]?.length === 0 && !(table in MAY_BE_EMPTY));
}

/** What has to be there after the migrations, and what is: columns that are new are left out. */
export function keptRows(before: Contents, after: Contents): { expected: Contents; found: Contents } {
  const expected: Contents = {};
  const found: Contents = {};
  for (const [table, rows] of Object.entries(before)) {
    if (isDropped(table, rows)) continue;
    const columns = Object.keys(rows[0] ?? {});
    const left = (after[table] ?? []).filter((row) => !isOfMigrations(table, row, rows));
    expected[table] = table === 'pictures' ? [] : inOrder(rows.map((row) => migrated(table, row)));
    found[table] = inOrder(left.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]]))));
  }
  return { expected, found };
}

/** The configuration is remembered no longer, and records of the first releases did not say whose they are. */
function isDropped(table: string, rows: readonly Row[]): boolean {
  if (table === 'oidc_records') return rows.some((row) => !('account_id' in row));
  return table === 'known_configuration';
}

/** That the audit trail is a chain from now on is a record of it. */
function isOfMigrations(table: string, row: Row, before: readonly Row[]): boolean {
  return table === 'audit_events' && row['event'] === 'audit.chained' && !before.some(({ id }) => id === row['id']);
}

/** The first releases had one algorithm, and people could once upload pictures. */
function migrated(table: string, row: Row): Row {
  if (table === 'accounts' && String(row['picture']).startsWith('/')) return { ...row, picture: null };
  return table === 'service_keys' && row['purpose'] === 'signing' ? { ...row, purpose: 'RS256' } : row;
}

/** Bytes as a line of text. */
function legible(row: Row): Row {
  const entries = Object.entries(row);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value]),
  );
}

function inOrder(rows: Row[]): Row[] {
  const texts = new Map(rows.map((row) => [row, JSON.stringify(row)]));
  return rows.sort((one, other) => ((texts.get(one) ?? '') < (texts.get(other) ?? '') ? -1 : 1));
}
