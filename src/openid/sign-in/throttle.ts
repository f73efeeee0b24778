// Limits failed sign-ins (SEC-39, SEC-59) by the rules of `src/shared/rate-limits.ts`. Failures are counted by account and by network
// address. If the browser has signed in to the account before, its failures are counted by that browser alone. Some limits of the account
// pages are here too: requested mails, passwords that are sent through links, and new passkeys.

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
      /** True if the attempt is counted for its browser, and not together with those of unknown browsers. */
      known: boolean;
      /**
       * Call it if the password was right. It undoes what this attempt counted for networks and for the day. It also forgets earlier
       * failures: those of this browser if it is known, otherwise those of all unknown browsers at this account.
       */
      succeeded(): Promise<void>;
      /** Call it if the password was not checked. It takes back what this attempt counted, and leaves earlier failures. */
      untried(): Promise<void>;
    };

/** Too many passwords wait to be checked, so this one would not be accepted. Nothing was counted or written. */
interface Busy {
  outcome: 'busy';
}

export interface Throttle {
  /**
   * Checks whether a password may be tried. The attempt counts as a failure until `succeeded` or `untried` is called, so that parallel
   * guesses can never exceed the limit. `device` identifies a browser that the account knows. After too many failures, the browser is
   * treated as unknown.
   */
  begin(login: string, address: string, device?: string): Promise<SignInAttempt | Busy>;
  /** Does the same for a code of a second factor. */
  beginCode(accountId: string, address: string, device?: string): Promise<SignInAttempt>;
  /**
   * Does the same for a passkey, which nobody can guess. Failures of unknown browsers are counted by network alone, so they never lock an
   * account.
   */
  beginPasskey(address: string, device?: string): Promise<SignInAttempt>;
}

interface FailureCount extends Count {
  limiter: RateLimiter;
  /**
   * True if a success removes all failures of this count. Otherwise a success only takes back its own attempt, because guesses of others
   * must stay counted.
   */
  endedBySuccess: boolean;
}

interface ThrottleOptions {
  /** Tells whether the queue would refuse a password under this key. By default it never does. */
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
      // The password of a shared account is public, so counting wrong ones would only lock out others.
      const counts = isShared(login) ? network : [...network, ofPasswords(limiters, login)];
      const seconds = await waitOf(counts);
      // Nothing is counted here, so that a flood that fills the queue leaves no rows for the logins that it tries.
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
 * Counts a requested mail for a login or account, even if there is no such account. Returns 0, or the seconds to wait if the login or the
 * network has requested too many.
 */
export function countMail(limiters: SignInLimiters, recipient: string, address: string): Promise<number> {
  const networks = ofNetworks({ network: limiters.mailNetwork, address: limiters.mailAddress }, address);
  return refusedBy('mails', consumeAll([...networks, { limiter: limiters.mail, key: keyOfLogin(recipient) }]));
}

/** Counts a password that is sent through the link of a mail, since each costs a hash. Returns 0, or the seconds to wait. */
export function countLinkUse({ link }: SignInLimiters, accountId: string): Promise<number> {
  return refusedBy('link-passwords', consumeAll([{ limiter: link, key: digest(accountId) }]));
}

/** Counts a new passkey that a person tries to add. Returns 0, or the seconds to wait. */
export function countNewPasskey({ newPasskey }: SignInLimiters, accountId: string): Promise<number> {
  return refusedBy('new-passkeys', consumeAll([{ limiter: newPasskey, key: digest(accountId) }]));
}

async function refusedBy(limit: LimitName, counted: Promise<number>): Promise<number> {
  const seconds = await counted;
  if (seconds > 0) limitReached(limit);
  return seconds;
}

/** Forgets wrong passwords of unknown browsers, because the person has just chosen a new password. */
export async function forgetWrongPasswords(limiters: SignInLimiters, login: string): Promise<void> {
  const { limiter, key } = ofPasswords(limiters, login);
  await limiter.delete(key);
}

// An attempt is counted for the wide network first. If that count is full, the attempt leaves no further rows, whatever addresses and
// logins it tries.
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
 * The time (seconds since 1970) until which unknown browsers must wait before they try this account again; undefined if they need not wait.
 */
export async function pausedUntil(
  limiters: SignInLimiters,
  account: Pick<Account, 'id' | 'email'>,
): Promise<number | undefined> {
  const waits = await Promise.all(countsOf(limiters, account).map(({ limiter, key }) => remainingWait(limiter, key)));
  const longest = Math.max(...waits);
  return longest > 0 ? Math.floor(Date.now() / 1000) + longest : undefined;
}

/** Forgets the failures of unknown browsers at an account. Failures of networks and of known browsers stay. */
export async function endPause(limiters: SignInLimiters, account: Pick<Account, 'id' | 'email'>): Promise<void> {
  for (const { limiter, key } of countsOf(limiters, account)) await limiter.delete(key);
}

function countsOf(limiters: SignInLimiters, account: Pick<Account, 'id' | 'email'>): FailureCount[] {
  return [ofPasswords(limiters, loginOf(account)), ...ofCodes(limiters.code, limiters.codeOfDay, account.id)];
}

/** Digest of a login. Ignores letter case, as accounts do. */
export function keyOfLogin(login: string): string {
  return digest(emailKey(login));
}
