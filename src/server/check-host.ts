// Owns which Host the service answers to: the issuer's, and no other. Does not own the issuer (`src/config/settings.ts`).
//
// oidc-provider builds addresses from the request's Host: a foreign one would give an evil discovery document, links and
// cookies (SEC-42). So a foreign Host is refused, and what is let through carries the issuer's own host and scheme.

import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';

/** The host that a request names, in lower case: behind proxies, the one that the nearest of them says it was sent to. */
export function hostOf(headers: IncomingHttpHeaders, proxies: number): string | undefined {
  const forwarded = proxies > 0 ? lastOf(headers['x-forwarded-host']) : undefined;
  return (forwarded ?? headers.host)?.toLowerCase();
}

/**
 * Whether a request names the issuer's host; its headers then carry the issuer's own host and scheme, and nothing else that a
 * client can say of them.
 */
export function takeIssuerHost({ issuer, proxies }: { issuer: string; proxies: number }) {
  const { host, protocol } = new URL(issuer);
  const scheme = protocol.slice(0, -1);
  return (headers: IncomingHttpHeaders): boolean => {
    if (hostOf(headers, proxies) !== host) return false;
    headers.host = host;
    headers['x-forwarded-proto'] = scheme;
    delete headers['x-forwarded-host'];
    delete headers['forwarded'];
    if (proxies === 0) delete headers['x-forwarded-for'];
    return true;
  };
}

/** Answers 421 (RFC 9110 section 15.5.20) to a Host that is not the issuer's. */
export function onlyIssuerHost(site: { issuer: string; proxies: number }): RequestHandler {
  const take = takeIssuerHost(site);
  const text = `This service answers at ${site.issuer} only. Use that address, or set HYGIE_ISSUER to the one in use.\n`;
  return (req, res, next) => {
    if (take(req.headers)) next();
    else res.status(421).type('text/plain').send(text);
  };
}

function lastOf(header: string | string[] | undefined): string | undefined {
  const all = (Array.isArray(header) ? header.join(',') : header)?.split(',');
  return all?.at(-1)?.trim() || undefined;
}
