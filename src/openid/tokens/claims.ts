// The claims of a person: one table for the ID token and userinfo, so that the two never disagree (specification section 2.2, OpenID
// Connect Core 5.1 and 5.4, SMART App Launch 2 "fhirUser").

import type { Settings } from '#config/settings.ts';
import type { PersonNames } from '#shared/names.ts';
import { present } from '#shared/present.ts';
import { type Account, loginOf } from '#store/accounts/account-row.ts';

export interface ClaimSettings extends Pick<Settings, 'namespace'> {
  directory: Pick<Settings['directory'], 'url'>;
}

/** The directory's name for the first of these practitioners that it holds; undefined if it holds none of them. */
export type NamesInDirectory = (practitioners: readonly string[]) => Promise<PersonNames | undefined>;

/** The token that receives the claims, or authorizes the request for them. */
interface Release {
  applicationName: string;
  /** True if the client was granted the person's e-mail address by scope. */
  emailGranted: boolean;
  names: PersonNames;
  /** Address of the picture with the person's initials. */
  initials: string;
  /** Form of `updated_at`: a text as in the specification, or seconds as in OpenID Connect Core 5.1. */
  updatedAt: Settings['claims']['updatedAt'];
}

/** Scope -> claims, in oidc-provider's form. */
export function claimsByScope(namespace: string): Record<string, string[]> {
  return {
    openid: ['sub', `${namespace}/applicationName`, `${namespace}/userInfo`],
    email: ['email', 'email_verified'],
    profile: [
      ...['name', 'given_name', 'family_name', 'nickname', 'preferred_username'],
      ...['profile', 'picture', 'locale', 'updated_at'],
    ],
    fhirUser: ['fhirUser'],
  };
}

/** Claims that are in every ID token, or follow from its request, so that no client has to ask for them by name. */
export const OF_EVERY_ID_TOKEN: readonly string[] = ['aud', 'exp', 'iat', 'nonce', 'at_hash'];

/**
 * The library's `claims`, from which it makes `claims_supported`: exactly the claims that can be released. `amr` is requested by name only;
 * `acr`, `auth_time`, `iss` and `sid` are the library's own.
 */
export function claimsConfiguration(namespace: string): Record<string, string[] | null> {
  const byScope = claimsByScope(namespace);
  return {
    ...byScope,
    openid: [...(byScope['openid'] ?? []), 'at_hash'],
    ...Object.fromEntries(['amr', ...OF_EVERY_ID_TOKEN].map((claim) => [claim, null])),
  };
}

/** Given and family name of an account: its own, otherwise those of its directory record. */
export async function namesOf(account: Account, inDirectory: NamesInDirectory): Promise<PersonNames> {
  if (account.given !== undefined || account.family !== undefined) return account;
  return (account.practitioners.length > 0 && (await inDirectory(account.practitioners))) || {};
}

/** All claims of a person for one client. oidc-provider picks those of the granted scopes. */
export function claimsOf(account: Account, release: Release, settings: ClaimSettings): Record<string, unknown> {
  const { given, family } = release.names;
  const [identity] = account.practitioners;
  return {
    sub: account.id,
    [`${settings.namespace}/applicationName`]: release.applicationName,
    [`${settings.namespace}/userInfo`]: {
      uuid: account.id,
      apiUrl: settings.directory.url,
      ...(account.currentWorkspace && { currentWorkspaceId: `Organization/${account.currentWorkspace}` }),
      identities: account.practitioners.map((id) => `Practitioner/${id}`),
    },
    ...(account.email !== undefined && { email: account.email, email_verified: account.emailVerified }),
    name: account.name,
    ...present({ given_name: given, family_name: family, profile: account.profile, locale: account.language }),
    nickname: account.nickname ?? account.name,
    // The person's login. If the client may not know the address, it gets the id, which is unique too: applications use this claim as the
    // key of their users, and two people may have the same name.
    preferred_username: release.emailGranted ? loginOf(account) : account.id,
    picture: account.picture ?? release.initials,
    updated_at: release.updatedAt === 'epoch' ? account.updatedAt : new Date(account.updatedAt * 1000).toISOString(),
    ...(identity !== undefined && { fhirUser: `${settings.directory.url}/Practitioner/${identity}` }),
  };
}
