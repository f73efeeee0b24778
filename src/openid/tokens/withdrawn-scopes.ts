// Removes scopes that the operator has withdrawn from a client from people's earlier grants, and so from new tokens, userinfo and ID
// tokens. `introspection.ts` does the same for existing tokens.

import { type Adapter, type AdapterPayload, errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';

/** The adapter of grants. A grant covers only scopes that its client may still request. */
export function withoutWithdrawnScopes(adapter: Adapter, clients: Pick<ClientRegistry, 'find'>): Adapter {
  return {
    ...adapter,
    find: async (id) => {
      const grant = (await adapter.find(id)) as (AdapterPayload & { openid?: { scope?: string } }) | undefined;
      const scope = grant?.openid?.scope;
      if (!grant || scope === undefined) return grant;
      const registered = clients.find(String(grant.clientId))?.scopes ?? [];
      const left = scope.split(' ').filter((one) => registered.includes(one));
      return { ...grant, openid: { ...grant.openid, scope: left.join(' ') } };
    },
  };
}

/**
 * Throws `invalid_scope` if the operator has withdrawn all scopes that the response would name (RFC 6749 section 5.1). It does so before a
 * refresh token is spent.
 */
export function refuseWithoutScope({ oidc }: KoaContextWithOIDC): void {
  const { Grant: grant, RefreshToken: refreshToken, AuthorizationCode: code } = oidc.entities;
  const source = refreshToken ?? code;
  if (oidc.route !== 'token' || !grant || !source) return;
  const asked = oidc.params?.['scope'] ? oidc.requestParamScopes : source.scopes;
  if (grant.getOIDCScopeFiltered(asked) !== '') return;
  throw new errors.InvalidScope('this client may no longer ask for any of these scopes', [...asked].join(' '));
}

/** The claims that a client with these scopes may know. `scopeOf` returns the scope of a claim. */
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
