// The library's storage: clients come from clients.yaml, everything else from the database. What a model needs beyond that is here and in
// `sealed-interactions.ts` and `browser-binding.ts` (Interaction), in `requests/pushed-requests.ts` (PushedAuthorizationRequest), in
// `sessions/session-storage.ts` (Session), and for codes, refresh tokens, grants and replay detection in `tokens/token-endpoint.ts`.

import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider';
import { refuseLongAssertion } from '#openid/clients/client-assertion.ts';
import type { ClientKeySets } from '#openid/clients/client-key-sets.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { createPushedRequestLimits } from '#openid/provider/requests/pushed-requests.ts';
import { refuseUnfitRequestObject } from '#openid/provider/requests/request-objects.ts';
import { sessionAdapter } from '#openid/sessions/session-storage.ts';
import { pushedOnce } from '#openid/tokens/single-use.ts';
import type { TokenEndpoint } from '#openid/tokens/token-endpoint.ts';
import { seal, unseal } from '#shared/crypto/sealed-text.ts';
import type { OidcPayload } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { boundToBrowser } from './browser-binding.ts';
import { sealedInteractions } from './sealed-interactions.ts';

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
        return sessionAdapter(adapter, records, options.accessToken);
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
  const newRows = sealedRows(adapter, 'Interaction');
  const existingRows = sealedRows(neverRecreated(adapter, records), 'Interaction');
  // An interaction stays in the browser until it signs somebody in, and is a row from then on.
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
 * Wraps the adapter of interactions. Each is resumed once, even by simultaneous requests. A late answer does not bring it back, together
 * with a sign-in that could be resumed again (SEC-55). Changing or ending a deleted one throws `SessionNotFound`, like the library's look-up.
 */
export function neverRecreated(adapter: Adapter, records: Pick<OidcRecords, 'destroy' | 'update'>): Adapter {
  return {
    ...adapter,
    upsert: async (id, payload, expiresIn) => {
      const { ctx } = Provider;
      // The library makes interactions within its own requests. It notes a new one in `entities` only after this call.
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

/**
 * Wraps an adapter: payloads are sealed by their id, except the fields by which rows are looked up. The database has neither the id of an
 * interaction or a pushed request, which is a cookie or a request_uri, nor anything that leads to it (SEC-62).
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
