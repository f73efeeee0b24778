// Counts failed sign-ins in the main database, with the stores of rate-limiter-flexible on Knex.

import type { Knex } from 'knex';
import { RateLimiterPostgres, RateLimiterSQLite } from 'rate-limiter-flexible';
import { type FailureLimits, type RateLimiter, type RateLimitRule, signInRules } from '#shared/rate-limits.ts';
import { countRows, type Database, isPostgres, ROWS_AT_ONCE } from '#store/database/connection.ts';

/** One limiter for each rule of sign-ins. Keys are digests, so that text of strangers is not stored. */
export type SignInLimiters = Record<keyof ReturnType<typeof signInRules>, RateLimiter>;

const TABLE = 'rate_limits';
/**
 * Number of rows (some 30 MB) beyond which rows with one failure or none are removed before they expire. A limit is needed, because each
 * attempt of an unknown browser can leave two rows: one for the address, and one for the login. A wide network may make 1000 attempts in a
 * window, so a thousand networks could leave two million rows.
 */
const MOST_ROWS = 200_000;
/**
 * Milliseconds by which the clocks of instances may differ. Without this tolerance, an instance could remove a count that another one has
 * just begun.
 */
const CLOCKS_DIFFER = 60_000;

/** Opens the limiters of a migrated database. All instances of the service share their counts. */
export function openSignInLimiters(database: Database, limits: FailureLimits) {
  const Store = isPostgres(database) ? RateLimiterPostgres : RateLimiterSQLite;
  const limiter = (rule: RateLimitRule): RateLimiter =>
    new Store({
      ...rule,
      storeClient: database,
      storeType: 'knex',
      tableName: TABLE,
      // A migration creates the table; `prune` removes expired rows.
      tableCreated: true,
      clearExpiredByTimeout: false,
    });
  const rules = signInRules(limits);
  const limiters = Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [name, limiter(rule)]),
  ) as SignInLimiters;
  const remove = (keys: Knex.QueryBuilder): Promise<number> => database(TABLE).whereIn('key', keys).delete();
  const some = (most: number) => database(TABLE).select('key').limit(most);

  const shortest = Math.min(...Object.values(rules).map(({ duration }) => duration));

  // Removes rows in two statements, because each can use the index of `expire`. One statement with both conditions would read the whole
  // table, which a flood makes large.
  const removeExpired = async (most: number): Promise<number> => {
    const now = Date.now();
    const over = await remove(some(most).where('expire', '<=', now));
    if (over > 0) return over;
    // A row that ends later than its rule allows is removed, too. It was made by a clock that was ahead, and that has been set back since.
    const ahead = some(most).where('expire', '>', now + shortest * 1000 + CLOCKS_DIFFER);
    ahead.where((row) => {
      for (const { keyPrefix, duration } of Object.values(rules)) {
        const late = now + duration * 1000 + CLOCKS_DIFFER;
        row.orWhere((of) => of.where('key', 'like', `${keyPrefix}:%`).where('expire', '>', late));
      }
    });
    return remove(ahead);
  };
  // Deletes rows with a single failure or none, because they say least about an attack.
  const removeSurplus = async (most: number, allowed: number): Promise<number> => {
    const rows = await countRows(database(TABLE));
    return rows > allowed ? remove(some(most).where('points', '<=', 1).orderBy('expire')) : 0;
  };
  return {
    ...limiters,
    /**
     * Deletes at most `most` expired rows. If none has expired, and there are more than `rows` rows, deletes at most `most` of those with
     * one failure or none. Returns the number of deleted rows; 0 means that none is left to delete.
     */
    prune: async (most = ROWS_AT_ONCE, rows = MOST_ROWS): Promise<number> =>
      (await removeExpired(most)) || (await removeSurplus(most, rows)),
  } satisfies SignInLimiters & { prune(most?: number): Promise<number> };
}
