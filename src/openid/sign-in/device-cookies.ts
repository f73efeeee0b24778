// Recognizes browsers that have signed in to an account before (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). Failures
// of strangers never lock a known browser out (SEC-59).

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSignInValid } from '#store/accounts/end-sessions.ts';
import { COOKIES, cookieName, cookiesOf, writeCookie } from '#web/http/cookies.ts';
import { keyOfLogin } from './throttle.ts';

/**
 * Seconds for which a browser is known after its last sign-in. Replaced cookie keys are kept for the same time, because they verify the
 * cookie.
 */
export const DEVICE_COOKIE_LIFETIME = 90 * 86_400;

/**
 * Maximum number of accounts that know one browser, because many people use the same browser on a ward. If there are more, the account with
 * the oldest sign-in is forgotten.
 */
const MOST_ACCOUNTS = 5;

export type DeviceCookies = ReturnType<typeof createDeviceCookies>;

interface DeviceCookieOptions {
  /** Path of the pages that ask for a password or code. */
  path: string;
  /** True if the scheme of the issuer is https. */
  secure: boolean;
  /** Keys for the cookie. The first key signs new cookies; each key can verify cookies. */
  keys: readonly string[];
  /**
   * Returns the time before which sign-ins to the account with this login are no longer valid, in seconds since 1970; undefined if there is
   * no such account.
   */
  notBefore(login: string): Promise<number | undefined>;
}

/** The entry for one account in the cookie. It does not reveal the account or the person. */
interface Entry {
  nonce: string;
  /** Time of the sign-in, in seconds since 1970. */
  at: number;
  mac: string;
}

/**
 * Makes the functions that read and write the cookie of known browsers. Each entry of the cookie has a random nonce, the time of the
 * sign-in, and an HMAC of the nonce, the time and the login. An entry becomes invalid when the sessions of its account end
 * (`sessionsNotBefore`): because of a new password or another second factor, or because the account is disabled.
 */
export function createDeviceCookies({ path, secure, keys, notBefore }: DeviceCookieOptions) {
  const name = cookieName(COOKIES.devices, { secure, path });
  const [signingKey = ''] = keys;

  const entryFor = (entries: readonly Entry[], login: string): Entry | undefined =>
    entries.find((entry) =>
      keys.some((key) => timingSafeEqual(Buffer.from(entry.mac), Buffer.from(macOf(key, login, entry)))),
    );

  /**
   * Returns the id under which `Throttle` counts the failures of this browser; undefined if the account with this login does not know the
   * browser.
   */
  const deviceOf = async (req: IncomingMessage, login: string): Promise<string | undefined> => {
    const entry = entryFor(entriesOf(req, name), login);
    if (!entry || entry.at + DEVICE_COOKIE_LIFETIME < Date.now() / 1000) return undefined;
    const sessionsNotBefore = await notBefore(login);
    if (sessionsNotBefore === undefined) return undefined;
    return isSignInValid({ sessionsNotBefore }, entry.at, undefined) ? entry.nonce : undefined;
  };

  return {
    deviceOf,
    /** Checks whether the browser is known to the account with this login and to no other account. */
    isOwn: async (req: IncomingMessage, login: string) =>
      entriesOf(req, name).length === 1 && (await deviceOf(req, login)) !== undefined,
    /** Makes the browser known to an account after a complete sign-in. `signedInAt` comes from `signInTime`. */
    remember: (req: IncomingMessage, res: ServerResponse, signIn: { login: string; signedInAt: number }): void => {
      const { login, signedInAt } = signIn;
      const before = entriesOf(req, name);
      const others = before.filter((entry) => entry !== entryFor(before, login));
      const fresh = { nonce: randomBytes(16).toString('base64url'), at: signedInAt };
      const entries = [{ ...fresh, mac: macOf(signingKey, login, fresh) }, ...others].slice(0, MOST_ACCOUNTS);
      const value = entries.map(({ nonce, at, mac }) => `${nonce}~${at}~${mac}`).join('.');
      writeCookie(res, `${name}=${value}`, { path, seconds: DEVICE_COOKIE_LIFETIME, secure });
    },
  };
}

const ENTRY = /^([\w-]{22})~(\d{1,12})~([\w-]{43})$/;

function entriesOf(req: IncomingMessage, name: string): Entry[] {
  const value = cookiesOf(req).get(name) ?? '';
  return value.split('.', MOST_ACCOUNTS).flatMap((text) => {
    const [, nonce = '', at, mac = ''] = ENTRY.exec(text) ?? [];
    return at === undefined ? [] : [{ nonce, at: Number(at), mac }];
  });
}

function macOf(key: string, login: string, { nonce, at }: Pick<Entry, 'nonce' | 'at'>): string {
  return createHmac('sha256', key)
    .update(`device\n${keyOfLogin(login)}\n${nonce}\n${at}`)
    .digest('base64url');
}
