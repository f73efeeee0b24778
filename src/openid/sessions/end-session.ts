// Ends a session outside the library's sign-out. Also ends the oldest sessions of a person if a sign-in exceeds
// `limits.sessionsPerAccount`, and authorizations that other requests added while the library ended a session.

import type { Client, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { type AuditTrail, SESSION_ENDINGS } from '#shared/audit/events.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { clientAddress } from '#web/http/client-address.ts';
import { endGrant } from './grants.ts';
import type { Authorization, SessionPayload } from './save-session.ts';

type Authorizations = Readonly<Record<string, Authorization>>;
type Records = Pick<OidcRecords, 'destroy' | 'destroyByGrant'>;

/**
 * Ends a session and revokes its tokens, as a sign-out does. Only tokens with `offline_access` stay, because this scope lets a client act
 * without the session.
 * @param ofAccount only a session of this account is ended
 * @returns the last state of the session; undefined if there was none
 */
export async function endSession(
  provider: Provider,
  records: Records & Pick<OidcRecords, 'findSession' | 'destroySession'>,
  uid: string,
  ofAccount?: string,
): Promise<SessionPayload | undefined> {
  // The clients are notified first, so that no client is forgotten if this process dies.
  const found = (await records.findSession(uid)) as SessionPayload | undefined;
  if (ofAccount !== undefined && found?.['accountId'] !== ofAccount) return undefined;
  if (found) await endLateAuthorizations(provider, records, found, {});
  const ended = (await records.destroySession(uid, ofAccount)) as SessionPayload | undefined;
  if (ended) await endLateAuthorizations(provider, records, ended, found?.authorizations);
  return ended;
}

/**
 * Notifies the clients of a session and ends the grants of the session. Grants with `offline_access` stay, because this scope lets a client
 * act without the session. Skips the authorizations in `known`, for which both has been done already.
 */
export async function endLateAuthorizations(
  provider: Provider,
  records: Records,
  session: SessionPayload,
  known: Authorizations = {},
): Promise<void> {
  for (const [clientId, { grantId, sid, persistsLogout }] of Object.entries(session.authorizations ?? {})) {
    if (sid !== known[clientId]?.sid) await notify(provider, clientId, String(session['accountId'] ?? ''), sid);
    if (!grantId || persistsLogout || grantId === known[clientId]?.grantId) continue;
    await endGrant(records, grantId);
  }
}

// Notifies one client. A failure is reported by the event that oidc-provider emits if it cannot notify a client of a sign-out.
async function notify(provider: Provider, clientId: string, accountId: string, sid = ''): Promise<void> {
  const client = await provider.Client.find(clientId);
  if (!client?.backchannelLogoutUri) return;
  try {
    await notifyClient(client, accountId, sid);
  } catch (error) {
    provider.emit('backchannel.error', undefined as never, error as Error, client, accountId, sid);
  }
}

/**
 * Lets oidc-provider make a logout token and pass it to the configured `fetch` (OpenID Connect Back-Channel Logout 1.0). The library's
 * types lack the method `backchannelLogout`.
 */
export function notifyClient(client: Client, accountId: string, sid: string): Promise<unknown> {
  type Notifiable = { backchannelLogout(accountId: string, sid: string): Promise<unknown> };
  return (client as unknown as Notifiable).backchannelLogout(accountId, sid);
}

/** Maximum sessions of one account if the settings set no limit, so that endless sign-ins cannot fill the disk (SEC-75). */
const MOST_SESSIONS = 1000;

/**
 * Makes the middleware that ends the oldest sessions of an account that has too many. It acts after a sign-in, when the session of the
 * sign-in has been stored. So the limit also holds if there are several sign-ins at the same time: the last call sees all sessions, and all
 * calls agree on which sessions are the oldest.
 * @param limit maximum sessions of one account; 0 stands for `MOST_SESSIONS`
 */
export function sessionLimit(
  records: OidcRecords,
  limit: number,
  { audit, isShared }: { audit: AuditTrail; isShared(accountId: string): boolean },
) {
  const most = limit || MOST_SESSIONS;
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const { oidc } = ctx;
    const account = oidc?.session?.accountId;
    if (oidc?.route !== 'resume' || !oidc.result?.['login'] || account === undefined || isShared(account)) return;
    const sessions = await records.liveSessionsOf(account);
    for (const { uid = '' } of sessions.slice(0, Math.max(0, sessions.length - most))) {
      await endSession(oidc.provider, records, uid);
      const details = { reason: SESSION_ENDINGS.tooMany };
      await audit.record({
        event: 'session.ended',
        actor: 'service',
        account,
        address: clientAddress(ctx.req),
        details,
      });
    }
  };
}
