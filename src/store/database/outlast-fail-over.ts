// Work that has cost minutes outlasts a PostgreSQL that restarts or fails over, instead of being lost with one statement.

import { setTimeout } from 'node:timers/promises';
import { type Database, isPostgres } from './connection.ts';
import { passesByItself } from './transient-errors.ts';

/** Milliseconds for which a database may be away, and between two tries. */
const PATIENCE = 60_000;
const PAUSE = 500;

/**
 * Does `work`, and repeats it as long as its error is one that passes by itself. If the answer to a commit is lost, nobody knows whether it was
 * made, so the work must be such that a second time does no harm.
 */
export async function outlastFailOver<Result>(database: Database, work: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isPostgres(database) || !passesByItself(error) || performance.now() > until) throw error;
      await setTimeout(PAUSE);
    }
  }
}
