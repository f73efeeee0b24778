// Owns the bridge from oidc-provider's storage interface to our tables. Does not own SQL (`src/store/oidc/oidc-records.ts`).

import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { digest } from '../shared/crypto/digest.ts';
import { epochSeconds } from '../store/database/connection.ts';
import type { OidcPayload } from '../store/oidc/oidc-payload.ts';
import { AlreadyConsumed, AlreadyThere, type OidcRecords } from '../store/oidc/oidc-records.ts';
import type { ClientRegistry } from './clients/client-registry.ts';

/**
 * The adapter factory: clients come from the registry, everything else from the database. `accessToken` is the lifetime
 * of an access token in seconds.
 */
export function adapterFactory(
  records: OidcRecords,
  clients: ClientRegistry,
  { accessToken }: { accessToken: number },
): (model: string) => Adapter {
  return (model) => {
    if (model === 'Client') return clientAdapter(clients);
    const adapter = recordAdapter(model, records);
    return model === 'Session' ? outlivedByTokens(endingOnTime(savingChangesOnly(adapter)), accessToken) : adapter;
  };
}

function recordAdapter(model: string, records: OidcRecords): Adapter {
  const save = saveOf(model, records);
  return {
    upsert: (id, payload, expiresIn) => save(id, payload as OidcPayload, expiresIn),
    find: (id) => records.find(model, id) as Promise<AdapterPayload | undefined>,
    // The library asks for sessions only.
    findByUid: async (uid) => (await records.findSession(uid)) as AdapterPayload | undefined,
    // The device flow is off.
    findByUserCode: async () => undefined,
    consume: (id) => records.consume(model, id).catch(translate(AlreadyConsumed, () => usedBefore(model))),
    destroy: (id) => records.destroy(model, id),
    revokeByGrantId: (grantId) => records.destroyByGrant(model, grantId),
  };
}

type Save = (id: string, payload: OidcPayload, expiresIn: number | undefined) => Promise<void>;

function saveOf(model: string, records: OidcRecords): Save {
  switch (model) {
    // A replayed proof must lose against the one stored before it, whatever the timing.
    case 'ReplayDetection':
      return (id, payload, expiresIn) =>
        records
          .insertOnce(model, id, payload, expiresIn)
          .catch(translate(AlreadyThere, () => new errors.InvalidRequest('replay detected')));
    // Several refreshes may arrive at the same successor (`refresh-rotation.ts`): the first one stands, used or not.
    case 'RefreshToken':
      return (id, payload, expiresIn) =>
        records.insertOnce(model, id, payload, expiresIn).catch(translate(AlreadyThere, () => undefined));
    default:
      return (id, payload, expiresIn) => records.upsert(model, id, payload, expiresIn);
  }
}

function usedBefore(model: string): Error {
  return model === 'PushedAuthorizationRequest'
    ? new errors.InvalidRequestUri('request_uri was used already')
    : new errors.InvalidGrant('authorization code already consumed');
}

// A token lives for its `expires_in`, also when the person idles: its session's row stays as long, and says until then that
// nobody signed out. The session itself ends at the `exp` in its payload.
function outlivedByTokens(adapter: Adapter, accessToken: number): Adapter {
  return {
    ...adapter,
    upsert: (id, payload, expiresIn) => adapter.upsert(id, payload, (expiresIn ?? 0) + accessToken),
  };
}

// The library takes a session for as long after its end as clocks may differ, and saves it then for at least another second: used
// often enough, it would never come to its absolute limit.
function endingOnTime(adapter: Adapter): Adapter {
  return {
    ...adapter,
    find: async (id) => {
      const session = await adapter.find(id);
      return session && Number(session.exp) > epochSeconds() ? session : undefined;
    },
  };
}

/** Seconds for which a session that did not change need not be written again. */
const UNCHANGED_FOR = 60;
const MOST_SESSIONS = 10_000;

// The library saves the session at every authorization, if only to move its end. A write that would change nothing else is
// left out for a minute: the idle limit is exact to that minute, and a session ended elsewhere is never written back.
function savingChangesOnly(adapter: Adapter): Adapter {
  const saved = new Map<string, { content: string; at: number }>();
  return {
    ...adapter,
    upsert: async (id, payload, expiresIn) => {
      const key = digest(id);
      const { exp: _exp, iat: _iat, ...rest } = payload;
      const content = digest(JSON.stringify(rest));
      const now = epochSeconds();
      const last = saved.get(key);
      // The clock may have been set back meanwhile.
      if (last && last.content === content && Math.abs(now - last.at) < UNCHANGED_FOR) return;
      await adapter.upsert(id, payload, expiresIn);
      saved.delete(key);
      saved.set(key, { content, at: now });
      if (saved.size > MOST_SESSIONS) saved.delete(saved.keys().next().value ?? '');
    },
    destroy: async (id) => {
      saved.delete(digest(id));
      await adapter.destroy(id);
    },
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

/** Throws what `into` makes of the fault, or passes over it when it makes nothing. */
function translate(kind: new (message: string) => Error, into: () => Error | undefined): (error: unknown) => void {
  return (error) => {
    const fault = error instanceof kind ? into() : error;
    if (fault !== undefined) throw fault;
  };
}
