// Owns when a running service removes what has expired: when it starts, and every ten minutes. Does not own what expires when.

import { setImmediate as laterTurn } from 'node:timers/promises';
import type { Logger } from '../shared/log/log.ts';
import type { AuditEvents } from '../store/audit/audit-events.ts';
import type { LogoutDeliveries } from '../store/oidc/logout-deliveries.ts';
import type { OidcRecords } from '../store/oidc/oidc-records.ts';

export interface Household {
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

/** Begins to keep house; `stop` resolves when nothing of it runs any more. */
export function startHousekeeping(household: Household): { stop(): Promise<void> } {
  const { records, pageSessions, signInLimiters, auditEvents, deliveries, keepAudit, log } = household;
  let stopped = false;
  // Each removes a few rows at a time. After a busy hour, or days of standing still, there are very many: others have their
  // turn between, and a service that is to end does not wait for all of it.
  const toTheEnd = async (remove: () => Promise<number>) => {
    while (!stopped && (await remove()) > 0) await laterTurn();
  };
  const tidy = async () => {
    const tasks = [
      toTheEnd(() => records.prune(GRACE)),
      toTheEnd(() => records.forgetSuccessors(GRACE)),
      toTheEnd(() => pageSessions.prune()),
      toTheEnd(() => signInLimiters.prune()),
      toTheEnd(() => auditEvents.prune(Date.now() - keepAudit * 1000)),
      deliveries.hasten(),
    ];
    // One that fails keeps none of the others from its work.
    for (const { status, reason } of (await Promise.allSettled(tasks)) as PromiseRejectedResult[]) {
      if (status === 'rejected') log.error({ err: reason }, 'expired records could not be removed');
    }
  };
  let running = tidy();
  const timer = setInterval(() => {
    running = running.then(tidy);
  }, EVERY).unref();
  return {
    stop: () => {
      stopped = true;
      clearInterval(timer);
      return running;
    },
  };
}
