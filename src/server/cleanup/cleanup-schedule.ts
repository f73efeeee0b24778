// Removes expired records at the start of the service and every minute, a few at a time (`pace.ts`). Then it shrinks SQLite's file. Of all
// processes that share the database, one at a time does this. Until then, expired records are refused where they are read.

import type { Logger } from '#shared/log/log.ts';
import { repeat } from '#shared/promises.ts';
import { tracedAlone } from '#shared/request-context.ts';
import type { AuditEvents } from '#store/audit/audit-events.ts';
import type { Lease } from '#store/database/lease.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import type { LogoutDeliveries } from '#store/outbox/logout-deliveries.ts';
import type { MailQueue } from '#store/outbox/mail-queue.ts';
import { BATCH_MS, createPace, type Remove } from './pace.ts';

interface CleanupOptions {
  stores: {
    records: Pick<OidcRecords, 'prune' | 'forgetSuccessors'>;
    pageSessions(): { prune: Remove };
    signInLimiters: { prune: Remove };
    actionTokens: { prune: Remove };
    auditEvents: Pick<AuditEvents, 'prune'>;
    mailQueue: Pick<MailQueue, 'hasten' | 'prune'>;
    logoutDeliveries: Pick<LogoutDeliveries, 'hasten'>;
    releasePages: Remove;
  };
  /** Ends expired corrections of the directory, and removes corrections that ended long ago. */
  cleanUpCorrections(): Promise<void>;
  /** Decides which of several processes cleans up. */
  lease: Lease;
  engine: keyof typeof BATCH_MS;
  /** Seconds for which the audit trail is kept (`audit.keep`). */
  keepAudit: number;
  log: Pick<Logger, 'error'>;
  /** Called after each pass, with the rows that were removed and the steps that failed. */
  passed?(result: { removed: number; failures: number }): void;
}

/** Milliseconds between two passes. */
const EVERY = 60_000;
/** Seconds for which an expired record is kept, longer than any clock tolerance. */
const GRACE = 60;
/** Seconds after which another process takes over from a dead one. */
const LEASE = 60;
/** Milliseconds after which a living process renews its lease. */
const RENEW = 20_000;

/** Starts the clean-up. `stop` resolves when the current batch has ended. */
export function startCleanup(options: CleanupOptions): { stop(): Promise<void> } {
  const { stores, lease, engine, keepAudit, log, passed = () => {} } = options;
  const { records, signInLimiters, actionTokens, auditEvents, mailQueue, releasePages } = stores;
  const pageSessions = stores.pageSessions();
  const ended = new AbortController();
  const pace = createPace(BATCH_MS[engine], ended.signal);
  const removals: Remove[] = [
    (most) => records.prune(GRACE, most),
    (most) => records.forgetSuccessors(GRACE, most),
    (most) => pageSessions.prune(most),
    (most) => signInLimiters.prune(most),
    (most) => actionTokens.prune(most),
    (most) => mailQueue.prune(most),
    (most) => auditEvents.prune(Date.now() - keepAudit * 1000, most),
    // This comes last, because it releases the space that the others have freed.
    releasePages,
  ];
  let renewAt = 0;
  const isOurs = async () => {
    if (performance.now() < renewAt) return true;
    const ours = await lease.take(LEASE);
    renewAt = ours ? performance.now() + RENEW : 0;
    return ours;
  };
  let removed: number;
  let failures: number;
  const failed = (err: unknown) => {
    failures += 1;
    log.error({ err }, 'expired records could not be removed');
  };
  const counted = async (remove: Remove, most: number) => {
    if (!(await isOurs())) return 0;
    const count = await remove(most);
    if (remove !== releasePages) removed += count;
    return count;
  };
  const cleanUp = async () => {
    [removed, failures] = [0, 0];
    if (!(await isOurs().catch(failed))) {
      if (failures > 0) passed({ removed, failures });
      return;
    }
    pace.begin();
    for (const remove of removals) {
      await pace.untilNoneIsLeft((most) => counted(remove, most)).catch(failed);
    }
    await stores.logoutDeliveries.hasten().catch(failed);
    await mailQueue.hasten().catch(failed);
    await options.cleanUpCorrections().catch(failed);
    pace.end();
    passed({ removed, failures });
  };
  const passes = repeat(() => tracedAlone('remove what expired', {}, cleanUp), EVERY, failed);
  void passes.now().catch(failed);
  return {
    stop: async () => {
      ended.abort();
      await passes.stop();
      await lease.release().catch(() => {});
    },
  };
}
