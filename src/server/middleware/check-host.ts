// Answers only requests that name a host of this service (SEC-42).
//
// oidc-provider builds addresses from the request's Host: a foreign one would give an evil discovery document, links and
// cookies. So a foreign Host is refused, and what passes carries the host and scheme of the service's own settings.

import type { RequestHandler } from 'express';
import type { Settings } from '../../config/settings.ts';

const ABSOLUTE = /^https?:\/\/([^/?]*)/i;

/**
 * Answers 421 (RFC 9110 section 15.5.20) to a foreign host; not below `/health`, where load balancers name an IP address.
 * A target in absolute form (RFC 9112 section 3.2.2) becomes its path. Express looks at the target once for each router, so
 * the routes have to stand in a router of their own behind this middleware.
 */
export function checkHost({
  issuer,
  directory,
  proxies,
}: Pick<Settings, 'issuer' | 'directory' | 'proxies'>): RequestHandler {
  const site = new URL(issuer);
  const fhir = new URL(directory.url);
  const fhirPath = fhir.pathname.replace(/\/$/, '');
  const base = site.pathname.replace(/\/$/, '');
  const healthPaths = new Set(['/health', `${base}/health`].flatMap((health) => [`${health}/live`, `${health}/ready`]));
  const text = `This service answers at ${issuer} only. Use that address, or set HYGIE_ISSUER to the one in use.\n`;
  return (req, res, next) => {
    const { path, headers } = req;
    // The authority of a target in absolute form replaces Host.
    const [absolute = '', authority] = ABSOLUTE.exec(req.url) ?? [];
    const forwarded = proxies > 0 ? lastOf(headers['x-forwarded-host']) : undefined;
    const host = (forwarded ?? authority ?? headers.host)?.toLowerCase();
    const isDirectory = host === fhir.host && (path === fhirPath || path.startsWith(`${fhirPath}/`));
    const isHealth = authority === undefined && healthPaths.has(path);
    if (host !== site.host && !isDirectory && !isHealth) {
      res.status(421).type('text/plain').send(text);
      return;
    }
    if (absolute) {
      req.url = `/${req.url.slice(absolute.length).replace(/^\//, '')}`;
      req.originalUrl = req.url;
    }
    const { host: ownHost, protocol } = isDirectory ? fhir : site;
    headers.host = ownHost;
    headers['x-forwarded-proto'] = protocol.slice(0, -1);
    delete headers['x-forwarded-host'];
    delete headers['forwarded'];
    if (proxies === 0) delete headers['x-forwarded-for'];
    next();
  };
}

/** Lets only requests for one host, as `checkHost` left it, reach a handler; others go on. */
export function atHost(host: string, handler: RequestHandler): RequestHandler {
  return (req, res, next) => (req.headers.host === host ? handler(req, res, next) : next());
}

/** Of several, the one that the nearest proxy added. */
function lastOf(header: string | string[] | undefined): string | undefined {
  const all = (Array.isArray(header) ? header.join(',') : header)?.split(',');
  return all?.at(-1)?.trim() || undefined;
}
