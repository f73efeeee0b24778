// The rules of all rate limits: the counted event, its key, the limit and the window. The library rate-limiter-flexible does the counting.
// `docs/operating/limits.md` explains them to operators.

import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { entriesAtMost } from '#shared/entries-at-most.ts';

/** A limit in the terms of the library: `points` events in `duration` seconds, which begin with the first event. */
export interface RateLimitRule {
  /** Name of the rule, which separates the keys of different rules. */
  keyPrefix: string;
  points: number;
  duration: number;
}

/** The members of the library's limiters that are used, in memory or in the database. */
export type RateLimiter = Pick<RateLimiterMemory, 'points' | 'consume' | 'get' | 'reward' | 'delete'>;

/** The `limits` of the settings. The window is in seconds. */
export interface FailureLimits {
  accountFailures: number;
  /** Maximum failures of an IPv4 address or an IPv6 /64. */
  addressFailures: number;
  /** Maximum failures of an IPv4 /24 or an IPv6 /48. The default is ten times `addressFailures`. */
  networkFailures?: number;
  failureWindow: number;
}

/**
 * Factor by which a wide network may fail more often than one address. A /24 holds 256 addresses. A /48 holds 65,536 networks /64, among
 * which an attacker may choose. A hospital behind one of them is rarely wrong a thousand times in a quarter of an hour, and failures of its
 * known browsers are not counted here.
 */
const ADDRESSES_OF_A_NETWORK = 10;

const DAY = 86_400;
/**
 * Number of windows that an account may fill with wrong codes in a day. Codes have six digits: without this limit, somebody with the
 * password could go on guessing for ever.
 */
const CODE_WINDOWS_A_DAY = 5;

/** Mails to one recipient in an hour, whether or not the account exists. People who wait for a slow mail may well ask again. */
const MAILS_AN_HOUR = 5;

/** Attempts to add a passkey in an hour, successful or not. The number equals the maximum of passkeys that an account may have. */
const NEW_PASSKEYS_AN_HOUR = 20;

/**
 * The rules for failed sign-ins (SEC-39, SEC-59). Failures are counted in the database, so that all instances share the counts and a
 * restart forgets none. A browser that has signed in to the account before has counts of its own, which strangers cannot use up.
 */
export const signInRules = ({ accountFailures, failureWindow, ...limits }: FailureLimits) => {
  const inWindow = { points: accountFailures, duration: failureWindow };
  const inDay = { points: CODE_WINDOWS_A_DAY * accountFailures, duration: DAY };
  return {
    /** Passwords, codes and passkeys of unknown browsers together, by wide network and by address. */
    network: { keyPrefix: 'sign-in-network', points: networkFailures(limits), duration: failureWindow },
    address: { keyPrefix: 'sign-in-address', points: limits.addressFailures, duration: failureWindow },
    /** Passwords of all unknown browsers together, by login. The account need not exist. */
    password: { keyPrefix: 'sign-in-password', ...inWindow },
    /** Codes by account. They have a count of their own, because a right password precedes every guess of a code. */
    code: { keyPrefix: 'sign-in-code', ...inWindow },
    /** Codes by account and day. A success in between does not end this count. */
    codeOfDay: { keyPrefix: 'sign-in-code-day', ...inDay },
    // The same three rules for each known browser.
    devicePassword: { keyPrefix: 'sign-in-device', ...inWindow },
    deviceCode: { keyPrefix: 'sign-in-device-code', ...inWindow },
    deviceCodeOfDay: { keyPrefix: 'sign-in-device-day', ...inDay },
    // Requested mails by network, address and recipient. `openid/sign-in/throttle.ts` (`countMail`) counts them.
    mailNetwork: { keyPrefix: 'mail-network', points: networkFailures(limits), duration: failureWindow },
    mailAddress: { keyPrefix: 'mail-address', points: limits.addressFailures, duration: failureWindow },
    mail: { keyPrefix: 'mail', points: MAILS_AN_HOUR, duration: 3600 },
    /** Passwords that were sent through the link of one account. */
    link: { keyPrefix: 'link', ...inWindow },
    newPasskey: { keyPrefix: 'new-passkey', points: NEW_PASSKEYS_AN_HOUR, duration: 3600 },
  };
};

/**
 * The rules for wrong client secrets, by client and network (SEC-15). Wrong secrets are counted in memory. In the database, a count would
 * cost a query for each right secret, too.
 */
export const clientSecretRules = ({ failureWindow, ...limits }: FailureLimits) => ({
  network: { keyPrefix: 'client-secret-network', points: networkFailures(limits), duration: failureWindow },
  address: { keyPrefix: 'client-secret', points: limits.addressFailures, duration: failureWindow },
});

function networkFailures({
  addressFailures,
  networkFailures = ADDRESSES_OF_A_NETWORK * addressFailures,
}: Pick<FailureLimits, 'addressFailures' | 'networkFailures'>): number {
  return Math.max(networkFailures, addressFailures);
}

/** The rules for invalid access tokens, by network. They leave room for clients that send each of their expired tokens once or twice. */
export const INVALID_TOKEN_RULES = {
  network: { keyPrefix: 'invalid-token-network', points: 200 * ADDRESSES_OF_A_NETWORK, duration: 40 },
  address: { keyPrefix: 'invalid-token', points: 200, duration: 40 },
};

/**
 * The rules, by network, for answers of the directory that need no token but must be written anew for the request (in XML, indented or in
 * part). One takes some 2 ms.
 */
export const OPEN_RENDERING_RULES = {
  network: { keyPrefix: 'open-rendering-network', points: 600 * ADDRESSES_OF_A_NETWORK, duration: 60 },
  address: { keyPrefix: 'open-rendering', points: 600, duration: 60 },
};

/** The rule for tokens of clients themselves (client credentials), by client. A token is valid for an hour. */
export const serviceAccountRule = (points: number) => ({ keyPrefix: 'service-account-token', points, duration: 60 });

/** Maximum keys that a limiter in memory counts at once. Beyond that, it forgets the count that was unused for the longest time. */
const MOST_KEYS = 20_000;

class MemoryLimiter extends RateLimiterMemory {
  readonly #keys = new LRUCache<string | number, true>({
    ...entriesAtMost(MOST_KEYS),
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

/** Makes a limiter of this process alone. Its memory is bounded, whatever the number of keys. It counts by `consume` and `penalty`. */
export function memoryLimiter(rule: RateLimitRule): RateLimiterMemory {
  return new MemoryLimiter(rule);
}

/** Counts one more event. Returns 0, or the seconds until the window ends if the event exceeds the limit. */
export async function consume(limiter: Pick<RateLimiter, 'consume'>, key: string): Promise<number> {
  try {
    await limiter.consume(key);
    return 0;
  } catch (error) {
    if (error instanceof RateLimiterRes) return secondsOf(error);
    throw error;
  }
}

/** Returns 0, or the seconds until the window ends if the limit is reached. It counts nothing. */
export async function remainingWait(limiter: Pick<RateLimiter, 'get' | 'points'>, key: string): Promise<number> {
  const found = await limiter.get(key);
  return found && found.consumedPoints >= limiter.points && found.msBeforeNext > 0 ? secondsOf(found) : 0;
}

/** One of several counts that an attempt belongs to. */
export interface Count {
  limiter: Pick<RateLimiter, 'points' | 'consume' | 'get' | 'reward'>;
  key: string;
}

/**
 * Counts one more event in each limit and returns 0. If a limit is full, it counts in none and returns the seconds until the window of the
 * full limit ends. So a refusal by one limit neither uses up another limit nor writes anything.
 */
export async function consumeAll(counts: readonly Count[]): Promise<number> {
  return (await waitOf(counts)) || consumeEach(counts);
}

/** Returns 0, or the seconds until a window ends if its limit is full. It counts nothing. */
export async function waitOf(counts: readonly Count[]): Promise<number> {
  for (const { limiter, key } of counts) {
    const seconds = await remainingWait(limiter, key);
    if (seconds > 0) return seconds;
  }
  return 0;
}

/** Does the second half of `consumeAll`. Call it after `waitOf` has returned 0. */
export async function consumeEach(counts: readonly Count[]): Promise<number> {
  for (const [index, { limiter, key }] of counts.entries()) {
    const seconds = await consume(limiter, key);
    if (seconds === 0) continue;
    // Another attempt has filled this limit since `waitOf`.
    await rewardAll(counts.slice(0, index + 1));
    return seconds;
  }
  return 0;
}

/** Undoes the counts of `consumeAll`. */
export async function rewardAll(counts: readonly Count[]): Promise<void> {
  for (const { limiter, key } of counts) await limiter.reward(key);
}

/** Returns the seconds for the header Retry-After. */
export function secondsOf({ msBeforeNext }: Pick<RateLimiterRes, 'msBeforeNext'>): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}
