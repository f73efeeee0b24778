// Checks whether the database stores data. It is not enough that the database answers: with a full disk, or as a replica, it still answers
// every query.

import { oneAtATime } from '#shared/promises.ts';
import { type Database, ping } from './connection.ts';
import { isLostStatement } from './pooler.ts';
import { isNotStored, READ_ONLY } from './transient-errors.ts';

/**
 * Milliseconds after a refused write during which the check reports the refusal again without trying to write. On a full disk, a small
 * write may succeed where a larger one fails, so a successful try would prove nothing.
 */
const REFUSAL_COUNTS = 30_000;

/** Thrown when the database answers, but stores nothing. */
export class StoresNothing extends Error {}
/** Thrown when a connection pooler loses prepared statements. */
export class LosesStatements extends Error {}

/**
 * Makes a check that resolves while the database responds and stores data. The check writes nothing until the database refuses a write of
 * the service. Then it rejects with `StoresNothing` until a write of its own succeeds. It tries that write after `REFUSAL_COUNTS`, or at
 * once if the server is read-only. Simultaneous calls share one try. After a pooler has lost a statement, the check rejects with
 * `LosesStatements` for `REFUSAL_COUNTS`.
 */
export function followWritability(database: Database): () => Promise<void> {
  let refusedAt: number | undefined;
  let lostAt = Number.NEGATIVE_INFINITY;
  database.on('query-error', (error: { code?: unknown }) => {
    // A full disk may still have room for a small write, so the check tries none for a while after a refusal. A read-only server refuses
    // every write, and a fail-over soon replaces it by a server that takes writes. So the next check tries a write.
    if (isNotStored(error)) refusedAt = error.code === READ_ONLY ? Number.NEGATIVE_INFINITY : performance.now();
    if (isLostStatement(error)) lostAt = performance.now();
  });
  const tryToWrite = oneAtATime(async () => {
    try {
      // Every migrated database has this row, and no request waits for the lock on it.
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
