// Stores sessions. A session ends at its limits, but its row stays until its access tokens have expired. An ended session is never stored
// again.

import { type Adapter, type AdapterPayload, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { digest } from '#shared/crypto/digest.ts';
import { seal, unseal } from '#shared/crypto/encryption.ts';
import { deviceOf } from '#shared/device.ts';
import { epochSeconds } from '#store/database/connection.ts';
import type { ReadRecord } from '#store/oidc/conditional-writes.ts';
import { type OidcPayload, restoreRecord } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { endLateAuthorizations } from './end-session.ts';
import { extendGrant } from './grants.ts';
import { type Authorization, type SessionPayload, saveSession } from './save-session.ts';
import { sendNoSessionCookie, sessionEnded } from './session-ended-meanwhile.ts';

/** Makes the adapter of sessions. `accessToken` is the lifetime of an access token in seconds. */
export function sessionAdapter(adapter: Adapter, records: OidcRecords, accessToken: number): Adapter {
  return withoutAnonymousSessions(endingOnTime(neverBack(adapter, records, accessToken)));
}

// Ends a session exactly at its `exp`. The library accepts a session for some seconds longer, because clocks differ, and then saves it
// again. So a session in steady use would never end at its absolute limit.
function endingOnTime(adapter: Adapter): Adapter {
  return {
    ...adapter,
    find: async (id) => {
      const session = await adapter.find(id);
      return session && Number(session.exp) > epochSeconds() ? session : undefined;
    },
  };
}

// The library reads a session when a request begins, and saves the whole session when the request ends. Without this adapter, simultaneous
// requests would overwrite each other's changes, and a session that is ended during a request would be stored again. So the adapter
// remembers the session that each request has read. At the end of the request, it inserts a new session, but merges the changes to an
// existing one into the stored session. A session that has ended meanwhile is not stored.
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
    if (saved.outcome === 'renamed') sendNoSessionCookie(ctx);
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
      // The row stays until the session's access tokens expire, even if the person is idle, because a missing row means that the person has
      // signed out. The session itself ends at the `exp` in its payload.
      const kept = (expiresIn ?? 0) + accessToken;
      const { ctx } = Provider;
      if (ctx) await save(ctx, id, payload as OidcPayload, kept);
      else await records.insertOnce('Session', id, payload as OidcPayload, kept);
    },
    destroy: async (id) => {
      const { ctx } = Provider;
      // To change the id, the library destroys the session and stores it again. Nothing is destroyed here, because our `upsert` changes the
      // id in one statement.
      if (ctx && isRenamed(ctx, id)) return;
      const uid = ctx?.oidc.session?.uid;
      if (!ctx || uid === undefined) return adapter.destroy(id);
      const ended = (await records.destroySession(uid)) as SessionPayload | undefined;
      const known = ctx.oidc.session?.authorizations as Record<string, Authorization> | undefined;
      // Another request may have added a client just before the session ended. The library does not know that client, so the client is
      // notified here and its grant ended.
      if (ended) await endLateAuthorizations(ctx.oidc.provider, records, ended, known);
    },
  };
}

/** Checks whether this request gives the session a new id. With `id`, also checks that `id` is the old one. */
function isRenamed({ oidc }: KoaContextWithOIDC, id?: string): boolean {
  const { oldId } = (oidc.session ?? {}) as { oldId?: string };
  return oldId !== undefined && (id === undefined || oldId === id);
}

/**
 * Keeps one grant for each client of a session, even if parallel requests of the client made several. Tokens are valid only while the
 * session names their grant, so the code of the second request is moved to the grant of the first. Call this function after the session is
 * stored as `merged`, and before the response with the code leaves.
 */
async function shareGrant(
  { oidc }: KoaContextWithOIDC,
  records: Pick<OidcRecords, 'read' | 'replace'>,
  mine: SessionPayload,
  merged: SessionPayload,
): Promise<void> {
  const clientId = oidc.client?.clientId ?? '';
  const own = mine.authorizations?.[clientId];
  const shared = merged.authorizations?.[clientId];
  if (!own?.grantId || !shared?.grantId || own.grantId === shared.grantId) return;
  const { AuthorizationCode: code, Grant: grant } = oidc.entities;
  if (grant?.jti === own.grantId) {
    const given = { scope: grant.getOIDCScope(), claims: grant.getOIDCClaims() };
    await extendGrant(oidc.provider, records, shared.grantId, given, { renewed: true });
    await grant.destroy();
  }
  if (!code) return;
  code.grantId = shared.grantId;
  if (code.sid !== undefined) code.sid = shared.sid;
  await code.save();
}

const CONTEXT = 'question before a sign-out';

/**
 * Wraps the adapter of sessions. A session without a signed-in person is not stored and has no cookie. The library would store such a
 * session for each stranger who requests a sign-out or sends the cookie of an ended session (SEC-58). While the library asks a person
 * whether to sign out, the session's `state` contains the CSRF token of this question. So `state` is sealed with the session's id, which
 * only the cookie has (SEC-62).
 */
function withoutAnonymousSessions(adapter: Adapter): Adapter {
  return {
    ...adapter,
    upsert: async (id, payload, expiresIn) => {
      if (payload.accountId === undefined) {
        if (Provider.ctx) sendNoSessionCookie(Provider.ctx);
        return;
      }
      const { state } = payload;
      await adapter.upsert(id, state ? { ...payload, state: sealedState(id, state) } : payload, expiresIn);
    },
    find: async (id) => {
      const payload = await adapter.find(id);
      const sealed = payload?.state?.['sealed'];
      // If the state is not sealed, an earlier release has stored this session.
      if (!payload || typeof sealed !== 'string') return payload;
      const { state: _state, ...rest } = payload;
      const text = unseal([id], sealed, CONTEXT);
      // A state that cannot be opened was sealed with an earlier id of the session: the person was asked before the id changed. Such a
      // state is left out.
      return text === undefined ? rest : { ...rest, state: JSON.parse(text) as NonNullable<AdapterPayload['state']> };
    },
  };
}

function sealedState(id: string, state: object): Record<string, string> {
  const sealed = seal(id, JSON.stringify(state), CONTEXT);
  // During an update, an instance of an earlier release may get the posted form. It compares the form's token with `secret`. No token
  // matches this digest, so it refuses the form. Without `secret`, its response would be a server error.
  return { secret: digest(sealed), sealed };
}

/**
 * Adds the device to a session that is to be stored: the device of this request if the request completes a sign-in, otherwise the device
 * that the session had. The device is a field of the session's record, so it needs no statement of its own and is deleted with the session.
 * It must be added each time, because the library does not know the field and drops it when it saves the session.
 */
function withDevice(
  { oidc, req }: KoaContextWithOIDC,
  payload: OidcPayload,
  before: SessionPayload | undefined,
): OidcPayload {
  const device = oidc.result?.['login'] ? deviceOf(req.headers['user-agent']) : before?.device;
  return device === undefined ? payload : { ...payload, device };
}
