// Removes expired records when the service starts, and every ten minutes.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from '../shared/log/log.ts';
import type { AuditEvents } from '../store/audit/audit-events.ts';
import type { LogoutDeliveries } from '../store/oidc/logout-deliveries.ts';
import type { OidcRecords } from '../store/oidc/oidc-records.ts';

interface CleanupOptions {
  records: Pick<OidcRecords, 'prune' | 'forgetSuccessors'>;
  pageSessions: { prune(): Promise<number> };
  signInLimiters: { prune(): Promise<number> };
  auditEvents: Pick<AuditEvents, 'prune'>;
  deliveries: Pick<LogoutDeliveries, 'hasten'>;
  /** Seconds for which the audit trail is kept. */
  keepAudit: number;
  log: Pick<Logger, 'error'>;
}

/** Milliseconds. */
const EVERY = 10 * 60_000;
/** Seconds that an expired record is kept: longer than any clock tolerance. */
const GRACE = 60;

/** `stop` resolves when the cleanup that runs at the moment has ended. */
export function startCleanup(options: CleanupOptions): { stop(): Promise<void> } {
  const { records, pageSessions, signInLimiters, auditEvents, deliveries, keepAudit, log } = options;
  let stopped = false;
  // Each call removes a few rows. There may be very many: requests are answered in between, and a stop waits for one call only.
  const untilNoneIsLeft = async (remove: () => Promise<number>) => {
    while (!stopped && (await remove()) > 0) await nextTurn();
  };
  const cleanUp = async () => {
    const tasks = [
      untilNoneIsLeft(() => records.prune(GRACE)),
      untilNoneIsLeft(() => records.forgetSuccessors(GRACE)),
      untilNoneIsLeft(() => pageSessions.prune()),
      untilNoneIsLeft(() => signInLimiters.prune()),
      untilNoneIsLeft(() => auditEvents.prune(Date.now() - keepAudit * 1000)),
      deliveries.hasten(),
    ];
    for (const { status, reason } of (await Promise.allSettled(tasks)) as PromiseRejectedResult[]) {
      if (status === 'rejected') log.error({ err: reason }, 'expired records could not be removed');
    }
  };
  let running = cleanUp();
  const timer = setInterval(() => {
    running = running.then(cleanUp);
  }, EVERY).unref();
  return {
    stop: () => {
      stopped = true;
      clearInterval(timer);
      return running;
    },
  };
}
