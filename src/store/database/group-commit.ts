// Commits writes to SQLite that arrive in the same turn of the event loop together. Without it, authorize + token takes a
// tenth more of the processor (1.67 in place of 1.52 ms with 8 connections).

export type Value = string | number | null;

/** What is used of better-sqlite3. */
export interface SqliteStatement {
  reader: boolean;
  all(values: Value[]): unknown[];
  run(values: Value[]): { changes: number };
}
export interface SqliteConnection {
  inTransaction: boolean;
  prepare(sql: string): SqliteStatement;
  transaction<Result>(work: () => Result): { immediate(): Result };
}

interface Write {
  statement: SqliteStatement;
  values: Value[];
  resolve(changed: number | undefined): void;
  reject(error: unknown): void;
}

const waiting = new WeakMap<SqliteConnection, Write[]>();

/**
 * Runs a statement that writes at the end of this turn of the event loop, in one transaction with all others that came by then;
 * each of them succeeds or fails by itself. Resolves when it is committed with the number of rows that it changed, or with
 * undefined when somebody else began a transaction on this connection meanwhile: then nothing was done.
 */
export function groupCommit(
  connection: SqliteConnection,
  statement: SqliteStatement,
  values: Value[],
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const write = { statement, values, resolve, reject };
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

function commit(connection: SqliteConnection, writes: readonly Write[]): void {
  if (connection.inTransaction) {
    for (const { resolve } of writes) resolve(undefined);
    return;
  }
  const changed = writes.length > 1 ? inOneTransaction(connection, writes) : undefined;
  for (const [index, { statement, values, resolve, reject }] of writes.entries()) {
    try {
      resolve(changed ? changed[index] : statement.run(values).changes);
    } catch (error) {
      reject(error);
    }
  }
}

/** The numbers of changed rows; undefined, and nothing done, when any of them failed. */
function inOneTransaction(connection: SqliteConnection, writes: readonly Write[]): number[] | undefined {
  try {
    return connection
      .transaction(() => writes.map(({ statement, values }) => statement.run(values).changes))
      .immediate();
  } catch {
    return undefined;
  }
}
