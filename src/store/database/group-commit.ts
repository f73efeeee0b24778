// Owns that writes to SQLite which arrive at the same time are committed together: a commit costs more than what it commits.
// Does not own what is written, nor the statements (`prepared.ts`).

export type Value = string | number | null;

/** As better-sqlite3 has them. */
export interface SqliteStatement {
  reader: boolean;
  all(values: Value[]): unknown[];
  run(values: Value[]): { changes: number };
}
export interface SqliteConnection {
  inTransaction: boolean;
  prepare(sql: string): SqliteStatement;
}

interface Write {
  statement: SqliteStatement;
  values: Value[];
  done(changed: number | undefined): void;
  failed(error: unknown): void;
}

const waiting = new WeakMap<SqliteConnection, Write[]>();

/**
 * Runs a statement that writes at the end of this turn of the event loop, in one transaction with all others that came by then;
 * each of them succeeds or fails by itself. Resolves when it is committed with the number of rows that it changed, or with
 * undefined when somebody else began a transaction on this connection meanwhile: then nothing was done.
 */
export function writeTogether(
  connection: SqliteConnection,
  statement: SqliteStatement,
  values: Value[],
): Promise<number | undefined> {
  return new Promise((done, failed) => {
    const write = { statement, values, done, failed };
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
    for (const { done } of writes) done(undefined);
    return;
  }
  const changed = writes.length > 1 ? inOneTransaction(connection, writes) : undefined;
  for (const [index, write] of writes.entries()) {
    try {
      write.done(changed ? changed[index] : write.statement.run(write.values).changes);
    } catch (error) {
      write.failed(error);
    }
  }
}

/** The numbers of changed rows; undefined, and nothing done, when any of them failed. */
function inOneTransaction(connection: SqliteConnection, writes: readonly Write[]): number[] | undefined {
  const { begin, commit: end, rollback } = boundsOf(connection);
  try {
    begin.run([]);
    const changed = writes.map(({ statement, values }) => statement.run(values).changes);
    end.run([]);
    return changed;
  } catch {
    if (connection.inTransaction) rollback.run([]);
    return undefined;
  }
}

type Bounds = Record<'begin' | 'commit' | 'rollback', SqliteStatement>;
const bounds = new WeakMap<SqliteConnection, Bounds>();

function boundsOf(connection: SqliteConnection): Bounds {
  let known = bounds.get(connection);
  if (!known) {
    const [begin, commit, rollback] = ['begin immediate', 'commit', 'rollback'].map((sql) => connection.prepare(sql));
    known = { begin, commit, rollback } as Bounds;
    bounds.set(connection, known);
  }
  return known;
}
