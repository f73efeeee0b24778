// Removes expired records at the start of the service and every minute, a few at a time. Then it shrinks SQLite's file. If several
// processes share the database, only one of them does this at a time. An expired record that is not removed yet is refused where it is
// read.

import { setTimeout } from 'node:timers/promises';
import type { Logger } from '#shared/log/log.ts';
import { repeat } from '#shared/promises.ts';
import { tracedAlone } from '#shared/request-context.ts';
import type { AuditEvents } from '#store/audit/audit-events.ts';
import type { Lease } from '#store/database/lease.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import type { LogoutDeliveries } from '#store/outbox/logout-deliveries.ts';
import type { MailQueue } from '#store/outbox/mail-queue.ts';

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
  /** Called after each pass, with the number of rows that were removed and of steps that failed. */
  passed?(result: { removed: number; failures: number }): void;
}

/** Milliseconds between two passes. */
const EVERY = 60_000;
/** Seconds for which a record is kept after it expired. This is longer than any tolerance for clocks that differ. */
const GRACE = 60;
/** Seconds after which another process takes over if the one that cleans up has died. */
const LEASE = 60;
/** Milliseconds after which the process that cleans up renews its lease. */
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
    // This step comes last, because it releases the space that the other steps have freed.
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

/** Removes at most `most` records. Resolves with the number of removed records; 0 means that none is left. */
type Remove = (most: number) => Promise<number>;

/**
 * Milliseconds that a batch should take. PostgreSQL gets more time, because it works in another process, and its response alone takes one
 * or two milliseconds.
 */
export const BATCH_MS = { sqlite: 2, postgresql: 20 } as const;
const FIRST = 25;
const FEWEST = 25;
const MOST = 500;
/**
 * Maximum factor by which one batch raises the expected cost of a row. It is small, because the next batches may be fast again after a
 * single slow one.
 */
const SLOWER = 1.3;
/**
 * Batches run during a share of the time: at least SHARE, and at most MOST_SHARE. While a pass lasts, the share is multiplied by GROWTH
 * every BEHIND_AFTER milliseconds.
 */
const SHARE = 0.05;
const MOST_SHARE = 0.3;
const GROWTH = 1.5;
const BEHIND_AFTER = 30_000;
/** Maximum milliseconds of a pause. Without a maximum, a slow disk would make the pauses so long that removal comes to a standstill. */
const LONGEST_PAUSE = 250;

/**
 * Makes a pace for removal in batches of about `batchMs` milliseconds. Between them there are pauses, because SQLite blocks the whole
 * process during a batch. While more records expire than are removed, the pauses get shorter: the share of the time in which batches run
 * grows, and it carries over from pass to pass. Removal ends when `signal` aborts.
 */
export function createPace(batchMs: number, signal: AbortSignal) {
  let share = SHARE;
  let changed = 0;
  return {
    /** Call it when a pass begins. */
    begin(): void {
      changed = performance.now();
    },
    /** Call it when a pass has ended. After a quick pass, the share of the time in which batches run gets smaller again. */
    end(): void {
      if (performance.now() - changed < BEHIND_AFTER / 2) share = Math.max(share / GROWTH, SHARE);
    },
    /** Removes rows in one batch after another until none is left. */
    async untilNoneIsLeft(remove: Remove): Promise<void> {
      let most = FIRST;
      let cost = Number.POSITIVE_INFINITY;
      while (!signal.aborted) {
        const began = performance.now();
        const removed = await remove(most);
        if (removed === 0) return;
        cost = Math.min((performance.now() - began) / removed, cost * SLOWER);
        const expected = cost * removed;
        most = Math.round(Math.min(MOST, most * 2, Math.max(FEWEST, batchMs / cost)));
        if (performance.now() - changed > BEHIND_AFTER) {
          share = Math.min(share * GROWTH, MOST_SHARE);
          changed = performance.now();
        }
        const pause = Math.min(expected / share - expected, LONGEST_PAUSE);
        await setTimeout(pause, undefined, { signal }).catch(() => {});
      }
    },
  };
}
