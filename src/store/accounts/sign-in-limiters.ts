// Counts failed sign-ins in the main database, with the library's own stores on Knex.

import { RateLimiterPostgres, RateLimiterSQLite } from 'rate-limiter-flexible';
import { type FailureLimits, type RateLimiter, type RateLimitRule, signInRules } from '../../shared/rate-limits.ts';
import { type Database, ROWS_AT_ONCE } from '../database/connection.ts';

/** One limiter for each rule of sign-ins. Keys are digests: what strangers type is not stored. */
export type SignInLimiters = Record<keyof ReturnType<typeof signInRules>, RateLimiter>;

const TABLE = 'rate_limits';
/** Milliseconds by which the clocks of instances may differ: none may prune what another one has just begun to count. */
const CLOCKS_DIFFER = 60_000;

/** Opens the limiters of a migrated database; all instances of the service share their counts. */
export function openSignInLimiters(database: Database, limits: FailureLimits) {
  const Store = database.client.config.client === 'pg' ? RateLimiterPostgres : RateLimiterSQLite;
  const limiter = (rule: RateLimitRule): RateLimiter =>
    new Store({
      ...rule,
      storeClient: database,
      storeType: 'knex',
      tableName: TABLE,
      // By a migration; expired rows leave with `prune`.
      tableCreated: true,
      clearExpiredByTimeout: false,
    });
  const rules = signInRules(limits);
  return {
    address: limiter(rules.address),
    password: limiter(rules.password),
    code: limiter(rules.code),
    codeOfDay: limiter(rules.codeOfDay),
    /** Deletes some of the windows that are over; returns how many: 0 when that was all. */
    prune: (): Promise<number> => {
      const now = Date.now();
      const over = database(TABLE).select('key').where('expire', '<=', now).limit(ROWS_AT_ONCE);
      // One that ends later than any of its rule can was opened by a clock that was set back since.
      for (const { keyPrefix, duration } of Object.values(rules)) {
        over.orWhere((row) =>
          row.where('key', 'like', `${keyPrefix}:%`).where('expire', '>', now + duration * 1000 + CLOCKS_DIFFER),
        );
      }
      return database(TABLE).whereIn('key', over).delete();
    },
  } satisfies SignInLimiters & { prune(): Promise<number> };
}
