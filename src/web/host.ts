// Owns which Host the service answers to: the issuer's, and no other. Does not own the issuer (`src/shared/settings.ts`).
//
// oidc-provider builds addresses from the request's Host: a foreign one would give an evil discovery document, links and
// cookies (SEC-42). So a foreign Host is refused, and what is let through carries the issuer's own host and scheme.

import type { RequestHandler } from 'express';

/**
 * Answers 421 (RFC 9110 section 15.5.20) to a foreign Host. Behind proxies, X-Forwarded-Host counts as the Host. The
 * directory may have a host of its own, which then serves the directory alone.
 */
export function onlyIssuerHost(options: { issuer: string; directoryUrl: string; proxies: number }): RequestHandler {
  const { issuer, proxies } = options;
  const { host, protocol } = new URL(issuer);
  const directory = new URL(options.directoryUrl);
  const scheme = protocol.slice(0, -1);
  const text = `This service answers at ${issuer} only. Use that address, or set HYGIE_ISSUER to the one in use.\n`;
  return (req, res, next) => {
    const { headers } = req;
    const forwarded = proxies > 0 ? lastOf(headers['x-forwarded-host']) : undefined;
    const asked = (forwarded ?? headers.host)?.toLowerCase();
    const ofDirectory = asked === directory.host && `${req.path}/`.startsWith(`${directory.pathname}/`);
    if (asked !== host && !ofDirectory) {
      res.status(421).type('text/plain').send(text);
      return;
    }
    headers.host = host;
    headers['x-forwarded-proto'] = scheme;
    delete headers['x-forwarded-host'];
    delete headers['forwarded'];
    if (proxies === 0) delete headers['x-forwarded-for'];
    next();
  };
}

function lastOf(header: string | string[] | undefined): string | undefined {
  const all = (Array.isArray(header) ? header.join(',') : header)?.split(',');
  return all?.at(-1)?.trim() || undefined;
}
