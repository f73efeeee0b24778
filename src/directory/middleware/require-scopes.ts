// Checks the scopes of an authenticated token. Answers 403 with the missing scopes (specification 4.5; RFC 6750 section 3.1).

import type { RequestHandler } from 'express';
import { fhirError } from '#directory/errors.ts';
import { type ActiveToken, REALM, tokenOf } from './authenticate.ts';
import type { DirectoryRequest } from './interaction.ts';

/** Throws FhirError 403 unless the token permits the request. */
export type ScopeCheck = (request: Pick<DirectoryRequest, 'url' | 'token'>) => void;

/**
 * Makes a check of scopes.
 * @param others returns further scopes that the request needs, so that a refusal names all at once. It is called for a refusal only.
 */
export function scopeCheck(
  scopes: readonly string[],
  others: (request: Pick<DirectoryRequest, 'url'>) => readonly string[],
): ScopeCheck {
  return ({ url, token }) => {
    if (!scopes.every((scope) => token?.scopes.has(scope))) checkScopes(token, [...scopes, ...others({ url })]);
  };
}

/** Middleware behind `authenticate`. */
export function requireScopes(check: ScopeCheck): RequestHandler {
  return ({ url }, res, next) => {
    check({ url, token: tokenOf(res) });
    next();
  };
}

/** @throws FhirError 403 unless the token has all the scopes */
export function checkScopes(token: ActiveToken | undefined, scopes: readonly string[], hint = ''): void {
  const needed = [...new Set(scopes)];
  const lacking = needed.filter((scope) => !token?.scopes.has(scope));
  if (lacking.length === 0) return;
  const named = `${lacking.length > 1 ? 'scopes' : 'scope'} ${lacking.join(' and ')}`;
  // A client's own token that was asked for without a scope reads nothing, hence the remedy.
  const remedy = 'ask for it by the parameter scope, at /authorize, or at /oauth/token for a token without a person';
  // RFC 6750 section 3: `scope` names all that the resource needs.
  throw fhirError(403, 'forbidden', `The access token lacks the ${named}: ${remedy}.${hint}`, {
    headers: { 'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${needed.join(' ')}"` },
  });
}
