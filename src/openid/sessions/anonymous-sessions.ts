// Keeps sessions without a person out of the database. The library would store one for each stranger who requests a sign-out, or comes with
// the cookie of an ended session (SEC-58). The question before a sign-out, with its CSRF token, opens with the session's cookie (SEC-62).

import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';
import { digest } from '#shared/crypto/digest.ts';
import { seal, unseal } from '#shared/crypto/sealed-text.ts';
import { keepSessionCookie } from './ended-session.ts';

const CONTEXT = 'question before a sign-out';

/** Wraps the adapter of sessions. A session to which nobody is signed in is not stored, and has no cookie. */
export function withoutAnonymousSessions(adapter: Adapter): Adapter {
  return {
    ...adapter,
    upsert: async (id, payload, expiresIn) => {
      if (payload.accountId === undefined) {
        if (Provider.ctx) keepSessionCookie(Provider.ctx);
        return;
      }
      const { state } = payload;
      await adapter.upsert(id, state ? { ...payload, state: sealedState(id, state) } : payload, expiresIn);
    },
    find: async (id) => {
      const payload = await adapter.find(id);
      const sealed = payload?.state?.['sealed'];
      // The session was stored by a release that did not seal its state.
      if (!payload || typeof sealed !== 'string') return payload;
      const { state: _state, ...rest } = payload;
      const text = unseal([id], sealed, CONTEXT);
      // The id has changed since: the question belonged to the earlier session.
      return text === undefined ? rest : { ...rest, state: JSON.parse(text) as NonNullable<AdapterPayload['state']> };
    },
  };
}

function sealedState(id: string, state: object): Record<string, string> {
  const sealed = seal(id, JSON.stringify(state), CONTEXT);
  // An instance of an older release compares a token with it, and none fits.
  return { secret: digest(sealed), sealed };
}
