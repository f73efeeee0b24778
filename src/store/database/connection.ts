// Connects to the main database, SQLite or PostgreSQL, and migrates its schema.

import { mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import type { Settings } from '../../config/settings.ts';
import { Refusal } from '../../shared/operator-errors.ts';
import { type PostgresClient, setQueryTimeout } from './query-timeout.ts';

export type Database = Knex;

const MIGRATIONS: Knex.MigratorConfig = {
  directory: join(import.meta.dirname, '..', 'migrations'),
  loadExtensions: ['.ts'],
  extension: 'ts',
};

/** Connections of one process where no setting says how many. */
const CONNECTIONS = 10;

/** Knex configuration for the settings' database; `knexfile.ts` hands the same one to the Knex command line. */
export function knexConfiguration(database: Settings['database']): Knex.Config {
  if (database.engine === 'postgresql') {
    return {
      client: 'pg',
      // Pipelined: statements that share a connection (`shared-connection.ts`) do not wait for each other's answers.
      connection: {
        connectionString: database.url,
        application_name: 'hygie',
        pipeline: true,
      } as Knex.PgConnectionConfig,
      pool: { min: 0, max: database.connections ?? CONNECTIONS },
      migrations: MIGRATIONS,
    };
  }
  return {
    client: 'better-sqlite3',
    connection: { filename: database.file },
    useNullAsDefault: true,
    // What a statement that fails should have stored would stand in the message of its error, and so in the log.
    compileSqlOnError: false,
    pool: { min: 1, max: 1, afterCreate: prepareSqlite },
    migrations: MIGRATIONS,
  };
}

const SQLITE_PRAGMAS = [
  // Only of a new file, and before anything else: a file shrinks when rows leave it (`vacuum.ts`).
  'auto_vacuum = incremental',
  'journal_mode = WAL',
  'synchronous = NORMAL',
  'busy_timeout = 5000',
  'foreign_keys = ON',
  'cache_size = -16384',
  // 64 MiB: while the service runs, `checkpoints.ts` does it earlier and beside the serving thread.
  'wal_autocheckpoint = 16384',
  // 16 MiB stay of a log that was longer, once it begins anew.
  'journal_size_limit = 16777216',
];

// WAL lets readers go on while one writes; NORMAL survives a killed process, after which no revocation may be
// lost (a power cut may cost the last instants, as with any asynchronous commit). 16 MiB of pages in memory.
function prepareSqlite(
  connection: { pragma(text: string): unknown },
  done: (error: Error | null, connection: unknown) => void,
) {
  for (const pragma of SQLITE_PRAGMAS) connection.pragma(pragma);
  done(null, connection);
}

function withTimeout(connection: PostgresClient, done: (error: Error | null, connection: unknown) => void) {
  setQueryTimeout(connection);
  done(null, connection);
}

/** Where notes on lost connections and the like go; failed queries reject in any case. */
interface DatabaseLog {
  warn(message: string): void;
}

/**
 * Opens the database; the folder of an SQLite file is created. Nothing is migrated. Silent unless given a log, as by a service,
 * whose connections must not wait for ever either.
 */
export function openDatabase(database: Settings['database'], log?: DatabaseLog): Database {
  if (database.engine === 'sqlite') mkdirSync(dirname(database.file), { recursive: true, mode: 0o700 });
  // Knex would write to the console, beside the structured log.
  const note = (message: unknown) => log?.warn(`database: ${message instanceof Error ? message.message : message}`);
  const silent = () => {};
  const configuration = knexConfiguration(database);
  if (log && database.engine === 'postgresql') configuration.pool = { ...configuration.pool, afterCreate: withTimeout };
  return knex({ ...configuration, log: { warn: note, error: note, deprecate: silent, debug: silent } });
}

/** Tries to migrate while another instance does: half a minute in all. */
const MIGRATION_TRIES = 60;
const MIGRATION_PAUSE = 500;

/**
 * Brings the schema to its newest version; returns the names of the migrations that were applied. Waits while another
 * instance migrates; throws when that one does not end, as after a process that was killed in the middle. A database that a newer
 * release has migrated is a `Refusal`.
 */
export async function migrate(database: Database): Promise<string[]> {
  await makeMigrationTables(database);
  await refuseNewer(database);
  for (let tries = 1; ; tries += 1) {
    try {
      const [, names] = (await database.migrate.latest(MIGRATIONS)) as [number, string[]];
      return names;
    } catch (error) {
      if ((error as Error).name !== 'MigrationLocked') throw error;
      if (tries === MIGRATION_TRIES) {
        throw new Error('another process holds the lock of the migrations: if none runs, use npx knex migrate:unlock');
      }
      await setTimeout(MIGRATION_PAUSE);
    }
  }
}

/** Number of the lock among PostgreSQL's advisory ones: "hygie", "migrate". */
const ADVISORY = [0x68796769, 0x6d696772] as const;

// Knex makes them unguarded: of two instances that meet an empty database one would fail, or both would put a row into the
// table of the lock, which then nobody can take any more.
async function makeMigrationTables(database: Database): Promise<void> {
  const [names, lock] = ['knex_migrations', 'knex_migrations_lock'];
  if (await database.schema.hasTable(lock)) return;
  await database.transaction(async (transaction) => {
    // SQLite has one writer at a time, and what exists is left alone: each of the statements is guarded by itself.
    if (database.client.config.client === 'pg') {
      await transaction.raw('select pg_advisory_xact_lock(?, ?)', [...ADVISORY]);
    }
    await transaction.schema.createTableIfNotExists(names, (table) => {
      table.increments();
      table.string('name');
      table.integer('batch');
      table.timestamp('migration_time');
    });
    await transaction.schema.createTableIfNotExists(lock, (table) => {
      table.increments('index').primary();
      table.integer('is_locked');
    });
    await transaction.raw(`insert into ${lock} (is_locked) select 0 where not exists (select 1 from ${lock})`);
  });
}

interface MigrationStatus {
  applied: string[];
  pending: string[];
}

/** Which migrations the database has and which it lacks. `Refusal` as for `migrate`. */
export async function migrationStatus(database: Database): Promise<MigrationStatus> {
  await refuseNewer(database);
  const [applied, pending] = (await database.migrate.list(MIGRATIONS)) as [{ name: string }[], { file: string }[]];
  return { applied: applied.map(({ name }) => name), pending: pending.map(({ file }) => file) };
}

// Knex would call its own folder corrupt. An older release knows nothing of what they added, such as until when sessions count.
async function refuseNewer(database: Database): Promise<void> {
  if (!(await database.schema.hasTable('knex_migrations'))) return;
  const known = new Set(readdirSync(MIGRATIONS.directory as string));
  const applied: string[] = await database('knex_migrations').orderBy('id').pluck('name');
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new Refusal([
    `A newer release has migrated the database: this one does not know ${unknown.join(', ')}.`,
    'Remedy: use that release here too, or restore the backup from before the upgrade.',
  ]);
}

/** Resolves when the database answers; rejects otherwise. For readiness. */
export async function ping(database: Database): Promise<void> {
  await database.raw('select 1');
}

/** Seconds since the Unix epoch: the unit of every time column. */
export function epochSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/**
 * Rows that one statement changes, in cleanups and imports of accounts: some ten milliseconds, in which SQLite holds up the
 * rest of the process and both engines those who want the same rows.
 */
export const ROWS_AT_ONCE = 250;
