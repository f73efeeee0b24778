// The library's storage: clients come from clients.yaml, everything else from the database. What a model needs beyond that is in
// `interaction-storage.ts`, `sealed-interactions.ts` and `browser-binding.ts` (Interaction), in `requests/pushed-requests.ts` and
// `sealed-rows.ts` (PushedAuthorizationRequest), in `sessions/session-storage.ts` (Session), and for codes, refresh tokens, grants and
// replay detection in `tokens/token-endpoint.ts`.

import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';
import { refuseLongAssertion } from '#openid/clients/client-assertion.ts';
import type { ClientKeySets } from '#openid/clients/client-key-sets.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { createPushedRequestLimits } from '#openid/provider/requests/pushed-requests.ts';
import { refuseUnfitRequestObject } from '#openid/provider/requests/request-objects.ts';
import { withoutAnonymousSessions } from '#openid/sessions/anonymous-sessions.ts';
import { sessionAdapter } from '#openid/sessions/session-storage.ts';
import { pushedOnce } from '#openid/tokens/code-reuse.ts';
import type { TokenEndpoint } from '#openid/tokens/token-endpoint.ts';
import type { OidcPayload } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { boundToBrowser } from './browser-binding.ts';
import { interactionAdapter } from './interaction-storage.ts';
import { sealedInteractions } from './sealed-interactions.ts';
import { sealedRows } from './sealed-rows.ts';

interface AdapterOptions {
  records: OidcRecords;
  clients: ClientRegistry;
  keySets: Pick<ClientKeySets, 'withReading'>;
  tokens: Pick<TokenEndpoint, 'adapters'>;
  issuer: string;
  /** Keys that seal the data that browsers keep themselves. */
  cookieKeys: readonly string[];
  /** Seconds that an access token lives. */
  accessToken: number;
}

/** The library's adapter factory. */
export function adapterFactory(options: AdapterOptions): (model: string) => Adapter {
  const { records, tokens } = options;
  const limited = createPushedRequestLimits();
  return (model) => {
    const adapter = tokens.adapters[model]?.(recordAdapter(model, records)) ?? recordAdapter(model, records);
    switch (model) {
      case 'Client':
        return clientAdapter(options);
      case 'Session':
        return withoutAnonymousSessions(sessionAdapter(adapter, records, options.accessToken));
      case 'Interaction':
        return interactions(adapter, options);
      case 'PushedAuthorizationRequest':
        return limited(pushedOnce(sealedRows(adapter, model)));
      case 'ReplayDetection':
        return limited(adapter);
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
  return boundToBrowser(sealedInteractions(changing, making, issuer, cookieKeys), issuer, cookieKeys);
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
