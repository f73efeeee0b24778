// The claims of a person. The ID token and the userinfo response use the same table, so that they never disagree (specification section
// 2.2, OpenID Connect Core 5.1 and 5.4, SMART App Launch 2 "fhirUser").

import type { Settings } from '#config/settings.ts';
import type { PersonNames } from '#shared/names.ts';
import { present } from '#shared/present.ts';
import { type Account, loginOf } from '#store/accounts/account-row.ts';

export interface ClaimSettings extends Pick<Settings, 'namespace'> {
  directory: Pick<Settings['directory'], 'url'>;
}

/**
 * Returns the name of the first of these practitioners that is in the directory; undefined if none of them is. `server/wire-halves.ts`
 * makes this function from `directory/resources/record-names.ts`.
 */
export type NamesInDirectory = (practitioners: readonly string[]) => Promise<PersonNames | undefined>;

/** Facts about the token or the userinfo response that gets the claims. */
interface Release {
  applicationName: string;
  /** True if the grant of the client contains the scope `email`. */
  emailGranted: boolean;
  names: PersonNames;
  /** Address of the picture that the service itself makes, with the person's initials. */
  initials: string;
  /** Form of `updated_at`: text as in our specification, or seconds as in OpenID Connect Core 5.1. */
  updatedAt: Settings['claims']['updatedAt'];
}

/** Returns the claims of each scope, in the form that oidc-provider expects. */
export function claimsByScope(namespace: string): Record<string, string[]> {
  return {
    openid: ['sub', `${namespace}/applicationName`, `${namespace}/userInfo`],
    email: ['email', 'email_verified'],
    profile: [
      'name',
      'given_name',
      'family_name',
      'nickname',
      'preferred_username',
      'profile',
      'picture',
      'locale',
      'updated_at',
    ],
    fhirUser: ['fhirUser'],
  };
}

/** Claims that are in every ID token, so that no client has to ask for them by name (`nonce` is there only if the request had one). */
export const OF_EVERY_ID_TOKEN: readonly string[] = ['aud', 'exp', 'iat', 'nonce', 'at_hash'];

/**
 * Returns the library's option `claims`, from which the library makes `claims_supported`. With `acr`, `auth_time`, `iss` and `sid`, which
 * the library itself adds, it contains exactly the claims that clients can get. An ID token has `acr`, `amr` and `auth_time` only if the
 * request names them in `claims`, or if the client has the setting `authenticationClaims` (`addAuthenticationClaims`). It also has `acr`
 * if the request has `acr_values`, and `auth_time` if it has `max_age` or `prompt=login`.
 */
export function claimsConfiguration(namespace: string): Record<string, string[] | null> {
  const byScope = claimsByScope(namespace);
  return {
    ...byScope,
    openid: [...(byScope['openid'] ?? []), 'at_hash'],
    ...Object.fromEntries(['amr', ...OF_EVERY_ID_TOKEN].map((claim) => [claim, null])),
  };
}

/** Returns the given and family name of an account. If the account has neither, returns those of its directory record. */
export async function namesOf(account: Account, inDirectory: NamesInDirectory): Promise<PersonNames> {
  if (account.given !== undefined || account.family !== undefined) return account;
  return (account.practitioners.length > 0 && (await inDirectory(account.practitioners))) || {};
}

/** Returns all claims of a person for one client. oidc-provider selects those that belong to the granted scopes. */
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
    // The person's login, or the account's id if the client may not know the address. Applications use this claim as the key of their
    // users, so it must be unique. A name would not be, because two people may have the same one.
    preferred_username: release.emailGranted ? loginOf(account) : account.id,
    picture: account.picture ?? release.initials,
    updated_at: release.updatedAt === 'epoch' ? account.updatedAt : new Date(account.updatedAt * 1000).toISOString(),
    ...(identity !== undefined && { fhirUser: `${settings.directory.url}/Practitioner/${identity}` }),
  };
}
