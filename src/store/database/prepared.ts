// Statements that run at every request. Knex builds each statement once, and from then on it runs as a prepared statement of the engine.
// This saves two things, each of which costs more than SQLite needs to run a query: building and compiling the query with Knex, and taking
// SQLite's only connection from its pool. A sign-in runs a dozen of these statements, and would take three quarters more processor time
// without this file (decision 105). The setting `database.preparedStatements` decides only whether the statements have names on PostgreSQL
// (`postgres-hosts.ts`). SQLite writes that arrive in the same turn of the event loop are committed together. If each had its own commit,
// then with 8 simultaneous connections a refresh would take a quarter more processor time, and so would a request to authorize with the
// request to token after it.

import type BetterSqlite3 from 'better-sqlite3';
import type { Knex } from 'knex';
import { digest } from '#shared/crypto/digest.ts';
import type { Database } from './connection.ts';
import { onSharedConnection } from './shared-connection.ts';
import { tracedQuery } from './trace-queries.ts';

export type Value = string | number | null;

interface Compiled {
  name: string;
  sql: string;
  /** Number of values that the statement takes. */
  takes: number;
  reads: boolean;
}

type Statements = readonly [Compiled, ...Compiled[]];

type Built = Knex.QueryBuilder | Knex.Raw;

/** The rows of a query, or the number of rows that a write changed. */
export interface Outcome<Row> {
  rows: Row[];
  changed: number;
}

export type Prepared<Row> = (...values: Value[]) => Promise<Outcome<Row>>;

/** The member of node-postgres that is used here. */
interface PostgresConnection {
  query(query: { name: string; text: string; values: Value[] }): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

const sqliteStatements = new WeakMap<object, Map<string, BetterSqlite3.Statement>>();
/** The only connection of each SQLite pool, by the Knex client. It is known once the first statement has run. */
const sqliteConnections = new WeakMap<object, BetterSqlite3.Database>();

/**
 * Compiles `build` once for this database, at the first use, because a command uses few of many statements. The query is built with
 * `PLACEHOLDER` values. The returned function takes the real values in the same order. On SQLite, `build` may return several statements,
 * which run in one transaction. Each runs only if the statement before it has changed a row.
 */
export function prepare<Row = unknown>(
  database: Database,
  build: (knex: Database) => Built | readonly Built[],
): Prepared<Row> {
  const client = database.client;
  const onSqlite = client.config.client !== 'pg';
  const run = async (statements: Statements, values: Value[]): Promise<Outcome<Row>> => {
    const [compiled] = statements;
    try {
      const known = sqliteConnections.get(client);
      // An SQLite statement has ended when its call returns. So outside a transaction it can use the connection at once, without disturbing
      // other callers that have taken the connection from the pool.
      if (known && !known.inTransaction) {
        const run = () => runOnSqlite(known, statements, values) as Outcome<Row>;
        if (statementOf(known, compiled).reader) return run();
        const changed = await groupCommit(known, () => run().changed);
        if (changed !== undefined) return { rows: [], changed };
      }
      if (!onSqlite && compiled.reads) {
        return (await onSharedConnection(client, (connection: PostgresConnection) =>
          runOnPostgres(connection, compiled, values),
        )) as Outcome<Row>;
      }
      const connection = await client.acquireConnection();
      try {
        if (!onSqlite) return (await runOnPostgres(connection, compiled, values)) as Outcome<Row>;
        sqliteConnections.set(client, connection);
        return runOnSqlite(connection, statements, values) as Outcome<Row>;
      } finally {
        client.releaseConnection(connection);
      }
    } catch (error) {
      // Knex emits this event only for statements that Knex itself runs, so the failure of this one is reported here.
      client.emit('query-error', error, {});
      throw error;
    }
  };
  let compiled: Statements | undefined;
  return (...values) => {
    const statements = compiled ?? compile([build(database)].flat());
    compiled = statements;
    return tracedQuery(database, statements[0].sql, () => run(statements, values));
  };
}

function compile(built: readonly Built[]): Statements {
  return built.map((one) => {
    const written = (one as Knex.Raw).toSQL();
    const { sql, bindings } = written.toNative();
    return { name: `hygie_${digest(sql)}`, sql, takes: bindings.length, reads: written.method === 'select' };
  }) as unknown as Statements;
}

/** Stands for a value in a query that is being prepared. */
export const PLACEHOLDER = '?';

function statementOf(connection: BetterSqlite3.Database, compiled: Compiled): BetterSqlite3.Statement {
  let statements = sqliteStatements.get(connection);
  if (!statements) {
    statements = new Map();
    sqliteStatements.set(connection, statements);
  }
  let statement = statements.get(compiled.name);
  if (!statement) {
    statement = connection.prepare(compiled.sql);
    statements.set(compiled.name, statement);
  }
  return statement;
}

function runOnSqlite(connection: BetterSqlite3.Database, statements: Statements, values: Value[]): Outcome<unknown> {
  const statement = statementOf(connection, statements[0]);
  if (statement.reader) {
    const rows = statement.all(values);
    return { rows, changed: rows.length };
  }
  if (statements.length === 1) return { rows: [], changed: statement.run(values).changes };
  return { rows: [], changed: connection.transaction(() => runInTurn(connection, statements, values)).immediate() };
}

/**
 * Runs the first statement, and each further one only if the statement before it has changed a row. Returns how many rows the first one has
 * changed.
 */
function runInTurn(
  connection: BetterSqlite3.Database,
  [first, ...others]: readonly Compiled[],
  values: Value[],
): number {
  if (!first) return 0;
  const { changes } = statementOf(connection, first).run(values.slice(0, first.takes));
  if (changes > 0) runInTurn(connection, others, values.slice(first.takes));
  return changes;
}

async function runOnPostgres(
  connection: PostgresConnection,
  compiled: Compiled,
  values: Value[],
): Promise<Outcome<unknown>> {
  const { rows, rowCount } = await connection.query({ name: compiled.name, text: compiled.sql, values });
  return { rows, changed: rowCount ?? 0 };
}

interface Write {
  /** Returns the number of changed rows. */
  run(): number;
  resolve(changed: number | undefined): void;
  reject(error: unknown): void;
}

const waiting = new WeakMap<BetterSqlite3.Database, Write[]>();

/**
 * Runs a write at the end of this turn of the event loop, in one transaction with all other writes that have arrived. Each write succeeds
 * or fails by itself. Resolves with the number of changed rows once the transaction is committed. If somebody else has begun a transaction
 * on this connection meanwhile, the write is not made, and the promise resolves with undefined.
 */
export function groupCommit(connection: BetterSqlite3.Database, run: () => number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const write = { run, resolve, reject };
    const others = waiting.get(connection);
    if (others) {
      others.push(write);
      return;
    }
    const writes = [write];
    waiting.set(connection, writes);
    setImmediate(() => {
      waiting.delete(connection);
      commit(connection, writes);
    });
  });
}

function commit(connection: BetterSqlite3.Database, writes: readonly Write[]): void {
  if (connection.inTransaction) {
    for (const { resolve } of writes) resolve(undefined);
    return;
  }
  const changed = writes.length > 1 ? inOneTransaction(connection, writes) : undefined;
  for (const [index, { run, resolve, reject }] of writes.entries()) {
    try {
      resolve(changed ? changed[index] : run());
    } catch (error) {
      reject(error);
    }
  }
}

/**
 * Makes all writes in one transaction. Returns the number of changed rows for each write; undefined if any of them failed, and then nothing
 * is stored.
 */
function inOneTransaction(connection: BetterSqlite3.Database, writes: readonly Write[]): number[] | undefined {
  try {
    return connection.transaction(() => writes.map(({ run }) => run())).immediate();
  } catch {
    return undefined;
  }
}
