// Sets and reads the service's own cookies, sealed or not. The names of all cookies get a prefix that browsers enforce (RFC 6265bis section
// 4.1.3): neither a neighbour host under the same domain nor an attacker on a plain connection can plant a cookie with this prefix in its
// name.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { seal, unseal } from '#shared/crypto/encryption.ts';

/** The names of all cookies. The file that sets a cookie explains its purpose. */
export const COOKIES = {
  session: 'hygie_session',
  interaction: 'hygie_interaction',
  resume: 'hygie_resume',
  page: 'hygie_page',
  account: 'hygie_account',
  devices: 'hygie_devices',
  kept: 'hygie_kept',
  request: 'hygie_request',
  signedIn: 'hygie_signed_in',
  finished: 'hygie_finished',
  accountSignIn: 'hygie_account_sign_in',
  link: 'hygie_link',
  arrival: 'hygie_arrival',
  language: 'hygie_language',
} as const;

interface Reach {
  /** True if the issuer is https. Over http, browsers refuse a cookie with a prefix. */
  secure: boolean;
  path: string;
}

/** Returns the name of a cookie with its prefix: `__Host-` if its path is `/`, otherwise `__Secure-`. Over http, the name has no prefix. */
export function cookieName(name: string, { secure, path }: Reach): string {
  if (!secure) return name;
  return path === '/' ? `__Host-${name}` : `__Secure-${name}`;
}

/**
 * Sets a cookie that scripts cannot read. Browsers send it when somebody follows a link on another site, but not with a form that another
 * site posts. If `seconds` is 0, the cookie is removed.
 */
export function writeCookie(
  res: ServerResponse,
  cookie: string,
  { path, seconds, secure }: Reach & { seconds: number },
): void {
  const gone = seconds === 0 ? '; Expires=Thu, 01 Jan 1970 00:00:00 GMT' : '';
  const attributes = `Path=${path}; Max-Age=${seconds}${gone}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  res.appendHeader('set-cookie', `${cookie}; ${attributes}`);
}

/**
 * Returns the cookies of a request. If several cookies have the same name, only the first is returned, because it has the longest path (RFC
 * 6265 section 5.4).
 */
export function cookiesOf({ headers }: IncomingMessage): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of (headers.cookie ?? '').split(';')) {
    const end = pair.indexOf('=');
    const name = pair.slice(0, end).trim();
    if (end > 0 && !cookies.has(name)) cookies.set(name, pair.slice(end + 1).trim());
  }
  return cookies;
}

// Sealed cookies keep data in the browser of a stranger, so that the data need no row in the database. They are encrypted, so nobody
// outside the service can read or change them. A text that is too large for one cookie is split into several.

/** Maximum characters of a part. Browsers accept 4,096 bytes of name and value together. */
const PART = 3800;
/**
 * Maximum parts of a text. Together with other cookies and an address of 8 KiB, they must fit into the 24 KiB that the server accepts for
 * the head of a request (`server/process/http-server.ts`).
 */
const MOST_PARTS = 3;

/** Thrown if a text needs more than `MOST_PARTS` cookies. */
export class TooLargeForCookies extends Error {}

/**
 * The limits of a sealed text. It opens only for the purpose that `context` names. Browsers send it only below `path`, and for `seconds`.
 */
interface Place {
  context: string;
  path: string;
  seconds: number;
}

export type SealedCookie = ReturnType<typeof sealedCookie>;

/**
 * Makes a sealed cookie with this name. `paths` is '/' for a cookie with the path `/`, and 'below' for one with any other path. The text is
 * sealed with the first of `keys`, and can be opened if it was sealed with any of them.
 */
export function sealedCookie(name: string, keys: readonly string[], secure: boolean, paths: '/' | 'below' = 'below') {
  const [first = ''] = keys;
  const prefixed = cookieName(name, { secure, path: paths });
  const nameOf = (index: number) => (index === 0 ? prefixed : `${prefixed}.${index}`);
  return {
    /** Returns the text that was written for this context. Returns undefined if there is none, or if it cannot be opened. */
    read: (req: IncomingMessage, context: string): string | undefined => {
      const cookies = cookiesOf(req);
      const [, count, start = ''] = /^([1-9])\.(.*)$/.exec(cookies.get(prefixed) ?? '') ?? [];
      if (count === undefined || Number(count) > MOST_PARTS) return undefined;
      const rest = Array.from({ length: Number(count) - 1 }, (_, index) => cookies.get(nameOf(index + 1)) ?? '');
      return unseal(keys, [start, ...rest].join(''), context);
    },
    /** Writes a text. Throws `TooLargeForCookies` if the text is too long. */
    write: (res: ServerResponse, text: string, { context, path, seconds }: Place): void => {
      const parts = seal(first, text, context).match(new RegExp(`.{1,${PART}}`, 'g')) ?? [];
      if (parts.length > MOST_PARTS) throw new TooLargeForCookies(`${name} would need ${parts.length} cookies`);
      for (const [index, part] of parts.entries()) {
        const value = index === 0 ? `${parts.length}.${part}` : part;
        writeCookie(res, `${nameOf(index)}=${value}`, { path, seconds, secure });
      }
    },
    /** Removes the parts of this cookie that the request sent. */
    clear: (req: IncomingMessage, res: ServerResponse, path: string): void => {
      const sent = cookiesOf(req);
      for (let index = 0; index < MOST_PARTS; index += 1) {
        if (sent.has(nameOf(index))) writeCookie(res, `${nameOf(index)}=`, { path, seconds: 0, secure });
      }
    },
  };
}
