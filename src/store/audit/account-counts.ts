// Decides which events of signed-in people get a record of their own in the audit trail, and counts all others (SEC-75). So no account
// can fill the disk, and the first events of each kind in an hour are kept, whatever else the account does.

import { LRUCache } from 'lru-cache';
import type { AuditEvent, AuditEventName } from '#shared/audit/events.ts';
import { entriesAtMost } from '#shared/entries-at-most.ts';

/**
 * Maximum records for one kind of event of one account. A dozen applications that are open all day refresh their tokens less often than
 * that.
 */
export const KEPT_OF_AN_ACCOUNT = { inHour: 120, inDay: 600 };
/**
 * Maximum pairs of an account and a kind of event that are tracked at once. Beyond that, the pair without events for the longest time is
 * dropped, and its count goes to a sum for the kind.
 */
const MOST_FOLLOWED = 20_000;
const HOUR = 3_600_000;

interface Followed {
  hour: Period;
  day: Period;
  counted: number;
  /** Time at which its count was taken last. */
  takenAt: number;
}
interface Period {
  began: number;
  kept: number;
}

/** Counts events by kind and account. It is synchronous, and takes a microsecond for each. */
export function createAccountCounts(mostFollowed = MOST_FOLLOWED) {
  const others = new Map<AuditEventName, number>();
  const followed = new LRUCache<`${AuditEventName} ${string}`, Followed>({
    ...entriesAtMost(mostFollowed),
    dispose: ({ counted }, key, reason) => {
      const [of] = partsOf(key);
      if (reason === 'evict' && counted > 0) others.set(of, (others.get(of) ?? 0) + counted);
    },
  });

  return {
    /** Tells whether this event gets a record. If not, counts it. */
    keeps: (event: AuditEventName, account: string): boolean => {
      const now = performance.now();
      const key = `${event} ${account}` as const;
      const one = followed.get(key) ?? emptyAt(now);
      followed.set(key, one);
      if (now - one.hour.began >= HOUR) one.hour = { began: now, kept: 0 };
      if (now - one.day.began >= 24 * HOUR) one.day = { began: now, kept: 0 };
      const keeps = one.hour.kept < KEPT_OF_AN_ACCOUNT.inHour && one.day.kept < KEPT_OF_AN_ACCOUNT.inDay;
      if (keeps) {
        one.hour.kept += 1;
        one.day.kept += 1;
      } else one.counted += 1;
      return keeps;
    },
    /**
     * Returns records of the counted events, with exactly their sum. Each account and kind gets one an hour. With `all`, each of them gets
     * one now. `pending` means that some are left for later.
     */
    take: (all: boolean): { events: AuditEvent[]; pending: boolean } => {
      const now = performance.now();
      const events: AuditEvent[] = [...others].map(([of, count]) => counted({ of, count, accounts: 'all others' }));
      others.clear();
      let pending = false;
      for (const [key, one] of followed.entries()) {
        if (one.counted === 0) continue;
        if (!all && now - one.takenAt < HOUR) pending = true;
        else {
          const [of, account] = partsOf(key);
          events.push(counted({ of, count: one.counted }, account));
          one.counted = 0;
          one.takenAt = now;
        }
      }
      return { events, pending };
    },
  };
}

function counted(details: NonNullable<AuditEvent['details']>, account?: string): AuditEvent {
  return { event: 'audit.counted', ...(account !== undefined && { actor: `account:${account}`, account }), details };
}

function emptyAt(now: number): Followed {
  return { hour: { began: now, kept: 0 }, day: { began: now, kept: 0 }, counted: 0, takenAt: -HOUR };
}

function partsOf(key: `${AuditEventName} ${string}`): [AuditEventName, string] {
  const end = key.indexOf(' ');
  return [key.slice(0, end) as AuditEventName, key.slice(end + 1)];
}
