// The cookies that we write ourselves, and the names of all, with the prefix that browsers enforce (RFC 6265bis section 4.1.3). A neighbour
// under the same domain, or somebody on a plain connection, cannot plant a cookie with such a name.

import type { IncomingMessage, ServerResponse } from 'node:http';

/** The names of all cookies. The purpose of each is explained where it is set. */
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

/** The name of a cookie with `__Host-`, which is for the path `/` alone, or else with `__Secure-`. */
export function cookieName(name: string, { secure, path }: Reach): string {
  if (!secure) return name;
  return path === '/' ? `__Host-${name}` : `__Secure-${name}`;
}

/**
 * Sets a cookie that scripts cannot read. Browsers send it when a link of another site is followed, but not with a form of another site. 0
 * seconds remove it.
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

/** The cookies of a request. Among several with one name, the first one counts, which has the longest path (RFC 6265 section 5.4). */
export function cookiesOf({ headers }: IncomingMessage): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of (headers.cookie ?? '').split(';')) {
    const end = pair.indexOf('=');
    const name = pair.slice(0, end).trim();
    if (end > 0 && !cookies.has(name)) cookies.set(name, pair.slice(end + 1).trim());
  }
  return cookies;
}
