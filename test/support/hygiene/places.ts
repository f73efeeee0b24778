// Everything that a service leaves behind, to be searched for canaries: each place with its content.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Database } from '#store/database/connection.ts';

export interface Place {
  /** The name in `allowed.ts`: `log`, `database accounts`, `file hygie.sqlite`, `command keys list, standard output` ... */
  name: string;
  content: string | Buffer;
}

/** Every row of every table, as text; bytes as hex. */
export async function dumpOf(database: Database): Promise<Place[]> {
  const postgres = database.client.config.client === 'pg';
  const tables: string[] = postgres
    ? await database('pg_tables').where({ schemaname: 'public' }).pluck('tablename')
    : await database('sqlite_master').where({ type: 'table' }).pluck('name');
  return Promise.all(
    tables.map(async (table) => {
      const rows: Record<string, unknown>[] = await database(table);
      const content = rows.map((row) => Object.values(row).map(textOf).join('\t')).join('\n');
      return { name: `database ${table}`, content };
    }),
  );
}

function textOf(value: unknown): string {
  // Text or an image as it stands, and in hex.
  if (value instanceof Uint8Array)
    return `${Buffer.from(value).toString('latin1')} ${Buffer.from(value).toString('hex')}`;
  return value instanceof Date
    ? value.toISOString()
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
}

/** Every file below a folder, as bytes and unpacked: of SQLite with its log, and with what deleted rows left. */
export function filesBelow(folder: string, what = 'file'): Place[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => {
      const bytes = readFileSync(join(folder, path));
      return { name: `${what} ${path}`, content: path.endsWith('.gz') ? gunzipSync(bytes) : bytes };
    });
}
