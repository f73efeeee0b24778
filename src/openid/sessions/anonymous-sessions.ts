// Keeps sessions without a person out of the database: the library would store one for each stranger that asks for a sign-out, or comes
// with the cookie of a session that has ended (SEC-58). The question before a sign-out, with its CSRF token, opens with the session's cookie (SEC-62).

import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';
import { digest } from '#shared/crypto/digest.ts';
import { seal, unseal } from '#shared/crypto/sealed-text.ts';
import { keepSessionCookie } from './ended-session.ts';

const CONTEXT = 'question before a sign-out';

/** Wraps the adapter of sessions: what nobody is signed in to is not stored, and has no cookie. */
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
      // Stored before it was sealed.
      if (!payload || typeof sealed !== 'string') return payload;
      const { state: _state, ...rest } = payload;
      const text = unseal([id], sealed, CONTEXT);
      // Another id since: the question belonged to the one before.
      return text === undefined ? rest : { ...rest, state: JSON.parse(text) as NonNullable<AdapterPayload['state']> };
    },
  };
}

function sealedState(id: string, state: object): Record<string, string> {
  const sealed = seal(id, JSON.stringify(state), CONTEXT);
  // An instance of an older release compares a token with it, and none fits.
  return { secret: digest(sealed), sealed };
}
