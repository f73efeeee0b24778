// Sets the security headers of every answer. Pages replace the content security policy by their own (`web/page-headers.ts`).

import type { RequestHandler } from 'express';
import { contentSecurityPolicy } from '../../web/page-headers.ts';

const HSTS = 'max-age=31536000; includeSubDomains';

/** Names in lower case. HSTS only where the issuer is https (SEC-51). */
export function securityHeadersOf({ issuer }: { issuer: string }): Readonly<Record<string, string>> {
  return {
    'content-security-policy': contentSecurityPolicy({}),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(issuer.startsWith('https:') && { 'strict-transport-security': HSTS }),
  };
}

export function securityHeaders(site: { issuer: string }): RequestHandler {
  const headers = new Map(Object.entries(securityHeadersOf(site)));
  return (_req, res, next) => {
    res.setHeaders(headers);
    next();
  };
}
