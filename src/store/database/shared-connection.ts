// Lets simultaneous reads share one connection to PostgreSQL, on which they are pipelined (`connection.ts`). Taking a connection from Knex'
// pool for each read costs more than the query: without this file, introspection takes a third more processor time (decision 105).

interface Pool<Connection> {
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): unknown;
}

interface Shared {
  connection: Promise<unknown>;
  /** The connection itself, once the pool has given it. */
  held?: unknown;
  users: number;
  /** True if the connection was used since the timer last looked. */
  used: boolean;
  timer: NodeJS.Timeout;
}

/**
 * Milliseconds without a read after which the connection goes back to the pool. A timer checks only at this interval whether there was a
 * read, so it may take twice as long.
 */
const KEPT = 20;

const current = new WeakMap<object, Shared>();

/** Runs `read` on the connection that other reads use or have just used. If there is none, takes a connection from the pool. */
export async function onSharedConnection<Connection, Result>(
  pool: Pool<Connection>,
  read: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const shared = current.get(pool) ?? share(pool);
  shared.users += 1;
  shared.used = true;
  try {
    shared.held ??= await shared.connection;
    return await read(shared.held as Connection);
  } catch (error) {
    // The connection may be lost, so later reads take another one. If they went on using the lost connection, it would never be given back.
    if (current.get(pool) === shared) current.delete(pool);
    throw error;
  } finally {
    shared.users -= 1;
    if (current.get(pool) !== shared) giveBack(pool, shared);
  }
}

function share(pool: Pool<unknown>): Shared {
  const look = () => {
    if (shared.used) shared.timer.refresh();
    else leaveIdle(pool);
    shared.used = shared.users > 0;
  };
  const shared: Shared = { connection: pool.acquireConnection(), users: 0, used: true, timer: setTimeout(look, KEPT) };
  shared.timer.unref();
  current.set(pool, shared);
  return shared;
}

/** Makes the next read take another connection. The present one is given back as soon as no read uses it. */
export function leaveShared(pool: object): void {
  const shared = current.get(pool);
  current.delete(pool);
  if (shared) giveBack(pool as Pool<unknown>, shared);
}

/**
 * Gives the connection back at once if no read uses it. If it stayed here unused, other users of the pool would wait, or open another
 * connection.
 */
export function leaveIdle(pool: object): void {
  if (current.get(pool)?.users === 0) leaveShared(pool);
}

function giveBack(pool: Pool<unknown>, shared: Shared): void {
  if (shared.users > 0) return;
  clearTimeout(shared.timer);
  if (shared.held !== undefined) pool.releaseConnection(shared.held);
}
