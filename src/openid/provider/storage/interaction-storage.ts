// How interactions are stored: each is taken up once, also by requests at the same time, and an answer that comes afterwards does
// not bring it back, with a sign-in that could be taken up once more (SEC-55).

import { type Adapter, errors, Provider } from 'oidc-provider';
import type { OidcPayload } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';

/** The adapter of interactions. A change to, or the end of, one that is gone throws `SessionNotFound`, as the library's look-up does. */
export function interactionAdapter(adapter: Adapter, records: Pick<OidcRecords, 'destroy' | 'update'>): Adapter {
  return {
    ...adapter,
    upsert: async (id, payload, expiresIn) => {
      const { ctx } = Provider;
      // The library makes one within its own requests, and knows it then only when it is stored.
      const isNew = ctx && (ctx.oidc.entities.Interaction as { uid?: string } | undefined)?.uid !== id;
      if (isNew) return adapter.upsert(id, payload, expiresIn);
      if (await records.update('Interaction', id, payload as OidcPayload, expiresIn)) return;
      throw new errors.SessionNotFound('interaction session not found');
    },
    // The library's first step when a request goes on: before anybody is signed in and a code is made.
    destroy: async (id) => {
      if (!(await records.destroy('Interaction', id)))
        throw new errors.SessionNotFound('interaction session not found');
    },
  };
}
