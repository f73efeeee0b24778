// Fills an empty PostgreSQL database from a backup in one step, and compares a restored database with the manifest.
// `complete-restore.ts` completes a restored database of either engine.

import { join } from 'node:path';
import type { Settings } from '#config/settings.ts';
import { withOpenDatabase } from '#server/open-database.ts';
import type { Seals } from '#shared/crypto/seals.ts';
import { Refusal } from '#shared/operator-messages.ts';
import type { OnProgress } from '#shared/progress.ts';
import { readContents } from '#store/backup/database-contents.ts';
import { importTables } from '#store/backup/postgres-copy.ts';
import { databaseName, isPublic, runTool, ToolFailed } from '#store/backup/postgres-tools.ts';
import { sqliteRows, sqliteSequences } from '#store/backup/sqlite-backup.ts';
import { readLines } from '#store/backup/table-lines.ts';
import type { Database } from '#store/database/connection.ts';
import { COPY_FOLDER, DUMP_FILE, SQLITE_FILE } from './dump-database.ts';
import type { Manifest } from './manifest.ts';
import { fileOf, rowFaults, trailFaults } from './verify-backup.ts';

/** Fills an empty PostgreSQL database in one transaction, so that it gets either everything or nothing. */
export async function fillPostgres(
  folder: string,
  { database }: Manifest,
  place: Settings['database'] & { engine: 'postgresql' },
  onProgress: OnProgress,
): Promise<void> {
  if (database.kind === 'pg_dump') {
    onProgress({ name: 'database', count: 0, unit: 'rows, by pg_restore' });
    const args = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges', '--no-password'];
    const dump = join(folder, DUMP_FILE);
    // Only the schema `public` is restored. Extensions and publications belong to the server, and often only a superuser may make them.
    if (await isPublic(dump)) args.push('--schema=public');
    args.push(`--dbname=${databaseName(place.url)}`, dump);
    return runTool('pg_restore', args, place.url).catch((error) => {
      if (!(error instanceof ToolFailed)) throw error;
      throw new Refusal([
        error.message,
        'Nothing was restored. Remedy: pg_restore has to be at least as new as the pg_dump that made the backup, and the role of DATABASE_URL',
        'has to own the database (createdb --owner).',
      ]);
    });
  }
  const copy = sourceOf(folder, database);
  const tables = Object.keys(database.tables);
  const rows = Object.values(database.tables).reduce((sum, count) => sum + count, 0);
  await withOpenDatabase({ database: place }, (open) =>
    open.transaction((transaction) =>
      importTables(transaction, { schema: database.schema, tables, ...copy }, (count) =>
        onProgress({ name: 'database', done: count / rows, count, unit: 'rows' }),
      ),
    ),
  );
}

function sourceOf(folder: string, { kind, sequences = {} }: Manifest['database']) {
  if (kind === 'copy')
    return { sequences, rows: (table: string) => readLines(fileOf(join(folder, COPY_FOLDER), table)) };
  const file = join(folder, SQLITE_FILE);
  return { sequences: sqliteSequences(file), rows: (table: string) => sqliteRows(file, table) };
}

/**
 * Returns the differences from the manifest, in sentences. `untouched` means that no migration has run yet. If one may have run, the
 * numbers of rows are not compared, because migrations may change them.
 */
export async function restoredFaults(
  database: Database,
  manifest: Manifest,
  seals: Seals,
  untouched: boolean,
): Promise<string[]> {
  const faults = untouched ? rowFaults(manifest, (await readContents(database)).tables) : [];
  return [...faults, ...(await trailFaults(database, manifest, seals))];
}
