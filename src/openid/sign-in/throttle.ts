// Limits failed sign-ins (SEC-39, SEC-59) by the rules of `src/shared/rate-limits.ts`. Failures are counted by account and by network
// address. The failures of a browser that has signed in to the account before are counted for that browser alone. This file also has some
// limits of the account pages: for requested mails, for new passkeys, and for passwords that are chosen on a page behind the link in a
// mail.

import { digest } from '#shared/crypto/digest.ts';
import { type QueueKey, queueKeyOf } from '#shared/fair-queue.ts';
import { type LimitName, limitReached } from '#shared/limits-reached.ts';
import { emailKey } from '#shared/names.ts';
import { prefixesOf } from '#shared/network-prefix.ts';
import {
  type Count,
  consumeAll,
  consumeEach,
  type RateLimiter,
  remainingWait,
  rewardAll,
  waitOf,
} from '#shared/rate-limits.ts';
import { type Account, loginOf } from '#store/accounts/account-row.ts';
import type { SignInLimiters } from '#store/accounts/failed-sign-ins.ts';
import type { Pause } from '#web/forms/pause-notice.ts';

export type SignInAttempt =
  | ({ outcome: 'waiting' } & Pause)
  | {
      outcome: 'open';
      /** True if the attempt is counted for its browser alone. Attempts of unknown browsers are counted together. */
      known: boolean;
      /**
       * Call this if the password, code or passkey was right. The attempt is then no longer counted. Earlier failures of the same kind are
       * forgotten: those of this browser if it is known, otherwise those of all unknown browsers at this account. Only the counts of
       * networks and the daily count of codes still contain these failures.
       */
      succeeded(): Promise<void>;
      /** Call this if the password, code or passkey was not checked. The attempt is then no longer counted, and earlier failures stay. */
      untried(): Promise<void>;
    };

export interface Throttle {
  /**
   * Checks whether a password may be tried. The attempt is counted as a failure until `succeeded` or `untried` is called, so that parallel
   * guesses can never exceed the limit. `device` identifies a browser that the account knows. After too many failures, such a browser is
   * treated as an unknown one. The outcome is `busy` if the queue of passwords that wait for a check is full. Then the attempt was not
   * counted, and nothing was stored.
   */
  begin(login: string, address: string, device?: string): Promise<SignInAttempt | { outcome: 'busy' }>;
  /** Does the same as `begin`, for a code of a second factor. */
  beginCode(accountId: string, address: string, device?: string): Promise<SignInAttempt>;
  /**
   * Does the same as `begin`, for a passkey. Failures of unknown browsers are counted by network alone, because nobody can guess a passkey.
   * So they never lock an account.
   */
  beginPasskey(address: string, device?: string): Promise<SignInAttempt>;
}

interface FailureCount extends Count {
  limiter: RateLimiter;
  /**
   * True if a success removes all failures of this count. If false, a success removes only its own attempt, because guesses of others must
   * stay counted.
   */
  endedBySuccess: boolean;
}

interface ThrottleOptions {
  /** Tells whether the queue of password checks has no room for another check under this key. The default always returns false. */
  full?: (queueKey: QueueKey) => boolean;
  /** Tells whether everybody signs in with this login, as in a sandbox. The default always returns false. */
  isShared?: (login: string) => boolean;
}

/** Makes the throttle, which stores its counts through `limiters`. */
export function createThrottle(
  limiters: SignInLimiters,
  { full = () => false, isShared = () => false }: ThrottleOptions = {},
): Throttle {
  const asKnown = async (counts: readonly FailureCount[]): Promise<SignInAttempt | undefined> =>
    counts.length > 0 && (await consumeAll(counts)) === 0 ? open(counts, true) : undefined;
  const asStranger = async (
    network: readonly FailureCount[],
    counts: readonly FailureCount[],
    seconds: number,
  ): Promise<SignInAttempt> => {
    if (seconds === 0) return open(counts, false);
    const of = (await waitOf(network)) > 0 ? 'network' : 'account';
    limitReached(`sign-in-${of}`);
    return { outcome: 'waiting', seconds, of };
  };
  return {
    begin: async (login, address, device) => {
      const known = await asKnown(device === undefined ? [] : [ofDevicePasswords(limiters, device)]);
      if (known) return known;
      const network = ofNetworks(limiters, address);
      // Wrong passwords for a shared account are not counted, because its password is public, and the count would only lock out others.
      const counts = isShared(login) ? network : [...network, ofPasswords(limiters, login)];
      const seconds = await waitOf(counts);
      // This check comes before the attempt is counted, so that a flood that fills the queue leaves no rows for the logins that it tries.
      if (seconds === 0 && full(queueKeyOf(address))) {
        limitReached('password-queue');
        return { outcome: 'busy' };
      }
      return asStranger(network, counts, seconds || (await consumeEach(counts)));
    },
    beginCode: async (accountId, address, device) => {
      const known = await asKnown(
        device === undefined ? [] : ofCodes(limiters.deviceCode, limiters.deviceCodeOfDay, device),
      );
      if (known) return known;
      const network = ofNetworks(limiters, address);
      const counts = [...network, ...ofCodes(limiters.code, limiters.codeOfDay, accountId)];
      return asStranger(network, counts, await consumeAll(counts));
    },
    beginPasskey: async (address, device) => {
      const known = await asKnown(device === undefined ? [] : [ofDevicePasswords(limiters, device)]);
      if (known) return known;
      const network = ofNetworks(limiters, address);
      return asStranger(network, network, await consumeAll(network));
    },
  };
}

function open(counts: readonly FailureCount[], known: boolean): SignInAttempt {
  return {
    outcome: 'open',
    known,
    succeeded: async () => {
      for (const { limiter, key, endedBySuccess } of counts) {
        await (endedBySuccess ? limiter.delete(key) : limiter.reward(key));
      }
    },
    untried: () => rewardAll(counts),
  };
}

/**
 * Counts a requested mail for a login or account, even if there is no such account. Returns 0 if the mail is allowed. If too many mails
 * were requested for the login or from the network, returns the seconds to wait.
 */
export function countMail(limiters: SignInLimiters, recipient: string, address: string): Promise<number> {
  const networks = ofNetworks({ network: limiters.mailNetwork, address: limiters.mailAddress }, address);
  return refusedBy('mails', consumeAll([...networks, { limiter: limiters.mail, key: keyOfLogin(recipient) }]));
}

/**
 * Counts a password that a person chooses on a page behind the link in a mail (`account/links/choose-password.ts`), because each such
 * password costs the service a hash. Returns 0 if the password is allowed. After too many of them, returns the seconds to wait.
 */
export function countLinkUse({ link }: SignInLimiters, accountId: string): Promise<number> {
  return refusedBy('link-passwords', consumeAll([{ limiter: link, key: digest(accountId) }]));
}

/** Counts an attempt to add a new passkey. Returns 0 if the attempt is allowed. After too many attempts, returns the seconds to wait. */
export function countNewPasskey({ newPasskey }: SignInLimiters, accountId: string): Promise<number> {
  return refusedBy('new-passkeys', consumeAll([{ limiter: newPasskey, key: digest(accountId) }]));
}

async function refusedBy(limit: LimitName, counted: Promise<number>): Promise<number> {
  const seconds = await counted;
  if (seconds > 0) limitReached(limit);
  return seconds;
}

/** Forgets the wrong passwords that unknown browsers have sent for this login. Call it when the person has chosen a new password. */
export async function forgetWrongPasswords(limiters: SignInLimiters, login: string): Promise<void> {
  const { limiter, key } = ofPasswords(limiters, login);
  await limiter.delete(key);
}

// Returns the counts for the networks of an address, the wide network first. If the count of the wide network is full, the attempt is not
// added to the other counts. So further attempts from that network store no rows, even if each has another address and login.
function ofNetworks(
  { network, address: ofAddress }: Pick<SignInLimiters, 'network' | 'address'>,
  address: string,
): FailureCount[] {
  const { narrow, wide } = prefixesOf(address);
  return [
    { limiter: network, key: digest(wide), endedBySuccess: false },
    { limiter: ofAddress, key: digest(narrow), endedBySuccess: false },
  ];
}

function ofPasswords({ password }: SignInLimiters, login: string): FailureCount {
  return { limiter: password, key: keyOfLogin(login), endedBySuccess: true };
}

function ofDevicePasswords({ devicePassword }: SignInLimiters, device: string): FailureCount {
  return { limiter: devicePassword, key: digest(device), endedBySuccess: true };
}

function ofCodes(ofWindow: RateLimiter, ofDay: RateLimiter, name: string): FailureCount[] {
  const key = digest(name);
  return [
    { limiter: ofWindow, key, endedBySuccess: true },
    { limiter: ofDay, key, endedBySuccess: false },
  ];
}

/**
 * Returns the time until which unknown browsers must wait before they try this account again, in seconds since 1970; undefined if they need
 * not wait.
 */
export async function pausedUntil(
  limiters: SignInLimiters,
  account: Pick<Account, 'id' | 'email'>,
): Promise<number | undefined> {
  const waits = await Promise.all(countsOf(limiters, account).map(({ limiter, key }) => remainingWait(limiter, key)));
  const longest = Math.max(...waits);
  return longest > 0 ? Math.floor(Date.now() / 1000) + longest : undefined;
}

/** Forgets the failures of unknown browsers at an account. The failures that are counted by network or for a known browser stay. */
export async function endPause(limiters: SignInLimiters, account: Pick<Account, 'id' | 'email'>): Promise<void> {
  for (const { limiter, key } of countsOf(limiters, account)) await limiter.delete(key);
}

function countsOf(limiters: SignInLimiters, account: Pick<Account, 'id' | 'email'>): FailureCount[] {
  return [ofPasswords(limiters, loginOf(account)), ...ofCodes(limiters.code, limiters.codeOfDay, account.id)];
}

/** Returns a digest of a login. Upper and lower case give the same digest, because accounts ignore case too. */
export function keyOfLogin(login: string): string {
  return digest(emailKey(login));
}
