// Owns the bridge from oidc-provider's storage interface to our tables. Does not own SQL (`src/store/oidc-records.ts`).

import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { AlreadyConsumed, AlreadyThere, type OidcPayload, type OidcRecords } from '../store/oidc-records.ts';
import type { ClientRegistry } from './clients.ts';

/** The adapter factory: clients come from the registry, everything else from the database. */
export function adapterFactory(records: OidcRecords, clients: ClientRegistry): (model: string) => Adapter {
  return (model) => (model === 'Client' ? clientAdapter(clients) : recordAdapter(model, records));
}

function recordAdapter(model: string, records: OidcRecords): Adapter {
  // A replayed proof must lose against the one stored before it, whatever the timing.
  const save = model === 'ReplayDetection' ? records.insertOnce : records.upsert;
  const find = async (id: string) => (await records.find(model, id)) as AdapterPayload | undefined;
  return {
    upsert: (id, payload, expiresIn) =>
      save(model, id, payload as OidcPayload, expiresIn).catch(
        translate(AlreadyThere, () => new errors.InvalidRequest('replay detected')),
      ),
    find,
    findByUid: async (uid) => (await records.findByUid(model, uid)) as AdapterPayload | undefined,
    // The device flow is off.
    findByUserCode: async () => undefined,
    consume: (id) =>
      records
        .consume(model, id)
        .catch(translate(AlreadyConsumed, () => new errors.InvalidGrant('authorization code already consumed'))),
    destroy: (id) => records.destroy(model, id),
    revokeByGrantId: (grantId) => records.destroyByGrant(model, grantId),
  };
}

function clientAdapter(clients: ClientRegistry): Adapter {
  const readOnly = async () => {
    throw new Error('clients are registered in clients.yaml');
  };
  return {
    find: async (id) => clients.metadata(id) as AdapterPayload | undefined,
    upsert: readOnly,
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    consume: readOnly,
    destroy: readOnly,
    revokeByGrantId: readOnly,
  };
}

function translate(kind: new (message: string) => Error, into: () => Error): (error: unknown) => never {
  return (error) => {
    throw error instanceof kind ? into() : error;
  };
}
