// Owns the table of failed sign-ins: how many under one key, and until when they count.
// Does not own what a key stands for nor how many are too many (`src/signin/throttle.ts`).

import { ROWS_AT_ONCE } from '../database/batches.ts';
import { type Database, epochSeconds } from '../database/connection.ts';

export interface SignInFailures {
  /**
   * Counts one more under the key and returns how many there are now, and the second (since the epoch) at which they
   * are forgotten. The first one opens the window of `seconds`. Atomic: parallel calls never get the same count.
   */
  add(key: string, seconds: number): Promise<{ count: number; until: number }>;
  /** How many there are and until when they count; undefined when none does. */
  find(key: string): Promise<{ count: number; until: number } | undefined>;
  /** Takes one back, if the window is still open. */
  takeBack(key: string): Promise<void>;
  /** Forgets all under the key. */
  clear(key: string): Promise<void>;
  /** Removes some of what no longer counts; returns how many keys: 0 when that was all. */
  prune(): Promise<number>;
}

const TABLE = 'sign_in_failures';

/** Failed sign-ins in the main database; all instances of the service share them. */
export function openSignInFailures(database: Database): SignInFailures {
  return {
    add: async (key, seconds) => {
      const now = epochSeconds();
      // One that ends later than it can was opened by a clock that was set back since.
      const isOver = `(${TABLE}.expires_at <= ? or ${TABLE}.expires_at > ?)`;
      const [row] = (await database(TABLE)
        .insert({ key, count: 1, expires_at: now + seconds })
        .onConflict('key')
        .merge({
          count: database.raw(`case when ${isOver} then 1 else ${TABLE}.count + 1 end`, [now, now + seconds]),
          expires_at: database.raw(`case when ${isOver} then cast(? as bigint) else ${TABLE}.expires_at end`, [
            now,
            now + seconds,
            now + seconds,
          ]),
        })
        .returning(['count', 'expires_at'])) as { count: number; expires_at: number | string }[];
      if (!row) throw new Error('the database returned no count of failed sign-ins');
      return { count: Number(row.count), until: Number(row.expires_at) };
    },
    find: async (key) => {
      const row = await database(TABLE).where({ key }).where('expires_at', '>', epochSeconds()).first();
      return row && { count: Number(row.count), until: Number(row.expires_at) };
    },
    takeBack: async (key) => {
      await database(TABLE).where({ key }).where('count', '>', 0).decrement('count', 1);
    },
    clear: async (key) => {
      await database(TABLE).where({ key }).delete();
    },
    prune: () => {
      const old = database(TABLE).select('key').where('expires_at', '<=', epochSeconds()).limit(ROWS_AT_ONCE);
      return database(TABLE).whereIn('key', old).delete();
    },
  };
}
