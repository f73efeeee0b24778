// Checks the scopes of an authenticated token. If scopes are missing, the answer is 403 and names them (specification 4.5; RFC 6750 section
// 3.1).

import type { RequestHandler } from 'express';
import { fhirError } from '#directory/errors.ts';
import { type ActiveToken, REALM, tokenOf } from './authenticate.ts';
import type { DirectoryRequest } from './interaction.ts';

/** Throws FhirError 403 if the token does not permit the request. */
export type ScopeCheck = (request: Pick<DirectoryRequest, 'url' | 'token'>) => void;

/**
 * Makes a check of scopes.
 * @param others gives further scopes that the request needs, so that a refusal names all of them; it is called only for a refusal
 */
export function scopeCheck(
  scopes: readonly string[],
  others: (request: Pick<DirectoryRequest, 'url'>) => readonly string[],
): ScopeCheck {
  return ({ url, token }) => {
    if (!scopes.every((scope) => token?.scopes.has(scope))) checkScopes(token, [...scopes, ...others({ url })]);
  };
}

/** Makes the middleware that comes after `authenticate`. */
export function requireScopes(check: ScopeCheck): RequestHandler {
  return ({ url }, res, next) => {
    check({ url, token: tokenOf(res) });
    next();
  };
}

/** Throws FhirError 403 if the token lacks one of the scopes. */
export function checkScopes(token: ActiveToken | undefined, scopes: readonly string[], hint = ''): void {
  const needed = [...new Set(scopes)];
  const lacking = needed.filter((scope) => !token?.scopes.has(scope));
  if (lacking.length === 0) return;
  const named = `${lacking.length > 1 ? 'scopes' : 'scope'} ${lacking.join(' and ')}`;
  // The remedy names two endpoints: /authorize for a token of a person, and /oauth/token for a client's own token. Both kinds of token need
  // the scope.
  const remedy = 'ask for it by the parameter scope, at /authorize, or at /oauth/token for a token without a person';
  // RFC 6750 section 3: `scope` names all scopes that the resource requires.
  throw fhirError(403, 'forbidden', `The access token lacks the ${named}: ${remedy}.${hint}`, {
    headers: { 'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${needed.join(' ')}"` },
  });
}
