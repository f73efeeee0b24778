// Stores sessions: until their tokens expire, never beyond their limits, and never again after their end.

import { type Adapter, type AdapterPayload, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { epochSeconds } from '#store/database/connection.ts';
import type { ReadRecord } from '#store/oidc/conditional-writes.ts';
import { type OidcPayload, restoreRecord } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { endLateAuthorizations } from './end-session.ts';
import { keepSessionCookie, sessionEnded } from './ended-session.ts';
import type { Authorization, SessionPayload } from './merge-session.ts';
import { saveSession } from './save-session.ts';
import { withDevice } from './session-device.ts';
import { shareGrant } from './shared-grant.ts';

/** The adapter of sessions. `accessToken` is the lifetime of an access token in seconds. */
export function sessionAdapter(adapter: Adapter, records: OidcRecords, accessToken: number): Adapter {
  return endingOnTime(neverBack(adapter, records, accessToken));
}

// The library accepts a session after its end for the allowed clock difference, and then saves it for at least another second. A session in
// steady use would never reach its absolute limit.
function endingOnTime(adapter: Adapter): Adapter {
  return {
    ...adapter,
    find: async (id) => {
      const session = await adapter.find(id);
      return session && Number(session.exp) > epochSeconds() ? session : undefined;
    },
  };
}

// The library reads a session when a request begins and saves it as a whole when it ends. Here the read state is remembered with the
// request, and only a new session is inserted.
function neverBack(adapter: Adapter, records: OidcRecords, accessToken: number): Adapter {
  const reads = new WeakMap<KoaContextWithOIDC, ReadRecord>();

  const save = async (ctx: KoaContextWithOIDC, id: string, content: OidcPayload, expiresIn: number): Promise<void> => {
    const read = reads.get(ctx);
    const found = read && (JSON.parse(read.payload) as SessionPayload);
    const before = found?.['uid'] === content.uid ? found : undefined;
    const payload = withDevice(ctx, content, before);
    if (!read || !before) {
      await records.insertOnce('Session', id, payload, expiresIn);
      return;
    }
    const after = payload as SessionPayload;
    const saved = await saveSession(records, read, { payload, expiresIn, ...(isRenamed(ctx) && { newId: id }) });
    if (saved.outcome === 'ended') return sessionEnded(ctx, { before, after });
    if (saved.outcome === 'renamed') keepSessionCookie(ctx);
    await shareGrant(ctx, records, after, saved.session);
  };

  return {
    ...adapter,
    find: async (id) => {
      const read = await records.readSession({ id });
      const { ctx } = Provider;
      if (read && ctx) reads.set(ctx, read);
      return read && (restoreRecord(read.payload, id, null) as AdapterPayload);
    },
    upsert: async (id, payload, expiresIn) => {
      // A token lives for its `expires_in`, even if the person idles. The session's row stays as long, and shows until then that nobody
      // signed out. The session itself ends at the `exp` in its payload.
      const kept = (expiresIn ?? 0) + accessToken;
      const { ctx } = Provider;
      if (ctx) await save(ctx, id, payload as OidcPayload, kept);
      else await records.insertOnce('Session', id, payload as OidcPayload, kept);
    },
    destroy: async (id) => {
      const { ctx } = Provider;
      // The library's first step to a new id: `upsert` does both in one.
      if (ctx && isRenamed(ctx, id)) return;
      const uid = ctx?.oidc.session?.uid;
      if (!ctx || uid === undefined) return adapter.destroy(id);
      const ended = (await records.destroySession(uid)) as SessionPayload | undefined;
      const known = ctx.oidc.session?.authorizations as Record<string, Authorization> | undefined;
      // A request that came in between may have added a client.
      if (ended) await endLateAuthorizations(ctx.oidc.provider, records, ended, known);
    },
  };
}

/** Checks whether the session of the request is to get a new id, in place of `id` if given. */
function isRenamed({ oidc }: KoaContextWithOIDC, id?: string): boolean {
  const { oldId } = (oidc.session ?? {}) as { oldId?: string };
  return oldId !== undefined && (id === undefined || oldId === id);
}
