// Writes one consistent state of the database into the folder of a backup, while the service goes on writing.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '#config/settings.ts';
import { Refusal } from '#shared/operator-messages.ts';
import type { OnProgress } from '#shared/progress.ts';
import { type DatabaseContents, LEFT_OUT, readContents } from '#store/backup/database-contents.ts';
import { exportTables, inSnapshot, readSequences, serverVersion, snapshotName } from '#store/backup/postgres-copy.ts';
import { databaseName, runTool, ToolFailed, toolVersion } from '#store/backup/postgres-tools.ts';
import { copySqlite, openCopy } from '#store/backup/sqlite-backup.ts';
import type { Database } from '#store/database/connection.ts';
import { isPooled } from '#store/database/pooler.ts';
import type { Manifest } from './manifest.ts';

/**
 * Names in the folder of a backup. `SQLITE_FILE`: the copy of an SQLite database. `DUMP_FILE`: a dump by pg_dump. `COPY_FOLDER`: the folder
 * with a copy of the tables.
 */
export const SQLITE_FILE = 'hygie.sqlite';
export const DUMP_FILE = 'database.pg_dump';
export const COPY_FOLDER = 'database';

/** Formats of a PostgreSQL dump: the format of the program pg_dump, or the copy of the tables that this service makes by itself. */
export const FORMATS = ['pg_dump', 'copy'] as const;
export type Format = (typeof FORMATS)[number];

interface DumpOptions {
  database: Database;
  settings: Pick<Settings, 'database'>;
  folder: string;
  /** Format for PostgreSQL. The default is pg_dump if that program can be used, otherwise a copy of the tables. */
  format?: Format | undefined;
  onProgress: OnProgress;
  /** Prints why pg_dump, which is the default, is not used. */
  say(line: string): void;
}

interface Dumped {
  contents: DatabaseContents;
  database: Manifest['database'];
}

/** Dumps the database. Throws a `Refusal` if the wanted format cannot be made here. */
export async function dumpDatabase(options: DumpOptions): Promise<Dumped> {
  const { settings, format } = options;
  if (settings.database.engine === 'postgresql') return dumpPostgres(options, settings.database.url);
  if (format !== undefined) throw new Refusal('--format is for PostgreSQL: an SQLite database is copied as a file.');
  const { file } = settings.database;
  const target = join(options.folder, SQLITE_FILE);
  await copySqlite(file, target, (copied, total) =>
    options.onProgress({ name: 'database', done: copied / total, count: copied, unit: 'pages' }),
  );
  const copy = openCopy(target);
  try {
    const contents = await readContents(copy);
    return { contents, database: { ...described(contents), engine: 'sqlite', kind: 'sqlite' } };
  } finally {
    await copy.destroy();
  }
}

async function dumpPostgres({ database, folder, format, onProgress, say }: DumpOptions, url: string): Promise<Dumped> {
  const unusable = format === 'copy' ? undefined : await reasonAgainstPgDump(database);
  if (format === 'pg_dump' && unusable !== undefined)
    throw new Refusal([`pg_dump cannot be used: ${unusable}.`, INSTALL]);
  return inSnapshot(database, async (transaction) => {
    const contents = await readContents(transaction);
    const sequences = await readSequences(transaction);
    const all = { ...described(contents), engine: 'postgresql' as const, sequences };
    if (format !== 'copy' && unusable === undefined) {
      try {
        onProgress({ name: 'database', count: 0, unit: 'rows, by pg_dump' });
        const args = ['--format=custom', '--no-owner', '--no-privileges', '--no-password'];
        args.push(...LEFT_OUT.map((table) => `--exclude-table-data=${table}`));
        args.push(`--snapshot=${await snapshotName(transaction)}`, `--file=${join(folder, DUMP_FILE)}`);
        await runTool('pg_dump', [...args, databaseName(url)], url);
        return { contents, database: { ...all, kind: 'pg_dump' } };
      } catch (error) {
        if (!(error instanceof ToolFailed) || format === 'pg_dump' || /No space left/.test(error.message)) throw error;
        say(`${error.message}\nA copy of the tables is made instead.`);
      }
    } else if (unusable !== undefined) say(`pg_dump is not used: ${unusable}. A copy of the tables is made instead.`);
    const tables = Object.keys(contents.tables);
    const rows = Object.values(contents.tables).reduce((sum, count) => sum + count, 0);
    const target = join(folder, COPY_FOLDER);
    await mkdir(target, { mode: 0o700 });
    await exportTables(transaction, tables, target, (count) =>
      onProgress({ name: 'database', done: count / rows, count, unit: 'rows' }),
    );
    return { contents, database: { ...all, kind: 'copy' } };
  });
}

const INSTALL =
  'Remedy: install the client programs of that PostgreSQL, and name its own host and port in DATABASE_URL; or leave --format out (a copy of the tables, which any PostgreSQL can restore).';

async function reasonAgainstPgDump(database: Database): Promise<string | undefined> {
  const [tool, server] = [await toolVersion('pg_dump'), await serverVersion(database)];
  if (tool === undefined) return 'it is not installed here';
  // pg_dump changes settings of its connection, such as search_path. A pooler would then give the connection with these settings to others,
  // so pg_dump is not used behind a pooler.
  if (await isPooled(database)) return 'DATABASE_URL leads to a connection pooler, not to PostgreSQL itself';
  return tool < server ? `it is of PostgreSQL ${tool}, and the server is ${server}` : undefined;
}

function described({ schema, tables }: DatabaseContents) {
  return { schema, tables };
}
