// The library's storage: clients come from clients.yaml, everything else from the database. For some models, other files wrap the storage:
// Interaction in `interaction-storage.ts` and `browser-binding.ts`; PushedAuthorizationRequest in `tokens/single-use.ts` (`pushedOnce`) and
// `requests/pushed-requests.ts`; Session in `sessions/session-storage.ts`; codes, access tokens, refresh tokens and grants in
// `tokens/token-endpoint.ts`; ReplayDetection there and in `requests/pushed-requests.ts`.

import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';
import { refuseLongAssertion } from '#openid/clients/client-assertion.ts';
import type { ClientKeySets } from '#openid/clients/client-key-sets.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { createPushedRequestLimits } from '#openid/provider/requests/pushed-requests.ts';
import { refuseUnfitRequestObject } from '#openid/provider/requests/request-objects.ts';
import { sessionAdapter } from '#openid/sessions/session-storage.ts';
import { pushedOnce } from '#openid/tokens/single-use.ts';
import type { TokenEndpoint } from '#openid/tokens/token-endpoint.ts';
import { seal, unseal } from '#shared/crypto/encryption.ts';
import type { OidcPayload } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { boundToBrowser } from './browser-binding.ts';
import { neverRecreated, sealedInteractions } from './interaction-storage.ts';

interface AdapterOptions {
  records: OidcRecords;
  clients: ClientRegistry;
  keySets: Pick<ClientKeySets, 'withReading'>;
  tokens: Pick<TokenEndpoint, 'adapters'>;
  issuer: string;
  /** Keys for the cookies that hold sealed data. */
  cookieKeys: readonly string[];
  /** Lifetime of an access token in seconds. */
  accessToken: number;
}

/** Makes the library's adapter factory, which returns the storage of a model. */
export function adapterFactory(options: AdapterOptions): (model: string) => Adapter {
  const { records, tokens } = options;
  const limited = createPushedRequestLimits();
  const wraps: Partial<Record<string, (adapter: Adapter) => Adapter>> = {
    Client: () => clientAdapter(options),
    Session: (adapter) => sessionAdapter(adapter, records, options.accessToken),
    Interaction: (adapter) => interactions(adapter, options),
    PushedAuthorizationRequest: (adapter) => limited(pushedOnce(sealedRows(adapter, 'PushedAuthorizationRequest'))),
    ReplayDetection: limited,
  };
  return (model) => {
    const adapter = tokens.adapters[model]?.(recordAdapter(model, records)) ?? recordAdapter(model, records);
    return wraps[model]?.(adapter) ?? adapter;
  };
}

function recordAdapter(model: string, records: OidcRecords): Adapter {
  return {
    upsert: (id, payload, expiresIn) => records.upsert(model, id, payload as OidcPayload, expiresIn),
    find: (id) => records.find(model, id) as Promise<AdapterPayload | undefined>,
    // The library calls this for sessions only.
    findByUid: async (uid) => (await records.findSession(uid)) as AdapterPayload | undefined,
    // Only the device flow would look up a user code, and that flow is off.
    findByUserCode: async () => undefined,
    consume: (id) => records.consume(model, id),
    destroy: async (id) => void (await records.destroy(model, id)),
    revokeByGrantId: (grantId) => records.destroyByGrant(model, grantId),
  };
}

function interactions(adapter: Adapter, { records, issuer, cookieKeys }: AdapterOptions): Adapter {
  const newRows = sealedRows(adapter, 'Interaction');
  const existingRows = sealedRows(neverRecreated(adapter, records), 'Interaction');
  // An interaction without a signed-in account stays in a cookie until it signs somebody in. Any other becomes a row at once.
  const stored = sealedInteractions(existingRows, newRows, issuer, cookieKeys);
  return boundToBrowser(stored, issuer, cookieKeys);
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

/**
 * Wraps an adapter so that each payload is sealed with its id. Only the fields that are needed to find rows are not sealed. The id of an
 * interaction is in a cookie, and the id of a pushed request is its request_uri. The database contains neither of these ids, nor anything
 * from which they could be derived (SEC-62).
 */
function sealedRows(adapter: Adapter, model: string): Adapter {
  return {
    ...adapter,
    upsert: (id, payload, expiresIn) => {
      const { grantId } = payload;
      const sealed = seal(id, JSON.stringify(payload), model);
      const row = { sealed, ...(grantId !== undefined && { grantId }) };
      return adapter.upsert(id, row, expiresIn);
    },
    find: async (id) => {
      const row = await adapter.find(id);
      const text = row && unseal([id], String(row['sealed']), model);
      if (!row || text === undefined) return undefined;
      const { consumed } = row;
      return { ...(JSON.parse(text) as AdapterPayload), ...(consumed !== undefined && { consumed }) };
    },
  };
}
