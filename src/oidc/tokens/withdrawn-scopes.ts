// Owns that a scope which the operator takes from a client is taken from what people granted it before as well: from the tokens
// that it gets, and from what userinfo and the ID token say. Does not own the directory's answer (`introspection.ts`).

import type { Grant, Provider } from 'oidc-provider';
import type { ClientRegistry } from '../clients/client-registry.ts';

/** Bends a provider that has answered nothing yet: a grant covers only what its client may still ask for. */
export function withholdWithdrawn(provider: Provider, clients: ClientRegistry): void {
  const prototype = provider.Grant.prototype as unknown as Pick<Grant, 'getOIDCScopeFiltered' | 'clientId'>;
  const { getOIDCScopeFiltered } = prototype;
  prototype.getOIDCScopeFiltered = function (wanted) {
    const registered = clients.find(this.clientId ?? '')?.scopes ?? [];
    return getOIDCScopeFiltered.call(this, new Set([...wanted].filter((scope) => registered.includes(scope))));
  };
}

/** The claims that a client with these scopes may know; `scopeOf` says which scope holds a claim. */
export function claimsLeft(
  claims: Record<string, unknown>,
  registered: readonly string[],
  scopeOf: (claim: string) => string | undefined,
): Record<string, unknown> {
  const left = ([claim]: [string, unknown]) => {
    const scope = scopeOf(claim);
    return scope === undefined || registered.includes(scope);
  };
  return Object.fromEntries(Object.entries(claims).filter(left));
}
