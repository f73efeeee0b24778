// Spends what a request presents (a code, a refresh token) in the statement that stores the access token given for it. It is spent only with
// its answer, and one round trip to the database and one commit do what took two or three.

import { type Adapter, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { OidcPayload } from '#store/oidc/oidc-payload.ts';
import type { IssuedRecord } from '#store/oidc/oidc-records.ts';

type Spend = (accessToken: IssuedRecord) => Promise<void>;

const pending = new WeakMap<KoaContextWithOIDC, Spend>();

/** Has the access token of this request stored by `spend`. */
export function spendFor(ctx: KoaContextWithOIDC, spend: Spend): void {
  pending.set(ctx, spend);
}

/** The adapter of access tokens. The library stores one after everything else about a request was right. */
export function storedBySpending(adapter: Adapter): Adapter {
  return {
    ...adapter,
    upsert: async (id, payload, expiresIn) => {
      const { ctx } = Provider;
      const spend = ctx && pending.get(ctx);
      if (!spend) return adapter.upsert(id, payload, expiresIn);
      pending.delete(ctx);
      await spend({ model: 'AccessToken', id, payload: payload as OidcPayload, expiresIn });
    },
  };
}
