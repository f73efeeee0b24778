// Finds the person to whom a token belongs, and makes the claims that the client may know. If the operator withdraws a scope from a client,
// the scope is removed from the earlier grants of people, and so from new tokens, userinfo and ID tokens. `introspection.ts` does the same
// for existing tokens.

import {
  type Adapter,
  type AdapterPayload,
  errors,
  type FindAccount,
  type Grant,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import type { Settings } from '#config/settings.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import { type ServedEdition, withLinksInForce } from '#store/accounts/links/links-in-force.ts';
import type { Pictures } from '#store/accounts/pictures.ts';
import { type ClaimSettings, claimsOf, type NamesInDirectory, namesOf } from './claims.ts';
import { requestedClaims } from './claims-parameter.ts';
import { refuseWeakPresentation } from './dpop-proof.ts';

export interface FindAccountOptions {
  accounts: Pick<Accounts, 'find'>;
  clients: Pick<ClientRegistry, 'find'>;
  pictures: Pick<Pictures, 'pathOf'>;
  settings: ClaimSettings & Pick<Settings, 'claims' | 'issuer'>;
  namesInDirectory: NamesInDirectory;
  /** Returns the edition that is served, and the hidden records (`server/wire-halves.ts`). */
  edition(): ServedEdition;
}

/**
 * Makes the library's option `findAccount`. It returns the person with this `sub`, and the claims for which the client is registered;
 * undefined if the person has no active account. The library selects the claims of the granted scopes. At userinfo, `findAccount` also
 * refuses an expired token and a token of a client that may not ask for `openid`, and throws the errors of `refuseWeakPresentation`. At the
 * token endpoint, it throws those of `refuseWithoutScope`.
 */
export function findAccount(options: FindAccountOptions): FindAccount {
  const { accounts, clients, pictures, settings, namesInDirectory, edition } = options;
  const { scopeOf } = requestedClaims(settings.namespace);
  return async (ctx, id) => {
    if (ctx.oidc.route === 'userinfo') {
      // The library itself accepts a token for 15 s after its expiry (`CLOCK_TOLERANCE`).
      if (ctx.oidc.entities.AccessToken?.isExpired) throw new errors.InvalidToken('the access token has expired');
      refuseWeakPresentation(ctx);
    }
    refuseWithoutScope(ctx);
    const found = await accounts.find(id);
    if (found?.status !== 'active') return undefined;
    const account = withLinksInForce(found, edition());
    const { clientId = '', clientName = '' } = ctx.oidc.client ?? {};
    const { scopes: registered = [], updatedAt = settings.claims.updatedAt } = clients.find(clientId) ?? {};
    // Without this scope, an answer of userinfo would lack `sub`, which every answer must have (OpenID Connect Core, section 5.3.2).
    if (ctx.oidc.route === 'userinfo' && !registered.includes('openid'))
      throw new errors.InsufficientScope('this client may no longer sign people in', 'openid');
    return {
      accountId: account.id,
      claims: async (use, scope) => {
        const release = {
          applicationName: clientName,
          emailGranted: registered.includes('email') && isGranted(ctx.oidc.entities.Grant, scope, 'email'),
          names: registered.includes('profile') ? await namesOf(account, namesInDirectory) : {},
          initials: settings.issuer + pictures.pathOf(account.id),
          updatedAt,
        };
        return {
          sub: account.id,
          ...claimsLeft(claimsOf(account, release, settings), registered, scopeOf),
          // The library hashes this value to make `at_hash`.
          ...(use === 'id_token' && { at_hash: ctx.oidc.entities.AccessToken?.jti }),
        };
      },
    };
  };
}

// The grant is checked too, because at the token endpoint `asked` are the requested scopes: the library does not pass the granted ones.
function isGranted(grant: Grant | undefined, asked: string, scope: string): boolean {
  return asked.split(' ').includes(scope) && grant?.getOIDCScopeFiltered(new Set([scope])) === scope;
}

/** Wraps the adapter of grants, so that a grant covers only the scopes that its client may still request. */
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
 * Throws `invalid_scope` if the operator has withdrawn all scopes that the response would name (RFC 6749 section 5.1). The check comes
 * before a refresh token is spent, so that the token is not lost.
 */
export function refuseWithoutScope({ oidc }: KoaContextWithOIDC): void {
  const { Grant: grant, RefreshToken: refreshToken, AuthorizationCode: code } = oidc.entities;
  const source = refreshToken ?? code;
  if (oidc.route !== 'token' || !grant || !source) return;
  const asked = oidc.params?.['scope'] ? oidc.requestParamScopes : source.scopes;
  if (grant.getOIDCScopeFiltered(asked) !== '') return;
  throw new errors.InvalidScope('this client may no longer ask for any of these scopes', [...asked].join(' '));
}

/** Returns the claims that a client with the `registered` scopes may know. `scopeOf` returns the scope of a claim. */
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
