// The claims of a person. ID token and userinfo use the same table, so that they never disagree (specification section 2.2, OpenID Connect
// Core 5.1 and 5.4, SMART App Launch 2 "fhirUser").

import type { Settings } from '#config/settings.ts';
import type { PersonNames } from '#shared/names.ts';
import { present } from '#shared/present.ts';
import { type Account, loginOf } from '#store/accounts/account-row.ts';

export interface ClaimSettings extends Pick<Settings, 'namespace'> {
  directory: Pick<Settings['directory'], 'url'>;
}

/**
 * Returns the name of the first of these practitioners that the directory holds; undefined if it holds none. `server/wire-halves.ts` makes
 * it of `directory/resources/record-names.ts`.
 */
export type NamesInDirectory = (practitioners: readonly string[]) => Promise<PersonNames | undefined>;

/** Facts about a token. Either the token receives the claims, or a client requests them with it. */
interface Release {
  applicationName: string;
  /** True if the client was granted the person's e-mail address by scope. */
  emailGranted: boolean;
  names: PersonNames;
  /** Address of the service's own picture, which shows the person's initials. */
  initials: string;
  /** Form of `updated_at`: text as in the specification, or seconds as in OpenID Connect Core 5.1. */
  updatedAt: Settings['claims']['updatedAt'];
}

/** The claims of each scope, in oidc-provider's form. */
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

/** Claims that no client has to ask for by name. Every ID token has them (`nonce` only if its request had one). */
export const OF_EVERY_ID_TOKEN: readonly string[] = ['aud', 'exp', 'iat', 'nonce', 'at_hash'];

/**
 * The library's `claims`, from which it makes `claims_supported`. They are exactly the claims that can be released. A client can get `amr`
 * only by its name. `acr`, `auth_time`, `iss` and `sid` are the library's own.
 */
export function claimsConfiguration(namespace: string): Record<string, string[] | null> {
  const byScope = claimsByScope(namespace);
  return {
    ...byScope,
    openid: [...(byScope['openid'] ?? []), 'at_hash'],
    ...Object.fromEntries(['amr', ...OF_EVERY_ID_TOKEN].map((claim) => [claim, null])),
  };
}

/** Returns the given and family name of an account, or else those of its directory record. */
export async function namesOf(account: Account, inDirectory: NamesInDirectory): Promise<PersonNames> {
  if (account.given !== undefined || account.family !== undefined) return account;
  return (account.practitioners.length > 0 && (await inDirectory(account.practitioners))) || {};
}

/** Makes all claims of a person for one client. oidc-provider picks those of the granted scopes. */
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
    // The person's login. A client that may not know the address gets the account's id. Applications use this claim as the key of their
    // users, so it must be unique, and two people may have the same name.
    preferred_username: release.emailGranted ? loginOf(account) : account.id,
    picture: account.picture ?? release.initials,
    updated_at: release.updatedAt === 'epoch' ? account.updatedAt : new Date(account.updatedAt * 1000).toISOString(),
    ...(identity !== undefined && { fhirUser: `${settings.directory.url}/Practitioner/${identity}` }),
  };
}
