// The claims of a person: one table for the ID token and userinfo, so that the two never disagree (specification section 2.2).

import type { Settings } from '../config/settings.ts';
import type { Account } from '../store/accounts/account-row.ts';

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
 * The library's `claims`. `amr` is requested by name only; `at_hash`, which the specification lists, is of the ID token, and
 * hashed by the library.
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

/** Picture of people who have none of their own, below the issuer. */
export const DEFAULT_PICTURE = '/picture/person.svg';
