// Owns what relying parties meet of the keys: how long they may keep the key set, and hints signed under another algorithm.
// Does not own the keys (`keys.ts`) nor when they change (`key-ring.ts`).

import type { Client, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { ID_TOKEN_ALGORITHMS } from './service-keys.ts';

/** Applies to a provider that has answered nothing yet; `cachedFor` in seconds. */
export function amendSigning(provider: Provider, { cachedFor }: { cachedFor: number }): void {
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    await next();
    if (ctx.oidc?.route === 'jwks' && ctx.status === 200) ctx.set('cache-control', `public, max-age=${cachedFor}`);
  });
  acceptHintsOfBefore(provider);
}

// The library holds a hint against the client's present algorithm: after an edit of it, everybody who is signed in would
// be refused. Only our own algorithms count, all of which need one of our keys.
function acceptHintsOfBefore(provider: Provider): void {
  const idToken = provider.IdToken as unknown as { validate(jwt: string, client: Client): Promise<unknown> };
  const validate = idToken.validate;
  idToken.validate = function (jwt, client) {
    const alg = ID_TOKEN_ALGORITHMS.find((known) => known === algorithmOf(jwt));
    const as = alg ? Object.create(client, { idTokenSignedResponseAlg: { value: alg } }) : client;
    return validate.call(this, jwt, as);
  };
}

function algorithmOf(jwt: string): unknown {
  try {
    return JSON.parse(Buffer.from(jwt.split('.', 1)[0] ?? '', 'base64url').toString()).alg;
  } catch {
    return undefined;
  }
}
