// Sets and reads our own cookies, and names all cookies, with the prefix that browsers enforce (RFC 6265bis section 4.1.3). A neighbour
// host under the same domain, or an attacker on a plain connection, cannot plant a cookie with such a name.

import type { IncomingMessage, ServerResponse } from 'node:http';

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

/** The name of a cookie with its prefix: `__Host-` if its path is `/`, otherwise `__Secure-`. */
export function cookieName(name: string, { secure, path }: Reach): string {
  if (!secure) return name;
  return path === '/' ? `__Host-${name}` : `__Secure-${name}`;
}

/**
 * Sets a cookie that scripts cannot read. Browsers send it if somebody follows a link of another site, but not with a form of another site.
 * With 0 seconds, the cookie is removed.
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
 * Returns the cookies of a request. If several have the same name, the first one is returned, because it has the longest path (RFC 6265
 * section 5.4).
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
