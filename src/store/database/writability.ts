// Checks whether the database stores data. With a full disk, or as a replica, it still answers every query.

import { oneAtATime } from '#shared/promises.ts';
import { type Database, ping } from './connection.ts';
import { isLostStatement } from './pooler.ts';
import { isNotStored, READ_ONLY } from './transient-errors.ts';

/** Milliseconds for which a refusal counts: on a full disk, a small write may fit where a larger one does not. */
const REFUSAL_COUNTS = 30_000;

/** The database answers, and stores nothing. */
export class StoresNothing extends Error {}
/** A connection pooler loses prepared statements. */
export class LosesStatements extends Error {}

/**
 * Resolves while the database responds and stores. It writes nothing to find out, until a statement is refused. From then on it rejects
 * with `StoresNothing` until a write succeeds, which is tried after `REFUSAL_COUNTS`, or at once if the server only reads. Simultaneous calls
 * share one try. After a statement was lost, it rejects with `LosesStatements` for that long.
 */
export function followWritability(database: Database): () => Promise<void> {
  let refusedAt: number | undefined;
  let lostAt = Number.NEGATIVE_INFINITY;
  database.on('query-error', (error: { code?: unknown }) => {
    // A full disk may have room for a small write. A server that only reads refuses each, and a fail-over ends that in a moment.
    if (isNotStored(error)) refusedAt = error.code === READ_ONLY ? Number.NEGATIVE_INFINITY : performance.now();
    if (isLostStatement(error)) lostAt = performance.now();
  });
  const tryToWrite = oneAtATime(async () => {
    try {
      // Every migrated database has this row, and nobody waits for it.
      await database('leases').where({ name: 'cleanup' }).update({ name: 'cleanup' });
      refusedAt = undefined;
    } catch (error) {
      throw isNotStored(error) ? new StoresNothing() : error;
    }
  });
  return async () => {
    if (performance.now() - lostAt < REFUSAL_COUNTS) throw new LosesStatements();
    if (refusedAt === undefined) return ping(database);
    if (performance.now() - refusedAt < REFUSAL_COUNTS) throw new StoresNothing();
    return tryToWrite();
  };
}
