// Cookies that end at a time end after as many seconds, too. A browser compares Expires with its own clock: from a server whose clock is
// late it would come when it has ended. Max-Age, which has precedence (RFC 6265 section 4.1.2.2), is sent by neither express-session
// nor oidc-provider.

import type { RequestHandler, Response } from 'express';

/** Adds Max-Age to every cookie of an answer that has Expires alone. It comes before the middleware that sets cookies. */
export const cookieLifetime: RequestHandler = (_req, res, next) => {
  const writeHead = res.writeHead as (...given: unknown[]) => Response;
  res.writeHead = (...given: unknown[]) => {
    const cookies = res.getHeader('set-cookie');
    // A single one may be a text.
    if (cookies !== undefined) res.setHeader('set-cookie', [cookies].flat().map(withMaxAge));
    return writeHead.apply(res, given);
  };
  next();
};

function withMaxAge(cookie: string | number): string {
  const line = String(cookie);
  const [, expires] = /; *expires=([^;]+)/i.exec(line) ?? [];
  if (expires === undefined || /; *max-age=/i.test(line)) return line;
  return `${line}; Max-Age=${Math.max(0, Math.round((Date.parse(expires) - Date.now()) / 1000))}`;
}
