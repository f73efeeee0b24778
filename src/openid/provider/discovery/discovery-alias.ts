// The address of the discovery document that RFC 8414 has for an issuer with a path.

import type { RequestHandler } from 'express';

/**
 * RFC 8414 section 3.1 puts the path of an issuer behind the well-known name; the library answers the path of OpenID Connect
 * Discovery only. `base` is that path; empty for most.
 */
export function discoveryAlias(base: string): RequestHandler {
  const alias = `/.well-known/oauth-authorization-server${base}`;
  return (req, _res, next) => {
    if (req.path === alias) req.url = `${base}/.well-known/openid-configuration`;
    next();
  };
}
