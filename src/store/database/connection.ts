// Connects to the main database, SQLite or PostgreSQL.

import { mkdirSync } from 'node:fs';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import knex, { type Knex } from 'knex';
import type { Settings } from '#config/settings.ts';
import { sparingly } from '#shared/promises.ts';
import { currentContext } from '#shared/request-context.ts';
import { checkDrivers } from './driver-check.ts';
import { migrationSource } from './migration-source.ts';
import { PostgresHosts } from './postgres-hosts.ts';
import { type PostgresClient, prepareConnection } from './query-timeout.ts';
import type { Limits } from './session-limits.ts';
import { traceKnex } from './trace-queries.ts';

export type Database = Knex;

/** Tells whether the database is PostgreSQL; otherwise it is SQLite. */
export function isPostgres(database: Database): boolean {
  return database.client.config.client === 'pg';
}

/** Maximum connections of one process to PostgreSQL if `database.connections` is not set. */
const CONNECTIONS = 10;

/** Returns the Knex configuration for a database. `knexfile.ts` passes the same configuration to the Knex command line. */
export function knexConfiguration(database: Settings['database']): Knex.Config {
  // `compileSqlOnError: false` keeps the values of a failed statement out of the message of its error, and so out of the log.
  const common = { compileSqlOnError: false, migrations: { migrationSource } };
  if (database.engine === 'postgresql') {
    return {
      ...common,
      client: PostgresHosts as unknown as typeof Knex.Client,
      // Connections are pipelined, so that statements on a shared connection (`shared-connection.ts`) do not wait for each other's results.
      connection: {
        connectionString: database.url,
        application_name: 'hygie',
        pipeline: true,
        stream: () => new PostgresSocket(),
        preparedStatements: database.preparedStatements,
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
  // Lets the file shrink when rows are removed (`sqlite-upkeep.ts`). This pragma must come first, because it affects only a new file.
  'auto_vacuum = incremental',
  'journal_mode = WAL',
  'synchronous = NORMAL',
  'busy_timeout = 5000',
  'foreign_keys = ON',
  'cache_size = -16384',
  // Removed or replaced data, such as a key in plain text, are overwritten where that takes no extra write (SEC-62).
  'secure_delete = fast',
  // A connection itself moves the write-ahead log into the database file when the log has 64 MiB of pages. While the service runs,
  // `sqlite-upkeep.ts` does so earlier, in another thread.
  'wal_autocheckpoint = 16384',
  // When SQLite begins to overwrite the log from its start, it cuts the file of the log to 16 MiB if it has grown longer.
  'journal_size_limit = 16777216',
];

// With WAL, readers go on while one process writes. With `synchronous = NORMAL`, no commit is lost when a process is killed, so that no
// revocation is lost. A power cut may cost the last commits, as with any asynchronous commit. The cache has 16 MiB of pages.
function prepareSqlite(
  connection: { pragma(text: string): unknown },
  done: (error: Error | null, connection: unknown) => void,
) {
  for (const pragma of SQLITE_PRAGMAS) connection.pragma(pragma);
  done(null, connection);
}

/** Prepares each new connection of the pool to PostgreSQL. */
function preparePostgres(limits: Limits) {
  const clock = { ahead: 0, measuredAt: 0 };
  return (connection: PostgresClient, done: (error: Error | null, connection: unknown) => void) => {
    prepareConnection(connection, clock, limits).then(
      () => done(null, connection),
      (error: Error) => done(error, connection),
    );
  };
}

/** Gets the warnings and errors of Knex itself, such as a lost connection. The error of a failed query goes to the caller of the query. */
interface DatabaseLog {
  warn(message: string): void;
}

/**
 * Opens the database, and creates the folder of an SQLite file. It applies no migration. With `log`, which the service passes, connections
 * to PostgreSQL get limits, so that no statement waits for ever. Without `log`, there are no limits, and nothing is reported.
 */
export function openDatabase(database: Settings['database'], log?: DatabaseLog): Database {
  if (database.engine === 'sqlite') mkdirSync(dirname(database.file), { recursive: true, mode: 0o700 });
  // Without these functions, Knex would write to the console, outside the structured log.
  // While a server is away, every attempt fails in the same way. So each reason is written once a minute, and without the stack that Knex
  // adds to it.
  const warn = sparingly(({ message }) => log?.warn(`database: ${message.split('\n    at ')[0]}`));
  const note = (message: unknown) => void warn(message);
  const silent = () => {};
  const configuration = knexConfiguration(database);
  if (log && database.engine === 'postgresql')
    configuration.pool = { ...configuration.pool, afterCreate: preparePostgres(database) };
  const opened = knex({ ...configuration, log: { warn: note, error: note, deprecate: silent, debug: silent } });
  if (log) checkDrivers(opened);
  if (currentContext()?.tracer) traceKnex(opened);
  return opened;
}

/** Resolves if the database responds; rejects otherwise. */
export async function ping(database: Database): Promise<void> {
  await database.raw('select 1');
}

/** Seconds since the Unix epoch, the unit of every time column. */
export function epochSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Counts the rows of a query. */
export async function countRows(query: Knex.QueryBuilder): Promise<number> {
  const row = await query.count({ n: '*' }).first();
  return Number(row?.['n'] ?? 0);
}

/** Returns the moment that a time column holds. PostgreSQL returns the integers of time columns as text. */
export function dateOf(seconds: number | string): Date {
  return new Date(Number(seconds) * 1000);
}

/**
 * Maximum rows that one statement changes, in clean-ups and in imports of accounts. A statement with so many rows takes about ten
 * milliseconds. Meanwhile SQLite blocks the rest of the process, and both engines block other statements on the same rows.
 */
export const ROWS_AT_ONCE = 250;

/** Splits a list into batches of at most `ROWS_AT_ONCE` items, so that one statement changes no more rows than that. */
export function* batches<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += ROWS_AT_ONCE) yield items.slice(start, start + ROWS_AT_ONCE);
}

/**
 * The socket of a connection to PostgreSQL, which node-postgres takes through its option `stream`. All data that are written in one turn of
 * the event loop, such as the reads of simultaneous requests, are sent with one system call (decision 105).
 */
export class PostgresSocket extends Socket {
  #held = false;

  // node-postgres corks the socket, writes the messages of one statement, and uncorks the socket, which would send the messages at once.
  // Data are held back from here on. Holding them back only in `write` would send as late, but introspection would take a tenth more
  // processor time.
  override cork(): void {
    this.#holdForThisTurn();
    super.cork();
  }

  override write(...parameters: [data: Uint8Array]): boolean {
    this.#holdForThisTurn();
    return super.write(...parameters);
  }

  #holdForThisTurn(): void {
    if (this.#held || this.connecting) return;
    this.#held = true;
    super.cork();
    setImmediate(() => {
      this.#held = false;
      this.uncork();
    });
  }
}
