// Claims that a client requests one by one (OpenID Connect Core section 5.5): checks which ones it may have, and which the person has
// agreed to.

import { type ClaimsParameter, type Client, errors, type Grant, type KoaContextWithOIDC } from 'oidc-provider';
import { isDeeper } from '#shared/request-bounds.ts';
import { refuseUnreachable } from './authentication-context.ts';
import { claimsByScope, OF_EVERY_ID_TOKEN } from './claims.ts';

/** Name under which consent to a single claim is remembered, beside scopes. */
export const claimConsent = (claim: string): string => `claim:${claim}`;

export interface RequestedClaims {
  /**
   * The library's `assertClaimsParameter`. It drops claims of a scope that the client is not registered for, as OpenID Connect does with
   * unavailable claims, and claims that are in every ID token anyway. Throws `invalid_request` for a claim that is requested in an unknown
   * form or nested too deeply. Throws `unmet_authentication_requirements` if an essential `acr` can never be reached, because the library
   * would ask for the password again and again.
   */
  limit(ctx: KoaContextWithOIDC, claims: ClaimsParameter, client: Client): void;
  /** The scope of a claim. The consent page describes a claim by its scope. */
  scopeOf(claim: string): string | undefined;
  /** Requested claims that the grant does not cover by name, though a scope may. */
  missing(ctx: KoaContextWithOIDC, grant: Grant | undefined): string[];
}

/** The rules for the claims of a namespace. */
export function requestedClaims(namespace: string): RequestedClaims {
  const scopes = new Map<string, string>();
  for (const [scope, claims] of Object.entries(claimsByScope(namespace))) {
    for (const claim of claims) scopes.set(claim, scope);
  }
  const scopeOf = (claim: string) => (NEEDS_NO_SCOPE.has(claim) ? undefined : scopes.get(claim));
  return {
    scopeOf,
    limit: (ctx, claims, client) => {
      // This check comes before any recursion: a deep enough value would overflow the stack.
      if (isDeeper(claims, MOST_LEVELS)) {
        throw new errors.InvalidRequest(`claims is nested more than ${MOST_LEVELS} levels deep`);
      }
      refuseInvalidMembers(claims);
      refuseUnreachable(claims.id_token?.['acr']);
      const registered = new Set(client.scope?.split(' '));
      const may = (claim: string) => {
        if (OF_EVERY_ID_TOKEN.includes(claim)) return false;
        const scope = scopeOf(claim);
        return scope === undefined || registered.has(scope);
      };
      const limited = Object.fromEntries(
        Object.entries(claims).map(([target, wanted]) => [
          target,
          Object.fromEntries(Object.entries(wanted ?? {}).filter(([claim]) => may(claim))),
        ]),
      );
      if (ctx.oidc.params) ctx.oidc.params['claims'] = JSON.stringify(limited);
    },
    missing: (ctx, grant) => {
      const known = new Set(grant?.getOIDCClaimsEncountered());
      return [...ctx.oidc.requestParamClaims].filter((claim) => scopeOf(claim) !== undefined && !known.has(claim));
    },
  };
}

/** Section 5.5 has four levels: the place of a claim, its name, `values`, and the list. */
const MOST_LEVELS = 8;

// Section 5.5.1 allows null or an object. The library ignores any other value, and loses `sub` with it.
function refuseInvalidMembers(claims: ClaimsParameter): void {
  for (const [target, wanted] of Object.entries(claims)) {
    for (const [claim, how] of Object.entries(wanted ?? {})) {
      if (how === null || (typeof how === 'object' && !Array.isArray(how))) continue;
      throw new errors.InvalidRequest(`claims.${target}.${claim.slice(0, 60)} should be null or an object`);
    }
  }
}

/** Claims about the sign-in itself, which any client may request. */
const NEEDS_NO_SCOPE: ReadonlySet<string> = new Set(['sub', 'sid', 'auth_time', 'acr', 'amr', 'iss']);
