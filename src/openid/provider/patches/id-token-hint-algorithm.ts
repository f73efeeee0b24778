// Accepts an id_token_hint that was signed under another algorithm of this service than the client has now.
// Reason: oidc-provider verifies a hint with the client's present algorithm only. After an edit of `idTokenAlgorithm`, no
// signed-in person could sign out or be signed in again by hint. The adapter cannot help with the client's metadata: where the hint lies
// in a pushed request, it is read after the client.
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
      // Only our own algorithms, each of which needs one of our keys (SEC-23).
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
