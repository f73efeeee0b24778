// The rules of all rate limits: the counted event, its key, the limit and the window. The library rate-limiter-flexible does the counting.
// `docs/operating/limits.md` explains them to operators.

import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { entriesAtMost } from '#shared/entries-at-most.ts';

/**
 * A limit in the terms of rate-limiter-flexible: at most `points` events in a window of `duration` seconds, which begins with the first
 * event.
 */
export interface RateLimitRule {
  /** Name of the rule, which separates the keys of different rules. */
  keyPrefix: string;
  points: number;
  duration: number;
}

/** The members of the library's limiters that are used, in memory or in the database. */
export type RateLimiter = Pick<RateLimiterMemory, 'points' | 'consume' | 'get' | 'reward' | 'delete'>;

/** The `limits` of the settings: maximum numbers of failures in a window of `failureWindow` seconds. */
export interface FailureLimits {
  accountFailures: number;
  /** Maximum failures of an IPv4 address or an IPv6 /64. */
  addressFailures: number;
  /** Maximum failures of an IPv4 /24 or an IPv6 /48. The default is ten times `addressFailures`. */
  networkFailures?: number;
  failureWindow: number;
}

/**
 * Factor between the limit of one address and the limit of the wide network around it. It is far below the number of addresses, because an
 * attacker may use all of them: the 256 addresses of a /24, or the 65,536 /64 networks of a /48. But it is large enough for a hospital
 * behind one such network. By default an address may fail 100 times, so a network may fail 1000 times. The people of a hospital are rarely
 * wrong so often in a quarter of an hour, and failures in browsers that have signed in before are not counted for the network.
 */
const ADDRESSES_OF_A_NETWORK = 10;

const DAY = 86_400;
/**
 * Maximum wrong codes in a day, as a multiple of `accountFailures`. There has to be a limit for the day, too: codes have only six digits,
 * so somebody with the password could find one by guessing for long enough.
 */
const CODE_WINDOWS_A_DAY = 5;

/**
 * Maximum mails to one recipient in an hour, whether or not the account exists. There may be several, because people ask again while they
 * wait for a slow mail.
 */
const MAILS_AN_HOUR = 5;

/** Maximum attempts to add a passkey in an hour, successful or not. The number equals the maximum of passkeys that an account may have. */
const NEW_PASSKEYS_AN_HOUR = 20;

/**
 * The rules for failed sign-ins (SEC-39, SEC-59). Failures are counted in the database, so that all instances share the counts and a
 * restart forgets none. A browser that has signed in to the account before has counts of its own, which strangers cannot use up.
 */
export const signInRules = ({ accountFailures, failureWindow, ...limits }: FailureLimits) => {
  const inWindow = { points: accountFailures, duration: failureWindow };
  const inDay = { points: CODE_WINDOWS_A_DAY * accountFailures, duration: DAY };
  return {
    /** Failures of unknown browsers with passwords, codes and passkeys together: in a wide network, and from an address. */
    network: { keyPrefix: 'sign-in-network', points: networkFailures(limits), duration: failureWindow },
    address: { keyPrefix: 'sign-in-address', points: limits.addressFailures, duration: failureWindow },
    /** Wrong passwords from all unknown browsers together, by login. The account need not exist. */
    password: { keyPrefix: 'sign-in-password', ...inWindow },
    /**
     * Wrong codes by account. They have a count of their own, because the right password, which precedes each guess of a code, resets the
     * count of wrong passwords.
     */
    code: { keyPrefix: 'sign-in-code', ...inWindow },
    /** Wrong codes by account and day. Unlike the other counts, this one does not end with a success. */
    codeOfDay: { keyPrefix: 'sign-in-code-day', ...inDay },
    // The rules for passwords, codes and codes of a day, for each known browser by itself.
    devicePassword: { keyPrefix: 'sign-in-device', ...inWindow },
    deviceCode: { keyPrefix: 'sign-in-device-code', ...inWindow },
    deviceCodeOfDay: { keyPrefix: 'sign-in-device-day', ...inDay },
    // Requested mails by network, address and recipient. `openid/sign-in/throttle.ts` (`countMail`) counts them.
    mailNetwork: { keyPrefix: 'mail-network', points: networkFailures(limits), duration: failureWindow },
    mailAddress: { keyPrefix: 'mail-address', points: limits.addressFailures, duration: failureWindow },
    mail: { keyPrefix: 'mail', points: MAILS_AN_HOUR, duration: 3600 },
    /** New passwords from the pages that mailed links open, by account. All are counted, because each of them costs a hash. */
    link: { keyPrefix: 'link', ...inWindow },
    newPasskey: { keyPrefix: 'new-passkey', points: NEW_PASSKEYS_AN_HOUR, duration: 3600 },
  };
};

/**
 * The rules for wrong client secrets (SEC-15). They count for each client and network, and for each client and address. Wrong secrets are
 * counted in memory, because a count in the database would cost a query for each right secret, too.
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

/**
 * The rules for invalid access tokens, by network and by address. They leave room for clients that send each of their expired tokens once
 * or twice.
 */
export const INVALID_TOKEN_RULES = {
  network: { keyPrefix: 'invalid-token-network', points: 200 * ADDRESSES_OF_A_NETWORK, duration: 40 },
  address: { keyPrefix: 'invalid-token', points: 200, duration: 40 },
};

/**
 * The rules for requests to the directory without a token, by network and by address. They count only responses that differ from the stored
 * JSON: XML, indented JSON, or only some of the elements. Each of these has to be written anew, which takes some 2 ms of work.
 */
export const OPEN_RENDERING_RULES = {
  network: { keyPrefix: 'open-rendering-network', points: 600 * ADDRESSES_OF_A_NETWORK, duration: 60 },
  address: { keyPrefix: 'open-rendering', points: 600, duration: 60 },
};

/**
 * The rule for tokens of clients themselves (client credentials), by client. A client needs few of them, because a token is valid for an
 * hour.
 */
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

/** Makes a limiter of this process alone, which counts by `consume` and `penalty`. Its memory is bounded, whatever the number of keys. */
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

/** One of the counts to which an attempt is added. */
export interface Count {
  limiter: Pick<RateLimiter, 'points' | 'consume' | 'get' | 'reward'>;
  key: string;
}

/**
 * Adds one event to each count and returns 0. If one of them has reached its limit, adds the event to none, and returns the seconds until
 * the window of this limit ends. So a refusal by one limit neither uses up another limit nor writes anything.
 */
export async function consumeAll(counts: readonly Count[]): Promise<number> {
  return (await waitOf(counts)) || consumeEach(counts);
}

/** Returns 0, or the seconds until the window of a full limit ends. It counts nothing. */
export async function waitOf(counts: readonly Count[]): Promise<number> {
  for (const { limiter, key } of counts) {
    const seconds = await remainingWait(limiter, key);
    if (seconds > 0) return seconds;
  }
  return 0;
}

/** Adds one event to each count, like `consumeAll`, but without looking at the limits first. Call it after `waitOf` has returned 0. */
export async function consumeEach(counts: readonly Count[]): Promise<number> {
  for (const [index, { limiter, key }] of counts.entries()) {
    const seconds = await consume(limiter, key);
    if (seconds === 0) continue;
    // Another attempt has filled this limit since `waitOf`, so the counts of this attempt are undone.
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
