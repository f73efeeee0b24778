// The state of the database's connection pool, and the failed queries, for the metrics.

import type { Database } from './connection.ts';
import { isTransient } from './transient-errors.ts';

/** The members of tarn, Knex' pool, that are used here. */
interface Pool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
  on(event: 'acquireRequest' | 'acquireSuccess' | 'acquireFail', listener: (id: number) => void): void;
}

function poolOf(database: Database): Pool {
  return database.client.pool;
}

/** Returns the numbers of used and of free connections, and of queries that wait for a connection. */
export function poolState(database: Database): { used: number; free: number; pending: number } {
  const pool = poolOf(database);
  return { used: pool.numUsed(), free: pool.numFree(), pending: pool.numPendingAcquires() };
}

/** Calls `acquired` for each query, with the seconds for which the query waited for a connection. */
export function onAcquired(database: Database, acquired: (seconds: number) => void): void {
  const began = new Map<number, number>();
  const pool = poolOf(database);
  pool.on('acquireRequest', (id) => void began.set(id, performance.now()));
  pool.on('acquireFail', (id) => void began.delete(id));
  pool.on('acquireSuccess', (id) => {
    const since = began.get(id);
    began.delete(id);
    if (since !== undefined) acquired((performance.now() - since) / 1000);
  });
}

/**
 * Constraint errors of PostgreSQL (class 23) and SQLite. They are not reported as failures, because the code that runs the query expects
 * that a row may exist already.
 */
const CONSTRAINT = /^(23...|SQLITE_CONSTRAINT.*)$/;

/** Calls `failed` for each failed query, except after a constraint error. */
export function onQueryError(database: Database, failed: (kind: 'unavailable' | 'other') => void): void {
  database.on('query-error', (error: { code?: unknown } | undefined) => {
    if (!CONSTRAINT.test(String(error?.code))) failed(isTransient(error) ? 'unavailable' : 'other');
  });
}
