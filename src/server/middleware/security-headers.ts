// Sets the security headers of every answer. Pages replace the content security policy by their own (`web/http/page-headers.ts`).

import type { RequestHandler } from 'express';
import type { Settings } from '#config/settings.ts';
import { contentSecurityPolicy } from '#web/http/page-headers.ts';

export type SecuritySettings = Pick<Settings, 'issuer' | 'hsts'>;

/**
 * Returns the headers, with names in lower case. They include HSTS (RFC 6797) if the issuer is https and not on localhost, where HSTS would
 * bind other programs too (SEC-51).
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
