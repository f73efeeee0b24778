// The names and attributes of oidc-provider's cookies, and a function that sets the session cookie outside the library.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { interactionUrl, ROUTES } from '#openid/routes.ts';
import { COOKIES, cookieName } from '#web/http/cookies.ts';

export function sessionCookieOptions(issuer: string) {
  return {
    signed: true,
    httpOnly: true,
    sameSite: 'lax',
    secure: issuer.startsWith('https:'),
    overwrite: true,
  } as const;
}

/** The library's `cookies` option, without the signing keys. */
export function cookieSettings(issuer: string) {
  const options = sessionCookieOptions(issuer);
  const { secure } = options;
  return {
    names: {
      session: cookieName(COOKIES.session, { secure, path: '/' }),
      // The library limits these two cookies to the paths of one interaction, so their names cannot have the prefix `__Host-`, which needs
      // the path `/`.
      interaction: cookieName(COOKIES.interaction, { secure, path: interactionUrl(issuer, '') }),
      resume: cookieName(COOKIES.resume, { secure, path: ROUTES.authorization }),
    },
    long: options,
    short: options,
  };
}

/** Sets a new session cookie in a response that does not pass through the library. Deletes the cookie if `id` is null. */
export function sendSessionCookie(
  provider: Provider,
  req: IncomingMessage,
  res: ServerResponse,
  id: string | null,
): void {
  const options = sessionCookieOptions(provider.issuer);
  const { cookies } = provider.createContext(req, res);
  // The `secure` attribute depends on the issuer and not on this connection, because a proxy may have ended the TLS connection of the
  // browser.
  cookies.secure = options.secure;
  cookies.set(provider.cookieName('session'), id, options);
}
