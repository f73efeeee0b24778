// Owns claims that a client asks for one by one (OpenID Connect Core section 5.5): which it may have, which a person has
// agreed to, and what cannot be had. Does not own what claims there are (`claims.ts`).

import type { ClaimsParameter, Client, Grant, KoaContextWithOIDC } from 'oidc-provider';
import { refuseUnreachable } from './authentication-context.ts';
import { claimsByScope } from './claims.ts';

/** Name under which agreement to a single claim is remembered, beside scopes. */
export const claimConsent = (claim: string): string => `claim:${claim}`;

export interface RequestedClaims {
  /**
   * The library's `assertClaimsParameter`. Claims of a scope that the client is not registered for are left out, as OpenID
   * Connect has it for what is not available. Throws `unmet_authentication_requirements` when an essential `acr` can never
   * be reached: the library would ask for the password again and again.
   */
  limit(ctx: KoaContextWithOIDC, claims: ClaimsParameter, client: Client): void;
  /** The scope that holds a claim: its words on the consent page say what is handed over. */
  scopeOf(claim: string): string | undefined;
  /** Claims of a request that the grant does not cover by name, though a scope may. */
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
      refuseUnreachable(claims.id_token?.['acr']);
      const registered = new Set(client.scope?.split(' '));
      const may = (claim: string) => {
        const scope = scopeOf(claim);
        return scope === undefined || registered.has(scope);
      };
      const limited = Object.fromEntries(
        Object.entries(claims).map(([place, wanted]) => [
          place,
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

/** Said of every sign-in, to whoever asks. */
const NEEDS_NO_SCOPE: ReadonlySet<string> = new Set(['sub', 'sid', 'auth_time', 'acr', 'amr', 'iss']);
