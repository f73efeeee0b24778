// Changes backups as a forger would, for tests of what notices.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import BetterSqlite3 from 'better-sqlite3';
import type { Manifest } from '#server/backup/manifest.ts';

/** Changes a record of the audit trail, and everything that would tell of it but the chain. */
export function forge(folder: string): void {
  const file = join(folder, 'hygie.sqlite');
  if (existsSync(file)) writeFileSync(file, replaceIn(readFileSync(file), 'account.disabled', 'account.enabled!'));
  else {
    const table = join(folder, 'database', 'audit_events.ndjson.gz');
    writeFileSync(table, gzipSync(replaceIn(gunzipSync(readFileSync(table)), 'account.disabled', 'account.enabled!')));
  }
  rewrite(folder, () => ({}));
}

function replaceIn(bytes: Buffer, text: string, other: string): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll(text, other), 'latin1');
}

/** Notes in the SQLite file of a backup a migration of a later release; the manifest counts the row, and does not name it. */
export function addMigration(folder: string, name: string): void {
  const database = new BetterSqlite3(join(folder, 'hygie.sqlite'));
  database.prepare('insert into knex_migrations (name, batch, migration_time) values (?, 99, 0)').run(name);
  database.close();
  const { tables } = manifestIn(folder).database;
  const counts = { ...tables, knex_migrations: (tables['knex_migrations'] ?? 0) + 1 };
  rewrite(folder, (manifest) => ({ database: { ...manifest.database, tables: counts } }));
}

/** Changes the manifest, with checksums that fit. */
export function rewrite(folder: string, change: (manifest: Manifest) => { [Key in keyof Manifest]?: unknown }): void {
  const manifest = manifestIn(folder);
  const other = { ...manifest, ...change(manifest) } as Manifest;
  const files = other.files.map(({ path }) => {
    const bytes = readFileSync(join(folder, path));
    return { path, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...other, files }));
}

export function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
}
