// Limits failed sign-ins (SEC-39, SEC-59) by the rules of `src/shared/rate-limits.ts`. Failures count by account and by network address;
// those of a browser that has signed in to the account before count by that browser alone. The account pages have limits here as well:
// requested mails, passwords sent through links, and new passkeys.

import { digest } from '#shared/crypto/digest.ts';
import { emailKey } from '#shared/email-address.ts';
import { type QueueKey, queueKeyOf } from '#shared/fair-queue.ts';
import { type LimitName, limitReached } from '#shared/limits-reached.ts';
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
      /** True if the attempt counts by its browser, not with those of strangers. */
      known: boolean;
      /**
       * Call it if the password was right. It takes back what this attempt counted for networks, and for a day. It forgets earlier failures of
       * the browser if this one is known, otherwise those of all unknown browsers at this account.
       */
      succeeded(): Promise<void>;
      /** Call it if the password was not checked: this was no failure. Earlier ones still count. */
      untried(): Promise<void>;
    };

/** Too many passwords wait, so this one would be turned away. Nothing was counted or written. */
interface Busy {
  outcome: 'busy';
}

export interface Throttle {
  /**
   * Checks whether a password may be tried. An attempt counts as a failure from here on, until it is reported as a success, so that
   * parallel guesses can never exceed the limit. `device` identifies a browser that is known to the account. Once it has failed too often,
   * it counts as unknown.
   */
  begin(login: string, address: string, device?: string): Promise<SignInAttempt | Busy>;
  /** Does the same for a code of the account's second factor. */
  beginCode(accountId: string, address: string, device?: string): Promise<SignInAttempt>;
  /**
   * Does the same for a passkey, which nobody guesses. Unknown browsers are counted by network alone, so failures never close an account.
   */
  beginPasskey(address: string, device?: string): Promise<SignInAttempt>;
}

interface FailureCount extends Count {
  limiter: RateLimiter;
  /** True if a success resets the count. Otherwise a success only undoes its own count: somebody else's guesses still count. */
  endedBySuccess: boolean;
}

interface ThrottleOptions {
  /** Tells whether a password from this queue would be turned away. By default, none is. */
  full?: (queueKey: QueueKey) => boolean;
  /** Tells whether everybody signs in with this login, as in a sandbox. */
  isShared?: (login: string) => boolean;
}

/** Makes the throttle that counts with these limiters. */
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
      // The password of a shared person is published, so counting wrong ones would only lock out others.
      const counts = isShared(login) ? network : [...network, ofPasswords(limiters, login)];
      const seconds = await waitOf(counts);
      // Nothing is counted here: a flood that fills the queue must not leave rows of all the logins that it tries.
      if (seconds === 0 && full(queueKeyOf(address))) {
        limitReached('password-queue');
        return { outcome: 'busy' };
      }
      return asStranger(network, counts, seconds || (await consumeEach(counts)));
    },
    beginCode: async (accountId, address, device) => {
      const known = await asKnown(device === undefined ? [] : ofDeviceCodes(limiters, device));
      if (known) return known;
      const network = ofNetworks(limiters, address);
      const counts = [...network, ...ofCodes(limiters, accountId)];
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
 * Counts a requested mail for a login or account, existing or not. Returns 0, or the seconds to wait if there were too many for it or from
 * the network.
 */
export function countMail(limiters: SignInLimiters, recipient: string, address: string): Promise<number> {
  const networks = ofNetworks({ network: limiters.mailNetwork, address: limiters.mailAddress }, address);
  return refusedBy('mails', consumeAll([...networks, { limiter: limiters.mail, key: keyOfLogin(recipient) }]));
}

/** Counts a password that is sent through an account's link, since each costs a hash. Returns 0, or the seconds to wait. */
export function countLinkUse({ link }: SignInLimiters, accountId: string): Promise<number> {
  return refusedBy('link-passwords', consumeAll([{ limiter: link, key: digest(accountId) }]));
}

/** Counts a new passkey that is sent for an account. Returns 0, or the seconds to wait. */
export function countNewPasskey({ newPasskey }: SignInLimiters, accountId: string): Promise<number> {
  return refusedBy('new-passkeys', consumeAll([{ limiter: newPasskey, key: digest(accountId) }]));
}

async function refusedBy(limit: LimitName, counted: Promise<number>): Promise<number> {
  const seconds = await counted;
  if (seconds > 0) limitReached(limit);
  return seconds;
}

/** Forgets wrong passwords of unknown browsers: the person has just chosen a new one. */
export async function forgetWrongPasswords(limiters: SignInLimiters, login: string): Promise<void> {
  const { limiter, key } = ofPasswords(limiters, login);
  await limiter.delete(key);
}

// The wide network comes first: once its count is full, it leaves no further rows, whatever addresses and logins it tries.
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

function ofCodes({ code, codeOfDay }: SignInLimiters, accountId: string): FailureCount[] {
  return codes(code, codeOfDay, accountId);
}

function ofDevicePasswords({ devicePassword }: SignInLimiters, device: string): FailureCount {
  return { limiter: devicePassword, key: digest(device), endedBySuccess: true };
}

function ofDeviceCodes({ deviceCode, deviceCodeOfDay }: SignInLimiters, device: string): FailureCount[] {
  return codes(deviceCode, deviceCodeOfDay, device);
}

function codes(ofWindow: RateLimiter, ofDay: RateLimiter, name: string): FailureCount[] {
  const key = digest(name);
  return [
    { limiter: ofWindow, key, endedBySuccess: true },
    { limiter: ofDay, key, endedBySuccess: false },
  ];
}

/**
 * When unknown browsers no longer have to wait for an account after wrong passwords or codes, in seconds since 1970; undefined if they need
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

/** Forgets the failures of unknown browsers at an account. Those of networks, and of each known browser, still count. */
export async function endPause(limiters: SignInLimiters, account: Pick<Account, 'id' | 'email'>): Promise<void> {
  for (const { limiter, key } of countsOf(limiters, account)) await limiter.delete(key);
}

function countsOf(limiters: SignInLimiters, account: Pick<Account, 'id' | 'email'>): FailureCount[] {
  return [ofPasswords(limiters, loginOf(account)), ...ofCodes(limiters, account.id)];
}

/** Digest of a login, ignoring case as accounts do. */
export function keyOfLogin(login: string): string {
  return digest(emailKey(login));
}
