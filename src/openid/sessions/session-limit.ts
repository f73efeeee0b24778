// Ends the oldest sessions of a person if a sign-in exceeds `limits.sessionsPerAccount`.

import type { KoaContextWithOIDC } from 'oidc-provider';
import type { AuditTrail } from '#shared/audit/events.ts';
import { SESSION_ENDINGS } from '#shared/audit/events.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { clientAddress } from '#web/http/client-address.ts';
import { endSession } from './end-session.ts';

/** Maximum sessions of one account if the settings have no limit. Endless sign-ins must not fill the disk (SEC-75). */
const MOST_SESSIONS = 1000;

/**
 * Middleware that runs after each sign-in, when its session has been stored. If several run at the same time, the last one sees all
 * sessions, and all agree on which are the oldest.
 * @param limit maximum sessions of one account; 0 for no limit
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
