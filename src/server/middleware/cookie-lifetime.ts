// Adds Max-Age to every cookie with an expiry time. A browser compares Expires with its own clock. If the server's clock is behind, the
// cookie has expired when it arrives. Max-Age has precedence (RFC 6265 section 4.1.2.2), but neither express-session nor oidc-provider
// sends it.

import type { RequestHandler } from 'express';
import onHeaders from 'on-headers';

/** Comes before the middleware that sets cookies. */
export const cookieLifetime: RequestHandler = (_req, res, next) => {
  onHeaders(res, () => {
    const cookies = res.getHeader('set-cookie');
    // `getHeader` returns a text if there is a single cookie.
    if (cookies !== undefined) res.setHeader('set-cookie', [cookies].flat().map(withMaxAge));
  });
  next();
};

function withMaxAge(cookie: string | number): string {
  const line = String(cookie);
  const [, expires] = /; *expires=([^;]+)/i.exec(line) ?? [];
  if (expires === undefined || /; *max-age=/i.test(line)) return line;
  return `${line}; Max-Age=${Math.max(0, Math.round((Date.parse(expires) - Date.now()) / 1000))}`;
}
