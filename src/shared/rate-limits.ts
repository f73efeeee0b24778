// The rules of all rate limits: what is counted by which key, how many of it in how long. Counted by rate-limiter-flexible.
// `config/README.md`, section "Rate limits", explains them to operators.

import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** A limit in the terms of the library: `points` in `duration` seconds, from the first one on. */
export interface RateLimitRule {
  /** Name of the rule: keys of different rules never meet. */
  keyPrefix: string;
  points: number;
  duration: number;
}

/** What is used of the library's limiters, in memory or in the database. */
export type RateLimiter = Pick<RateLimiterMemory, 'points' | 'consume' | 'get' | 'reward' | 'delete'>;

/** `limits` of the settings; the window in seconds. */
export interface FailureLimits {
  accountFailures: number;
  addressFailures: number;
  failureWindow: number;
}

const DAY = 86_400;
/** Codes are six digits: who knows the password could otherwise go on guessing for ever, at the pace of the windows. */
const CODE_WINDOWS_A_DAY = 5;

/** Failed sign-ins (SEC-39): counted in the database, so that all instances share them and a restart forgets none. */
export const signInRules = ({ accountFailures, addressFailures, failureWindow }: FailureLimits) => ({
  /** By network address: passwords and codes together. */
  address: { keyPrefix: 'sign-in-address', points: addressFailures, duration: failureWindow },
  /** By login, whether there is such an account or not. */
  password: { keyPrefix: 'sign-in-password', points: accountFailures, duration: failureWindow },
  /** By account: apart from passwords, because a right password precedes every guess of a code. */
  code: { keyPrefix: 'sign-in-code', points: accountFailures, duration: failureWindow },
  /** By account: a success in between does not end this one. */
  codeOfDay: { keyPrefix: 'sign-in-code-day', points: CODE_WINDOWS_A_DAY * accountFailures, duration: DAY },
});

/** Wrong secrets by client and network address (SEC-15): right ones, which nearly all are, must not cost a query. */
export const clientSecretRule = ({ addressFailures, failureWindow }: FailureLimits): RateLimitRule => ({
  keyPrefix: 'client-secret',
  points: addressFailures,
  // The library forgets by a timer, which Node limits to 24 days.
  duration: Math.min(failureWindow, DAY),
});

/** Access tokens that are not valid, by network address. A client whose tokens expired sends each of them once or twice. */
export const INVALID_TOKEN_RULE: RateLimitRule = { keyPrefix: 'invalid-token', points: 200, duration: 40 };

/** Keys that a limiter in memory counts at once: beyond it, the count that was not used for the longest time is forgotten. */
const MOST_KEYS = 20_000;

class MemoryLimiter extends RateLimiterMemory {
  readonly #keys = new LRUCache<string | number, true>({
    max: MOST_KEYS,
    dispose: (_, key, reason) => void (reason === 'evict' && this.delete(key)),
  });
  override consume(...args: Parameters<RateLimiterMemory['consume']>) {
    this.#keys.set(args[0], true);
    return super.consume(...args);
  }
  override penalty(...args: Parameters<RateLimiterMemory['penalty']>) {
    this.#keys.set(args[0], true);
    return super.penalty(...args);
  }
  override get(...args: Parameters<RateLimiterMemory['get']>) {
    this.#keys.get(args[0]);
    return super.get(...args);
  }
}

/** A limiter of this process alone, of bounded memory whatever the number of keys. It counts by `consume` and `penalty`. */
export function memoryLimiter(rule: RateLimitRule): RateLimiterMemory {
  return new MemoryLimiter(rule);
}

/** Counts one more; returns 0, or when that exceeds the limit the seconds until the window ends. */
export async function consume(limiter: Pick<RateLimiter, 'consume'>, key: string): Promise<number> {
  try {
    await limiter.consume(key);
    return 0;
  } catch (error) {
    if (error instanceof RateLimiterRes) return secondsOf(error);
    throw error;
  }
}

/** Counts nothing; returns 0, or when the limit is reached the seconds until the window ends. */
export async function remainingWait(limiter: Pick<RateLimiter, 'get' | 'points'>, key: string): Promise<number> {
  const found = await limiter.get(key);
  return found && found.consumedPoints >= limiter.points && found.msBeforeNext > 0 ? secondsOf(found) : 0;
}

/** As the header Retry-After has them. */
export function secondsOf({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}
