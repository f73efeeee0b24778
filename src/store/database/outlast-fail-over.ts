// Repeats work while PostgreSQL restarts or fails over, so that work that has cost minutes is not lost with one statement.

import { setTimeout } from 'node:timers/promises';
import { type Database, isPostgres } from './connection.ts';
import { passesByItself } from './transient-errors.ts';

/** Milliseconds for which a database may be unavailable, and milliseconds between two tries. */
const PATIENCE = 60_000;
const PAUSE = 500;

/**
 * Does `work`, and repeats it as long as its error is one that passes by itself. If the answer to a commit is lost, nobody knows whether
 * the commit was made. So the work must do no harm if it is done a second time.
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
