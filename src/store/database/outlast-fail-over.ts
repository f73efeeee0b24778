// Repeats work while PostgreSQL restarts or fails over. Otherwise, work that has cost minutes would be lost with one statement.

import { setTimeout } from 'node:timers/promises';
import { type Database, isPostgres } from './connection.ts';
import { passesByItself } from './transient-errors.ts';

/** Milliseconds for which a database may be unavailable, and milliseconds between two tries. */
const PATIENCE = 60_000;
const PAUSE = 500;
/** Times that patience begins anew. Work that always fails only after more than a minute would otherwise be repeated for ever. */
const ANEW = 5;

/**
 * Does `work`, and repeats it as long as its error is one that passes by itself. If the answer to a commit is lost, nobody knows whether
 * the commit was made. So the work must do no harm if it is done a second time. `beforePause` is called before each wait, and may throw to
 * end it.
 */
export async function outlastFailOver<Result>(
  database: Database,
  work: () => Promise<Result>,
  beforePause: () => unknown = () => {},
): Promise<Result> {
  let until: number | undefined;
  let anew = ANEW;
  for (;;) {
    const began = performance.now();
    try {
      return await work();
    } catch (error) {
      const now = performance.now();
      // Work that ran for so long probably had a database meanwhile, so this is another failure. It may also have waited for a connection.
      if (until === undefined || (now - began > PATIENCE && anew-- > 0)) until = now + PATIENCE;
      if (!isPostgres(database) || !passesByItself(error) || now > until) throw error;
      beforePause();
      await setTimeout(PAUSE);
    }
  }
}
