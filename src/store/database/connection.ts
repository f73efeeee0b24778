// Connects to the main database, SQLite or PostgreSQL.

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import knex, { type Knex } from 'knex';
import type { Settings } from '#config/settings.ts';
import { currentContext } from '#shared/request-context.ts';
import { checkDrivers } from './driver-check.ts';
import { migrationSource } from './migration-source.ts';
import { type PostgresClient, prepareConnection } from './query-timeout.ts';
import { traceKnex } from './trace-queries.ts';

export type Database = Knex;

/** Connections of one process where no setting says how many. */
const CONNECTIONS = 10;

/** Knex configuration for the settings' database; `knexfile.ts` hands the same one to the Knex command line. */
export function knexConfiguration(database: Settings['database']): Knex.Config {
  // The values of a statement that fails would stand in the message of its error, and so in the log.
  const common = { compileSqlOnError: false, migrations: { migrationSource } };
  if (database.engine === 'postgresql') {
    return {
      ...common,
      client: 'pg',
      // Pipelined: statements that share a connection (`shared-connection.ts`) do not wait for each other's answers.
      connection: {
        connectionString: database.url,
        application_name: 'hygie',
        pipeline: true,
      } as Knex.PgConnectionConfig,
      pool: { min: 0, max: database.connections ?? CONNECTIONS },
    };
  }
  return {
    ...common,
    client: 'better-sqlite3',
    connection: { filename: database.file },
    useNullAsDefault: true,
    pool: { min: 1, max: 1, afterCreate: prepareSqlite },
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
  // What is removed or replaced, such as a key in plain text, is overwritten where that takes no write of its own (SEC-62).
  'secure_delete = fast',
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

/** What the pool does with each new connection to PostgreSQL. */
function preparePostgres(timeout: number | undefined) {
  const clock = { ahead: 0, measuredAt: 0 };
  return (connection: PostgresClient, done: (error: Error | null, connection: unknown) => void) => {
    prepareConnection(connection, clock, timeout).then(
      () => done(null, connection),
      (error: Error) => done(error, connection),
    );
  };
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
  if (log && database.engine === 'postgresql')
    configuration.pool = { ...configuration.pool, afterCreate: preparePostgres(database.queryTimeout) };
  const opened = knex({ ...configuration, log: { warn: note, error: note, deprecate: silent, debug: silent } });
  if (log) checkDrivers(opened);
  if (currentContext()?.tracer) traceKnex(opened);
  return opened;
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
 * rest of the process and both engines other statements that want the same rows.
 */
export const ROWS_AT_ONCE = 250;
