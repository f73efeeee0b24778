// Sets headers of every answer: the security headers, and the lifetime of cookies. Pages replace the content security policy by their own
// (`web/http/page-headers.ts`).

import type { RequestHandler } from 'express';
import onHeaders from 'on-headers';
import type { Settings } from '#config/settings.ts';
import { contentSecurityPolicy } from '#web/http/page-headers.ts';

export type SecuritySettings = Pick<Settings, 'issuer' | 'hsts'>;

/**
 * Returns the headers, with names in lower case. They include HSTS (RFC 6797) if the issuer is https. An issuer on localhost is an
 * exception, because browsers would then demand https of every other program there (SEC-51).
 */
export function securityHeadersOf({ issuer, hsts }: SecuritySettings): Readonly<Record<string, string>> {
  return {
    'content-security-policy': contentSecurityPolicy({}),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(/^https:\/\/(?!localhost(?:[:/]|$))/.test(issuer) && { 'strict-transport-security': transportSecurity(hsts) }),
  };
}

function transportSecurity({ maxAge, includeSubDomains }: Settings['hsts']): string {
  return `max-age=${maxAge}${includeSubDomains ? '; includeSubDomains' : ''}`;
}

export function securityHeaders(settings: SecuritySettings): RequestHandler {
  const headers = new Map(Object.entries(securityHeadersOf(settings)));
  return (_req, res, next) => {
    res.setHeaders(headers);
    next();
  };
}

/**
 * Adds Max-Age to every cookie with an expiry time. A browser compares Expires with its own clock. If the server's clock is behind, the
 * cookie has expired when it arrives. Max-Age has precedence (RFC 6265 section 4.1.2.2), but neither express-session nor oidc-provider
 * sends it. This middleware comes before those that set cookies.
 */
export const cookieLifetime: RequestHandler = (_req, res, next) => {
  onHeaders(res, () => {
    const cookies = res.getHeader('set-cookie');
    // If there is a single cookie, `getHeader` returns a text and not a list. `flat` makes a list in both cases.
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
