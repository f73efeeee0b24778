// Checks the scopes of an authenticated token. Answers 403 with the missing scopes (specification 4.5; RFC 6750 section 3.1).

import type { Request, RequestHandler, Response } from 'express';
import { fhirError } from '#directory/errors.ts';
import { REALM, tokenOf } from './authenticate.ts';

/**
 * Middleware behind `authenticate`.
 * @param also gives further scopes that the request needs, so that a refusal names all at once; called for a refusal only
 */
export function requireScopes(scopes: readonly string[], also?: (req: Request) => readonly string[]): RequestHandler {
  return (req, res, next) => {
    const granted = tokenOf(res)?.scopes;
    if (!scopes.every((scope) => granted?.has(scope))) checkScopes(res, [...scopes, ...(also?.(req) ?? [])]);
    next();
  };
}

/** @throws FhirError 403 unless the token of the request has all the scopes */
export function checkScopes(res: Response, scopes: readonly string[], hint = ''): void {
  const granted = tokenOf(res)?.scopes;
  const needed = [...new Set(scopes)];
  const lacking = needed.filter((scope) => !granted?.has(scope));
  if (lacking.length === 0) return;
  const named = `${lacking.length > 1 ? 'scopes' : 'scope'} ${lacking.join(' and ')}`;
  // RFC 6750 section 3: `scope` names all that the resource needs.
  // A client that asks for a token of its own without a scope gets one, which reads nothing.
  const remedy = 'ask for it by the parameter scope, at /authorize, or at /oauth/token for a token without a person';
  throw fhirError(403, 'forbidden', `The access token lacks the ${named}: ${remedy}.${hint}`, {
    headers: { 'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${needed.join(' ')}"` },
  });
}
