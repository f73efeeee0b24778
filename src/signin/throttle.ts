// Owns how many failed sign-ins an account and a network address may have before further ones wait (SEC-39).
// Does not own where they are counted (`src/store/sign-in-failures.ts`) nor the check of the password.

import { digest } from '../shared/digest.ts';
import { networkOf } from '../shared/network.ts';
import type { Settings } from '../shared/settings.ts';
import type { SignInFailures } from '../store/sign-in-failures.ts';

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

/** Throttling by the limits of the settings. */
export function createThrottle(failures: SignInFailures, limits: Settings['limits']): Throttle {
  const begin = async (account: string, place: string): Promise<Attempt> => {
    const byAddress = await failures.add(place, limits.failureWindow);
    if (byAddress.count > limits.addressFailures) return waiting(byAddress.until);
    const byAccount = await failures.add(account, limits.failureWindow);
    if (byAccount.count > limits.accountFailures) return waiting(byAccount.until);
    return {
      outcome: 'open',
      succeeded: async () => {
        await failures.clear(account);
        await failures.takeBack(place);
      },
      untried: async () => {
        await failures.takeBack(account);
        await failures.takeBack(place);
      },
    };
  };
  return {
    begin: (login, address) => begin(keyOfAccount(login), keyOfAddress(address)),
    beginCode: (accountId, address) => begin(keyOfSecondFactor(accountId), keyOfAddress(address)),
  };
}

interface Who {
  id: string;
  email: string;
}

/** Second until which an account has to wait, after wrong passwords or codes; undefined when its next try is heard. */
export async function pausedUntil(
  failures: Pick<SignInFailures, 'find'>,
  { accountFailures }: Pick<Settings['limits'], 'accountFailures'>,
  account: Who,
): Promise<number | undefined> {
  const found = await Promise.all(keysOf(account).map((key) => failures.find(key)));
  const pauses = found.flatMap((failed) => (failed && failed.count >= accountFailures ? [failed.until] : []));
  return pauses.length > 0 ? Math.max(...pauses) : undefined;
}

/** Forgets the failures of an account; those of network addresses still count. */
export async function endPause(failures: Pick<SignInFailures, 'clear'>, account: Who): Promise<void> {
  await Promise.all(keysOf(account).map((key) => failures.clear(key)));
}

function keysOf({ id, email }: Who): string[] {
  return [keyOfAccount(email), keyOfSecondFactor(id)];
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
