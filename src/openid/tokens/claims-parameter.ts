// Claims that a client requests one by one (OpenID Connect Core section 5.5): which it may have, and which the person has
// agreed to.

import { type ClaimsParameter, type Client, errors, type Grant, type KoaContextWithOIDC } from 'oidc-provider';
import { isDeeper } from '#shared/json-depth.ts';
import { refuseUnreachable } from './authentication-context.ts';
import { claimsByScope, OF_EVERY_ID_TOKEN } from './claims.ts';

/** Name under which agreement to a single claim is remembered, beside scopes. */
export const claimConsent = (claim: string): string => `claim:${claim}`;

export interface RequestedClaims {
  /**
   * The library's `assertClaimsParameter`. Claims of a scope that the client is not registered for are left out, as OpenID
   * Connect has it for what is not available, and so is what stands in every ID token. Throws `invalid_request` for a claim that is requested in an unknown form or nested too deeply, and
   * `unmet_authentication_requirements` when an essential `acr` can never be reached: the library would ask for the password
   * again and again.
   */
  limit(ctx: KoaContextWithOIDC, claims: ClaimsParameter, client: Client): void;
  /** The scope that holds a claim: the consent page describes it by the scope. */
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
      // This comes before anything recurses through it: deep enough, that would end in a lack of stack.
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

/** Section 5.5 has four: where a claim is to stand, its name, `values`, and what these are. */
const MOST_LEVELS = 8;

// Section 5.5.1: null or an object. The library passes over what is neither, and loses `sub` with it.
function refuseInvalidMembers(claims: ClaimsParameter): void {
  for (const [target, wanted] of Object.entries(claims)) {
    for (const [claim, how] of Object.entries(wanted ?? {})) {
      if (how === null || (typeof how === 'object' && !Array.isArray(how))) continue;
      throw new errors.InvalidRequest(`claims.${target}.${claim.slice(0, 60)} should be null or an object`);
    }
  }
}

/** About the sign-in itself: any client may request them. */
const NEEDS_NO_SCOPE: ReadonlySet<string> = new Set(['sub', 'sid', 'auth_time', 'acr', 'amr', 'iss']);
