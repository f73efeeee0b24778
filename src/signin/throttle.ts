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
}

/** Throttling by the limits of the settings. */
export function createThrottle(failures: SignInFailures, limits: Settings['limits']): Throttle {
  return {
    begin: async (login, address) => {
      const account = keyOfAccount(login);
      const place = keyOfAddress(address);
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
    },
  };
}

/** Second until which an account has to wait after failed sign-ins; undefined when its next one is heard. */
export async function pausedUntil(
  failures: Pick<SignInFailures, 'find'>,
  { accountFailures }: Pick<Settings['limits'], 'accountFailures'>,
  login: string,
): Promise<number | undefined> {
  const found = await failures.find(keyOfAccount(login));
  return found && found.count >= accountFailures ? found.until : undefined;
}

/** Forgets the failures of an account; those of network addresses still count. */
export function endPause(failures: Pick<SignInFailures, 'clear'>, login: string): Promise<void> {
  return failures.clear(keyOfAccount(login));
}

function waiting(until: number): Attempt {
  return { outcome: 'waiting', seconds: Math.max(1, until - Math.floor(Date.now() / 1000)) };
}

/** Digest of a login as accounts are compared: without regard to case. Strangers' typing is not stored. */
export function keyOfAccount(login: string): string {
  return digest(`account ${login.trim().toLowerCase()}`);
}

/** Digest of an address, or of the network that counts as one. */
export function keyOfAddress(address: string): string {
  return digest(`address ${networkOf(address)}`);
}
