// The security headers of every answer. Pages replace the content security policy by their own (`src/web/page-headers.ts`).

import type { RequestHandler } from 'express';
import { contentSecurityPolicy } from '../web/page-headers.ts';

const HSTS = 'max-age=31536000; includeSubDomains';

/** Headers of every answer of the whole site. `issuer` decides on HSTS (SEC-51). */
export function securityHeadersOf({ issuer }: { issuer: string }): Readonly<Record<string, string>> {
  return {
    'content-security-policy': contentSecurityPolicy({}),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(issuer.startsWith('https:') && { 'strict-transport-security': HSTS }),
  };
}

/** Middleware that sets them. */
export function securityHeaders(site: { issuer: string }): RequestHandler {
  const headers = Object.entries(securityHeadersOf(site));
  return (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    next();
  };
}
