// Claims that a client requests by name (OpenID Connect Core section 5.5): which claims the client may have, and which of them the person
// has allowed.

import { type ClaimsParameter, type Client, errors, type Grant, type KoaContextWithOIDC } from 'oidc-provider';
import { isDeeper } from '#shared/request-bounds.ts';
import { refuseUnreachable } from './authentication-context.ts';
import { claimsByScope, OF_EVERY_ID_TOKEN } from './claims.ts';

/** Returns the name under which the consent to a single claim is remembered. The consent to a scope has the name of the scope. */
export const claimConsent = (claim: string): string => `claim:${claim}`;

export type RequestedClaims = ReturnType<typeof requestedClaims>;

/** Makes the rules for requested claims. `namespace` is the prefix of the service's own claims. */
export function requestedClaims(namespace: string) {
  const scopes = new Map<string, string>();
  for (const [scope, claims] of Object.entries(claimsByScope(namespace))) {
    for (const claim of claims) scopes.set(claim, scope);
  }
  const scopeOf = (claim: string) => (NEEDS_NO_SCOPE.has(claim) ? undefined : scopes.get(claim));
  return {
    /** Returns the scope of a claim, by which the consent page describes the claim. Undefined if the claim needs no scope or is unknown. */
    scopeOf,
    /**
     * The library's option `assertClaimsParameter`. Removes claims of scopes for which the client is not registered, because OpenID Connect
     * lets a provider leave out a claim that is not available. Also removes claims that are in every ID token. Throws `invalid_request` for
     * a claim with an unknown form or too deep nesting. Throws `unmet_authentication_requirements` if no sign-in can have an essential
     * `acr`, because the library would ask for the password again and again.
     */
    limit: (ctx: KoaContextWithOIDC, claims: ClaimsParameter, client: Client): void => {
      // The depth is checked before any function that recurses, because deep nesting would overflow the stack of such a function.
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
    /** Returns the requested claims that the grant does not name. The grant may still cover such a claim by one of its scopes. */
    missing: (ctx: KoaContextWithOIDC, grant: Grant | undefined): string[] => {
      const known = new Set(grant?.getOIDCClaimsEncountered());
      return [...ctx.oidc.requestParamClaims].filter((claim) => scopeOf(claim) !== undefined && !known.has(claim));
    },
  };
}

/** Maximum nesting of the parameter. Section 5.5 needs only four levels: the target, the claim, `values`, and the list. */
const MOST_LEVELS = 8;

// Section 5.5.1 allows null or an object for each claim. Any other value is refused. The library would ignore it, even if the client meant
// to demand a certain `sub`.
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
