// Removes expired records at the start of the service and every minute, a few at a time. Then it shrinks SQLite's file. Of all processes
// that share the database, one at a time does this. Until then, expired records are refused where they are read.

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

/** Removes at most `most` records. Resolves with their number; 0 means that none is left. */
type Remove = (most: number) => Promise<number>;

/**
 * Milliseconds that a batch should take. They are more for PostgreSQL, which works in another process, and takes one or two milliseconds
 * for a response alone.
 */
export const BATCH_MS = { sqlite: 2, postgresql: 20 } as const;
const FIRST = 25;
const FEWEST = 25;
const MOST = 500;
/** Factor by which one batch may raise the expected cost of a row. A single slow batch proves little. */
const SLOWER = 1.3;
/**
 * The share of the time in which batches run: its minimum, its maximum, the factor by which it grows, and the milliseconds of a pass after
 * which it grows.
 */
const SHARE = 0.05;
const MOST_SHARE = 0.3;
const GROWTH = 1.5;
const BEHIND_AFTER = 30_000;
/** Longest pause in milliseconds: a slow disk must not bring removal to a standstill. */
const LONGEST_PAUSE = 250;

/**
 * Makes a pace for batches of `batchMs` milliseconds, in which SQLite blocks the whole process, until `signal` aborts. The pauses between
 * them get shorter while more records expire than are removed. The share of the time carries over from pass to pass.
 */
export function createPace(batchMs: number, signal: AbortSignal) {
  let share = SHARE;
  let changed = 0;
  return {
    /** Call it when a pass begins. */
    begin(): void {
      changed = performance.now();
    },
    /** Call it when a pass has ended. A quick pass makes the share of the next one smaller. */
    end(): void {
      if (performance.now() - changed < BEHIND_AFTER / 2) share = Math.max(share / GROWTH, SHARE);
    },
    /** Removes rows in one batch after the other until none is left. */
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
