// Sessions are of people: the library would store one for each stranger who asks for a sign-out, or comes with the cookie of a
// session that has ended (SEC-58).

import type { Adapter } from 'oidc-provider';

/** Wraps the adapter of sessions: what nobody is signed in to is not stored. */
export function sessionsOfPeople(adapter: Adapter): Adapter {
  return {
    ...adapter,
    upsert: async (id, payload, expiresIn) => {
      if (payload.accountId !== undefined) await adapter.upsert(id, payload, expiresIn);
    },
  };
}
