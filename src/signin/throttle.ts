// Owns how many failed sign-ins an account and a network address may have before further ones wait (SEC-39).
// Does not own where they are counted (`src/store/accounts/sign-in-failures.ts`) nor the check of the password.

import type { Settings } from '../config/settings.ts';
import { digest } from '../shared/crypto/digest.ts';
import { networkOf } from '../shared/network-prefix.ts';
import type { SignInFailures } from '../store/accounts/sign-in-failures.ts';

export type Attempt =
  | { outcome: 'waiting' /** Seconds until the next attempt is heard. */; seconds: number }
  | {
      outcome: 'open';
      /** The password was right: forget the account's failures. */
      succeeded(): Promise<void>;
      /** The password was not looked at: this was no failure, and those before it still count. */
      untried(): Promise<void>;
    };

export interface Throttle {
  /**
   * Asks whether a password may be tried. An attempt counts as a failure from here on, until it is reported as a
   * success: guesses made in parallel can therefore never be more than the limit.
   */
  begin(login: string, address: string): Promise<Attempt>;
  /**
   * The same for a code of the account's second factor. Counted by itself: a right password, which comes before it each
   * time, does not make wrong codes forgotten.
   */
  beginCode(accountId: string, address: string): Promise<Attempt>;
}

/** What is counted at an attempt. */
interface Count {
  key: string;
  /** Failures after which further ones wait, and the seconds over which they are counted. */
  most: number;
  seconds: number;
  /** A success ends the count. Otherwise it is only no failure itself: another one's guesses still count. */
  forgiving: boolean;
}

/**
 * Wrong codes of one account in a day, in terms of those after which it has to wait: who knows the password could otherwise
 * go on guessing six digits for ever, at the pace of the pauses.
 */
const PAUSES_A_DAY = 5;
const DAY = 86_400;

type Limits = Settings['limits'];

/** Throttling by the limits of the settings. */
export function createThrottle(failures: SignInFailures, limits: Limits): Throttle {
  const begin = async (address: string, account: readonly Count[]): Promise<Attempt> => {
    const { addressFailures, failureWindow } = limits;
    const place = { key: keyOfAddress(address), most: addressFailures, seconds: failureWindow, forgiving: false };
    const counts = [place, ...account];
    for (const { key, most, seconds } of counts) {
      const { count, until } = await failures.add(key, seconds);
      if (count > most) return waiting(until);
    }
    return {
      outcome: 'open',
      succeeded: async () => {
        for (const { key, forgiving } of counts) await (forgiving ? failures.clear(key) : failures.takeBack(key));
      },
      untried: async () => {
        for (const { key } of counts) await failures.takeBack(key);
      },
    };
  };
  return {
    begin: (login, address) => begin(address, [countOfPasswords(login, limits)]),
    beginCode: (accountId, address) => begin(address, countsOfCodes(accountId, limits)),
  };
}

function countOfPasswords(login: string, { accountFailures, failureWindow }: Limits): Count {
  return { key: keyOfAccount(login), most: accountFailures, seconds: failureWindow, forgiving: true };
}

function countsOfCodes(accountId: string, { accountFailures, failureWindow }: Limits): Count[] {
  const key = keyOfSecondFactor(accountId);
  return [
    { key, most: accountFailures, seconds: failureWindow, forgiving: true },
    { key: digest(`a day of ${key}`), most: PAUSES_A_DAY * accountFailures, seconds: DAY, forgiving: false },
  ];
}

interface Who {
  id: string;
  email: string;
}

/** Second until which an account has to wait, after wrong passwords or codes; undefined when its next try is heard. */
export async function pausedUntil(
  failures: Pick<SignInFailures, 'find'>,
  limits: Limits,
  account: Who,
): Promise<number | undefined> {
  const pauses: number[] = [];
  for (const { key, most } of countsOf(account, limits)) {
    const failed = await failures.find(key);
    if (failed && failed.count >= most) pauses.push(failed.until);
  }
  return pauses.length > 0 ? Math.max(...pauses) : undefined;
}

/** Forgets the failures of an account; those of network addresses still count. */
export async function endPause(failures: Pick<SignInFailures, 'clear'>, limits: Limits, account: Who): Promise<void> {
  for (const { key } of countsOf(account, limits)) await failures.clear(key);
}

function countsOf({ id, email }: Who, limits: Limits): Count[] {
  return [countOfPasswords(email, limits), ...countsOfCodes(id, limits)];
}

function waiting(until: number): Attempt {
  return { outcome: 'waiting', seconds: Math.max(1, until - Math.floor(Date.now() / 1000)) };
}

/** Digest of a login as accounts are compared: without regard to case. Strangers' typing is not stored. */
export function keyOfAccount(login: string): string {
  return digest(`account ${login.trim().toLowerCase()}`);
}

/** Digest of the account's id, under a name that no login can have. */
export function keyOfSecondFactor(accountId: string): string {
  return digest(`second factor ${accountId}`);
}

/** Digest of an address, or of the network that counts as one. */
export function keyOfAddress(address: string): string {
  return digest(`address ${networkOf(address)}`);
}
