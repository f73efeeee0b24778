// The cookie of a sign-in session: how it is set, by the library and beside it.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';

export function sessionCookieOptions(issuer: string) {
  return {
    signed: true,
    httpOnly: true,
    sameSite: 'lax',
    secure: issuer.startsWith('https:'),
    overwrite: true,
  } as const;
}

/** Gives the browser another cookie for its session, in the answer to a request that does not pass the library. */
export function sendSessionCookie(provider: Provider, req: IncomingMessage, res: ServerResponse, id: string): void {
  const options = sessionCookieOptions(provider.issuer);
  const { cookies } = provider.createContext(req, res);
  // Browsers reach the issuer by https, also where a proxy ends it.
  cookies.secure = options.secure;
  cookies.set(provider.cookieName('session'), id, options);
}
