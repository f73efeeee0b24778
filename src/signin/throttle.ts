// Limits failed sign-ins by account and by network address (SEC-39), by the rules of `src/shared/rate-limits.ts`.

import { digest } from '../shared/crypto/digest.ts';
import { networkOf } from '../shared/network-prefix.ts';
import { consume, type RateLimiter, remainingWait } from '../shared/rate-limits.ts';
import type { SignInLimiters } from '../store/accounts/sign-in-limiters.ts';

export type Attempt =
  | { outcome: 'waiting' /** Seconds until the next attempt is allowed. */; seconds: number }
  | {
      outcome: 'open';
      /** The password was right: the account's failures are forgotten. */
      succeeded(): Promise<void>;
      /** The password was not checked: this was no failure, and those before it still count. */
      untried(): Promise<void>;
    };

export interface Throttle {
  /**
   * Whether a password may be tried. An attempt counts as a failure from here on, until it is reported as a success:
   * guesses made in parallel can therefore never be more than the limit.
   */
  begin(login: string, address: string): Promise<Attempt>;
  /** The same for a code of the account's second factor. */
  beginCode(accountId: string, address: string): Promise<Attempt>;
}

interface Count {
  limiter: RateLimiter;
  key: string;
  /** A success ends the count. Otherwise it is only no failure itself: somebody else's guesses still count. */
  endedBySuccess: boolean;
}

/** Throttling by these limiters. */
export function createThrottle(limiters: SignInLimiters): Throttle {
  const begin = async (address: string, ofAccount: readonly Count[]): Promise<Attempt> => {
    const counts = [{ limiter: limiters.address, key: keyOfAddress(address), endedBySuccess: false }, ...ofAccount];
    for (const { limiter, key } of counts) {
      const seconds = await consume(limiter, key);
      if (seconds > 0) return { outcome: 'waiting', seconds };
    }
    return {
      outcome: 'open',
      succeeded: async () => {
        for (const { limiter, key, endedBySuccess } of counts) {
          await (endedBySuccess ? limiter.delete(key) : limiter.reward(key));
        }
      },
      untried: async () => {
        for (const { limiter, key } of counts) await limiter.reward(key);
      },
    };
  };
  return {
    begin: (login, address) => begin(address, [ofPasswords(limiters, login)]),
    beginCode: (accountId, address) => begin(address, ofCodes(limiters, accountId)),
  };
}

function ofPasswords({ password }: SignInLimiters, login: string): Count {
  return { limiter: password, key: keyOfLogin(login), endedBySuccess: true };
}

function ofCodes({ code, codeOfDay }: SignInLimiters, accountId: string): Count[] {
  const key = digest(accountId);
  return [
    { limiter: code, key, endedBySuccess: true },
    { limiter: codeOfDay, key, endedBySuccess: false },
  ];
}

interface AccountKeys {
  id: string;
  email: string;
}

/** Second (since the epoch) until which an account has to wait after wrong passwords or codes, if it has to. */
export async function pausedUntil(limiters: SignInLimiters, account: AccountKeys): Promise<number | undefined> {
  const waits = await Promise.all(countsOf(limiters, account).map(({ limiter, key }) => remainingWait(limiter, key)));
  const longest = Math.max(...waits);
  return longest > 0 ? Math.floor(Date.now() / 1000) + longest : undefined;
}

/** Forgets the failures of an account; those of network addresses still count. */
export async function endPause(limiters: SignInLimiters, account: AccountKeys): Promise<void> {
  for (const { limiter, key } of countsOf(limiters, account)) await limiter.delete(key);
}

function countsOf(limiters: SignInLimiters, { id, email }: AccountKeys): Count[] {
  return [ofPasswords(limiters, email), ...ofCodes(limiters, id)];
}

/** Digest of a login as accounts are compared: without regard to case. */
export function keyOfLogin(login: string): string {
  return digest(login.trim().toLowerCase());
}

/** Digest of an address, or of the network that counts as one. */
export function keyOfAddress(address: string): string {
  return digest(networkOf(address));
}
