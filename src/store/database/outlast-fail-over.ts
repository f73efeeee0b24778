// Repeats work while PostgreSQL restarts or fails over, so that work of several minutes is not lost because one statement fails.

import { setTimeout } from 'node:timers/promises';
import { type Database, isPostgres } from './connection.ts';
import { passesByItself } from './transient-errors.ts';

/** Maximum milliseconds for which a database may be unavailable, and milliseconds between two tries. */
const PATIENCE = 60_000;
const PAUSE = 500;
/**
 * Maximum number of times that `PATIENCE` begins anew. Without this limit, work that fails each time after more than a minute would be
 * repeated for ever.
 */
const ANEW = 5;

/**
 * Does `work`, and repeats it as long as it fails with an error that passes by itself. If the answer to a commit is lost, nobody knows
 * whether the commit was made. So `work` must do no harm if it is done a second time. `beforePause` is called before each wait, and may
 * throw to end the repetition.
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
      // If the work ran for longer than `PATIENCE`, it probably had a working database meanwhile, so this is a new failure. But the work
      // may also have waited for a connection all the time; therefore `ANEW` limits how often the time begins anew.
      if (until === undefined || (now - began > PATIENCE && anew-- > 0)) until = now + PATIENCE;
      if (!isPostgres(database) || !passesByItself(error) || now > until) throw error;
      beforePause();
      await setTimeout(PAUSE);
    }
  }
}
