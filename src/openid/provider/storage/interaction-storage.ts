// Stores interactions. Each is resumed once, even by simultaneous requests. A late answer does not bring it back, together with a sign-in
// that could be resumed again (SEC-55).

import { type Adapter, errors, Provider } from 'oidc-provider';
import type { OidcPayload } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';

/** The adapter of interactions. Changing or ending a deleted one throws `SessionNotFound`, like the library's look-up. */
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
    // The library's first step when a request resumes, before anybody is signed in and a code is made.
    destroy: async (id) => {
      if (!(await records.destroy('Interaction', id)))
        throw new errors.SessionNotFound('interaction session not found');
    },
  };
}
