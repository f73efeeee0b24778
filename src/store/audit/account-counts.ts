// Decides which events that people bring about themselves the audit trail keeps one by one, and counts all others (SEC-75): nobody who
// is signed in fills the disk, and of each kind the first ones of an hour are kept, whatever else the account does.

import { LRUCache } from 'lru-cache';
import type { AuditEvent, AuditEventName } from '#shared/audit/events.ts';

/** What is kept of one kind of event of one account. Refreshes of a dozen applications that are open all day come to fewer. */
export const KEPT_OF_AN_ACCOUNT = { inHour: 120, inDay: 600 };
/** Accounts and kinds that are followed at once; of one that was not heard of for the longest time, a sum by kind stays. */
const MOST_FOLLOWED = 20_000;
const HOUR = 3_600_000;

interface Followed {
  hour: Period;
  day: Period;
  counted: number;
  /** When a count of it was taken last. */
  takenAt: number;
}
interface Period {
  began: number;
  kept: number;
}

/** Counts events by kind and account; synchronous, and a microsecond for each. */
export function createAccountCounts() {
  const others = new Map<AuditEventName, number>();
  const followed = new LRUCache<`${AuditEventName} ${string}`, Followed>({
    // Counted by size: `max` would take the memory of all before the first came.
    maxSize: MOST_FOLLOWED,
    sizeCalculation: () => 1,
    dispose: ({ counted }, key, reason) => {
      const [of] = partsOf(key);
      if (reason === 'evict' && counted > 0) others.set(of, (others.get(of) ?? 0) + counted);
    },
  });

  return {
    /** Whether this event is to be kept as a record; otherwise it is counted now. */
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
     * The records of what was counted: their counts add up to exactly that. Of one account and kind there is one an hour, unless `all`
     * are wanted; `pending` says that some stay for later.
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
