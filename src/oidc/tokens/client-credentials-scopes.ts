// Scopes that a client may not request for itself (client credentials): those that mean nothing without a person.

import { type AccessToken, type ClientCredentials, errors } from 'oidc-provider';

/** ID tokens and refresh tokens come of a sign-in alone (OpenID Connect Core section 3; RFC 6749 section 4.4.3). */
const OF_PEOPLE = ['openid', 'offline_access'];

/** To be called before a token is stored. Throws `invalid_scope`. */
export function refuseScopesOfPeople(token: AccessToken | ClientCredentials): void {
  if (token.kind !== 'ClientCredentials') return;
  const requested = token.scope?.split(' ') ?? [];
  const refused = OF_PEOPLE.filter((scope) => requested.includes(scope)).join(' ');
  if (refused === '') return;
  const remedy = `leave ${refused} out of scope, which is for the sign-in of people`;
  throw new errors.InvalidScope(`client_credentials gives a token without a person: ${remedy}`, refused);
}
