// The claims of a person: one table for the ID token and userinfo, so that the two never disagree (specification section 2.2).

import type { FindAccount } from 'oidc-provider';
import type { Settings } from '../config/settings.ts';
import type { Account, Accounts } from '../store/accounts/accounts.ts';
import type { ClientRegistry } from './clients/client-registry.ts';
import type { RequestedClaims } from './tokens/claims-parameter.ts';
import { claimsLeft } from './tokens/withdrawn-scopes.ts';

export interface ClaimSettings extends Pick<Settings, 'namespace' | 'issuer' | 'claims'> {
  directory: Pick<Settings['directory'], 'url'>;
}

/** Scope -> claims, in oidc-provider's form. */
export function claimsByScope(namespace: string): Record<string, string[]> {
  return {
    openid: ['sub', `${namespace}/applicationName`, `${namespace}/userInfo`],
    email: ['email', 'email_verified'],
    profile: ['name', 'nickname', 'picture', 'updated_at'],
  };
}

/**
 * The library's `claims`. `amr` is requested by name only; `at_hash`, which the specification lists, is of the ID token, and hashed
 * by the library.
 */
export function claimsConfiguration(namespace: string): Record<string, string[] | null> {
  const byScope = claimsByScope(namespace);
  return { ...byScope, openid: [...(byScope['openid'] ?? []), 'at_hash'], amr: null };
}

/** All claims of a person towards one client; oidc-provider picks those of the granted scopes. */
export function claimsOf(account: Account, applicationName: string, settings: ClaimSettings): Record<string, unknown> {
  return {
    sub: account.id,
    [`${settings.namespace}/applicationName`]: applicationName,
    [`${settings.namespace}/userInfo`]: {
      uuid: account.id,
      apiUrl: settings.directory.url,
      ...(account.currentWorkspace && { currentWorkspaceId: `Organization/${account.currentWorkspace}` }),
      identities: account.practitioners.map((id) => `Practitioner/${id}`),
    },
    email: account.email,
    email_verified: account.emailVerified,
    name: account.name,
    nickname: account.nickname ?? account.name,
    picture: account.picture ?? `${settings.issuer}${DEFAULT_PICTURE}`,
    updated_at:
      settings.claims.updatedAt === 'epoch' ? account.updatedAt : new Date(account.updatedAt * 1000).toISOString(),
  };
}

/**
 * The library's `findAccount`: the person of a sub, unless disabled, with the claims that the client is registered for. The library
 * picks those of the granted scopes.
 */
export function findAccount(options: {
  accounts: Pick<Accounts, 'find'>;
  clients: Pick<ClientRegistry, 'find'>;
  settings: ClaimSettings;
  claimsRequests: Pick<RequestedClaims, 'scopeOf'>;
}): FindAccount {
  const { accounts, clients, settings, claimsRequests } = options;
  return async (ctx, id) => {
    const account = await accounts.find(id);
    if (account?.status !== 'active') return undefined;
    const { clientId = '', clientName = '' } = ctx.oidc.client ?? {};
    const registered = clients.find(clientId)?.scopes ?? [];
    return {
      accountId: account.id,
      claims: async (use) => ({
        sub: account.id,
        ...claimsLeft(claimsOf(account, clientName, settings), registered, claimsRequests.scopeOf),
        ...(use === 'id_token' && { at_hash: ctx.oidc.entities.AccessToken?.jti }),
      }),
    };
  };
}

/** Picture of people who have none of their own, below the issuer. */
export const DEFAULT_PICTURE = '/picture/person.svg';
