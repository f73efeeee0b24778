// Accepts an id_token_hint that this service signed by another algorithm than the client's present one.
// Reason: oidc-provider verifies a hint with the client's present algorithm only. After a change of `idTokenAlgorithm`, no signed-in person
// could sign out by hint, or be signed in again by hint. The storage adapter cannot solve this by returning the
// client with the algorithm of the hint: it would have to know the hint when the client is read, but the library reads the hint of a pushed
// request later.
// Source: OpenID Connect Core section 3.1.2.1, RP-Initiated Logout section 2; node-oidc-provider lib/models/id_token.js.
// Changes: IdToken.validate.

import type { Client } from 'oidc-provider';
import { ID_TOKEN_ALGORITHMS } from '#openid/keys/key-plan.ts';
import type { Patch } from './patch.ts';

export const idTokenHintAlgorithm: Patch = {
  name: 'id-token-hint-algorithm',
  member: 'IdToken.validate',
  parameters: 2,
  apply: (provider) => {
    const idToken = provider.IdToken as unknown as { validate(jwt: string, client: Client): Promise<unknown> };
    const validate = idToken.validate;
    idToken.validate = function (jwt, client) {
      // Only algorithms with which this service signs ID tokens are accepted, because a hint with one of them must be signed by a key of
      // this service (SEC-23).
      const alg = ID_TOKEN_ALGORITHMS.find((known) => known === algorithmOf(jwt));
      const as = alg ? Object.create(client, { idTokenSignedResponseAlg: { value: alg } }) : client;
      return validate.call(this, jwt, as);
    };
  },
};

function algorithmOf(jwt: string): unknown {
  try {
    return JSON.parse(Buffer.from(jwt.split('.', 1)[0] ?? '', 'base64url').toString()).alg;
  } catch {
    return undefined;
  }
}
