// Lets simultaneous reads share one connection to PostgreSQL, pipelined (`connection.ts`). Taking a connection from Knex' pool for each
// read costs more than the query: without this file, introspection takes a third more processor time (decision 105).

interface Pool<Connection> {
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): unknown;
}

interface Shared {
  connection: Promise<unknown>;
  users: number;
}

const current = new WeakMap<object, Shared>();

/** Runs `read` on the connection that other reads use just now, or on one from the pool, which the last user gives back. */
export async function onSharedConnection<Connection, Result>(
  pool: Pool<Connection>,
  read: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const shared = current.get(pool) ?? { connection: pool.acquireConnection(), users: 0 };
  current.set(pool, shared);
  shared.users += 1;
  const leave = () => {
    if (current.get(pool) === shared) current.delete(pool);
  };
  try {
    return await read((await shared.connection) as Connection);
  } catch (error) {
    // It may be lost, and would never be given back while others go on coming.
    leave();
    throw error;
  } finally {
    shared.users -= 1;
    if (shared.users === 0) {
      leave();
      shared.connection.then(
        (connection) => pool.releaseConnection(connection as Connection),
        () => {},
      );
    }
  }
}

/** Has the next read take another connection. */
export function leaveShared(pool: object): void {
  current.delete(pool);
}
