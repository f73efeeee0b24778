// The library's storage: clients come from clients.yaml, everything else from the database. What a model needs beyond storing
// is in the file of its name.

import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';
import { refuseLongAssertion } from '#openid/clients/client-assertion.ts';
import type { ClientKeySets } from '#openid/clients/client-key-sets.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { createPushedRequestLimits } from '#openid/provider/requests/pushed-requests.ts';
import { refuseUnfitRequestObject } from '#openid/provider/requests/request-objects.ts';
import { sessionsOfPeople } from '#openid/sessions/anonymous-sessions.ts';
import { sessionAdapter } from '#openid/sessions/session-storage.ts';
import { reportingAcr } from '#openid/tokens/authentication-context.ts';
import { usableOnce } from '#openid/tokens/code-reuse.ts';
import { replayDetection } from '#openid/tokens/jti-replay.ts';
import { rotatingRefreshTokens } from '#openid/tokens/refresh-rotation.ts';
import { withoutWithdrawnScopes } from '#openid/tokens/withdrawn-scopes.ts';
import type { OidcPayload } from '#store/oidc/oidc-payload.ts';
import { AlreadyThere, type OidcRecords } from '#store/oidc/oidc-records.ts';
import { signInsOfBrowsers } from './browser-binding.ts';
import { interactionAdapter } from './interaction-storage.ts';
import { sealedInteractions } from './sealed-interactions.ts';
import { sealedRows } from './sealed-rows.ts';

interface AdapterOptions {
  records: OidcRecords;
  clients: ClientRegistry;
  keySets: Pick<ClientKeySets, 'withReading'>;
  issuer: string;
  /** Those of cookies, which seal what a browser keeps itself. */
  cookieKeys: readonly string[];
  /** Seconds. */
  lifetimes: { accessToken: number; refreshTokenGrace: number };
}

/** In the state of a request: the account whose code or refresh token was presented. */
export const PRESENTED_BY = 'presentedBy';

/** The library's adapter factory. */
export function adapterFactory(options: AdapterOptions): (model: string) => Adapter {
  const { records, clients, lifetimes } = options;
  const limited = createPushedRequestLimits();
  return (model) => {
    const adapter = recordAdapter(model, records);
    switch (model) {
      case 'Client':
        return clientAdapter(options);
      case 'Session':
        return sessionsOfPeople(sessionAdapter(adapter, records, lifetimes.accessToken));
      case 'Grant':
        return withoutWithdrawnScopes(grantAdapter(adapter, records), clients);
      case 'Interaction':
        return interactions(adapter, options);
      case 'AuthorizationCode':
        return notingPerson(usableOnce(reportingAcr(adapter), model, records));
      case 'PushedAuthorizationRequest':
        return limited(usableOnce(sealedRows(adapter, model), model, records));
      case 'RefreshToken':
        return notingPerson(
          rotatingRefreshTokens(refreshTokenAdapter(adapter, records), records, lifetimes.refreshTokenGrace),
        );
      case 'ReplayDetection':
        return limited(replayDetection(adapter, model, records));
      default:
        return adapter;
    }
  };
}

function recordAdapter(model: string, records: OidcRecords): Adapter {
  return {
    upsert: (id, payload, expiresIn) => records.upsert(model, id, payload as OidcPayload, expiresIn),
    find: (id) => records.find(model, id) as Promise<AdapterPayload | undefined>,
    // The library calls it for sessions only.
    findByUid: async (uid) => (await records.findSession(uid)) as AdapterPayload | undefined,
    // The device flow is off.
    findByUserCode: async () => undefined,
    consume: (id) => records.consume(model, id),
    destroy: async (id) => void (await records.destroy(model, id)),
    revokeByGrantId: (grantId) => records.destroyByGrant(model, grantId),
  };
}

function interactions(adapter: Adapter, { records, issuer, cookieKeys }: AdapterOptions): Adapter {
  const changing = sealedRows(interactionAdapter(adapter, records), 'Interaction');
  const making = sealedRows(adapter, 'Interaction');
  return signInsOfBrowsers(sealedInteractions(changing, making, issuer, cookieKeys), issuer, cookieKeys);
}

function refreshTokenAdapter(adapter: Adapter, records: OidcRecords): Adapter {
  return {
    ...adapter,
    // A refresh token has a nonce in the library, which an ID token that comes of it should not (OpenID Connect Core section
    // 12.2). Several refreshes may store the same successor (`refresh-rotation.ts`): the first one stands, used or not.
    upsert: async (id, { nonce: _nonce, ...payload }, expiresIn) => {
      try {
        await records.insertOnce('RefreshToken', id, payload as OidcPayload, expiresIn);
      } catch (error) {
        if (!(error instanceof AlreadyThere)) throw error;
      }
    },
  };
}

// What exists is changed by `extendGrant` only: a grant that was ended is not to come back.
function grantAdapter(adapter: Adapter, records: OidcRecords): Adapter {
  return {
    ...adapter,
    upsert: (id, payload, expiresIn) => records.insertOnce('Grant', id, payload as OidcPayload, expiresIn),
  };
}

// A refusal names the person only in passing, and what was used twice is gone by then.
function notingPerson(adapter: Adapter): Adapter {
  return {
    ...adapter,
    find: async (id) => {
      const payload = await adapter.find(id);
      if (payload?.accountId && Provider.ctx) Provider.ctx.state[PRESENTED_BY] = payload.accountId;
      return payload;
    },
  };
}

function clientAdapter({ clients, keySets }: AdapterOptions): Adapter {
  const readOnly = async () => {
    throw new Error('clients are registered in clients.yaml');
  };
  return {
    find: async (id) => {
      refuseLongAssertion(Provider.ctx);
      refuseUnfitRequestObject(Provider.ctx);
      const metadata = clients.metadata(id);
      return metadata && (keySets.withReading(metadata) as AdapterPayload);
    },
    upsert: readOnly,
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    consume: readOnly,
    destroy: readOnly,
    revokeByGrantId: readOnly,
  };
}
