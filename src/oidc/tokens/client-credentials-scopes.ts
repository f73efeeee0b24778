// Owns which scopes a client may not ask for on its own (client credentials): those that mean nothing without a person.
// Does not own which it may ask for at all (`clients.ts`).

import { errors, type Provider } from 'oidc-provider';

/** An ID token and refresh tokens come of a sign-in alone (OpenID Connect Core section 3; RFC 6749 section 4.4.3). */
const OF_PEOPLE = ['openid', 'offline_access'];

/** Bends a provider that has answered nothing yet. The library would put them into the token, where they promise what never comes. */
export function refuseScopesOfPeople(provider: Provider): void {
  const prototype = provider.ClientCredentials.prototype as unknown as {
    scope?: string;
    save(seconds?: number): Promise<string>;
  };
  const { save } = prototype;
  prototype.save = async function (seconds) {
    const held = this.scope?.split(' ') ?? [];
    const refused = OF_PEOPLE.filter((scope) => held.includes(scope)).join(' ');
    if (refused === '') return save.call(this, seconds);
    const remedy = `leave ${refused} out of scope, which is for the sign-in of people`;
    throw new errors.InvalidScope(`client_credentials gives a token without a person: ${remedy}`, refused);
  };
}
