// Adds Max-Age to every cookie with an expiry time. A browser compares Expires with its own clock: if the server's clock is late, a cookie
// would arrive expired. Max-Age has precedence (RFC 6265 section 4.1.2.2), but neither express-session nor oidc-provider sends it.

import type { RequestHandler } from 'express';
import onHeaders from 'on-headers';

/** It comes before the middleware that sets cookies. */
export const cookieLifetime: RequestHandler = (_req, res, next) => {
  onHeaders(res, () => {
    const cookies = res.getHeader('set-cookie');
    // A single cookie may be a text instead of a list.
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
