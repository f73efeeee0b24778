// Decides which events of signed-in people (SEC-75) and which refusals (SEC-60) get a record of their own in the audit trail, and counts
// all others. So no account can fill the disk, and the first events of each kind in an hour are kept, whatever else the account does.
// Records and counts of refusals add up to all refusals, from any number of networks, in bounded memory and a bounded number of rows. What
// operators do never comes here: `server/audit/operator-audit.ts` writes each of their records.

import { LRUCache } from 'lru-cache';
import type { AuditEvent, AuditEventName } from '#shared/audit/events.ts';
import { entriesAtMost } from '#shared/entries-at-most.ts';
import { prefixesOf } from '#shared/network-prefix.ts';

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

/** Maximum records for one kind of event in a minute. Each kind has its own limit, so that a flood of one kind never hides another. */
export const KEPT_A_MINUTE = {
  /**
   * Records of all networks together. Strangers can provoke 5 kinds of events, so a flood that never ends makes some 4 million rows a day.
   */
  inAll: 600,
  /** Records of one network, and of the /24 or /48 around it. */
  narrow: 120,
  wide: 240,
  /** The limit once half of the minute's records are used up, so that a flood from a few networks leaves room for others. */
  narrowLater: 5,
  wideLater: 10,
};
/** Maximum networks that are counted separately: so many narrow ones, then so many wide ones. All others have one count together. */
const MOST_COUNTED = 10_000;
/** Maximum networks that get a record of their count, for each kind of event. They are those with the highest counts. */
const MOST_WRITTEN = 100;
const MINUTE = 60_000;

interface Kind {
  kept: number;
  /** Number of kept records by network. There are no more networks than records. */
  keptOf: Map<string, number>;
  narrow: Map<string, number>;
  wide: Map<string, number>;
  others: number;
}

/** Counts refusals by kind of event and network. It is synchronous, and takes some microseconds for each. */
export function createRefusalCounts() {
  const kinds = new Map<AuditEventName, Kind>();
  let minuteBegan = performance.now();
  let counted = { narrow: 0, wide: 0 };

  const kindOf = (event: AuditEventName): Kind => {
    const known = kinds.get(event) ?? emptyKind();
    kinds.set(event, known);
    return known;
  };
  const beginMinute = () => {
    const now = performance.now();
    if (now - minuteBegan < MINUTE) return;
    minuteBegan = now;
    for (const kind of kinds.values()) {
      kind.kept = 0;
      kind.keptOf.clear();
    }
  };
  /** Adds one to the count of a network. Returns false if there is no room for one more network at this level. */
  const counts = (kind: Kind, level: 'narrow' | 'wide', network: string): boolean => {
    if (!kind[level].has(network)) {
      if (counted[level] >= MOST_COUNTED) return false;
      counted[level] += 1;
    }
    increase(kind[level], network, 1);
    return true;
  };

  return {
    /** Tells whether this refusal gets a record. If not, counts it. */
    keeps: (event: AuditEventName, address: string): boolean => {
      beginMinute();
      const kind = kindOf(event);
      const { narrow, wide } = prefixesOf(address);
      if (hasRoom(kind, narrow, wide)) {
        kind.kept += 1;
        increase(kind.keptOf, narrow, 1);
        if (wide !== narrow) increase(kind.keptOf, wide, 1);
        return true;
      }
      if (!counts(kind, 'narrow', narrow) && !counts(kind, 'wide', wide)) kind.others += 1;
      return false;
    },
    /** Returns records of the refusals that were counted since the last call, with exactly their sum. */
    take: (): AuditEvent[] => {
      const events = [...kinds].flatMap(([of, kind]) => countedEvents(of, kind));
      for (const kind of kinds.values()) {
        kind.narrow.clear();
        kind.wide.clear();
        kind.others = 0;
      }
      counted = { narrow: 0, wide: 0 };
      return events;
    },
  };
}

function emptyKind(): Kind {
  return { kept: 0, keptOf: new Map(), narrow: new Map(), wide: new Map(), others: 0 };
}

function hasRoom({ kept, keptOf }: Kind, narrow: string, wide: string): boolean {
  if (kept >= KEPT_A_MINUTE.inAll) return false;
  const later = kept >= KEPT_A_MINUTE.inAll / 2;
  const mostNarrow = later ? KEPT_A_MINUTE.narrowLater : KEPT_A_MINUTE.narrow;
  const mostWide = later ? KEPT_A_MINUTE.wideLater : KEPT_A_MINUTE.wide;
  return (keptOf.get(narrow) ?? 0) < mostNarrow && (keptOf.get(wide) ?? 0) < mostWide;
}

/** Makes records of the highest counts by narrow network, of the highest counts of the rest by wide network, and one of all others. */
function countedEvents(of: AuditEventName, kind: Kind): AuditEvent[] {
  const event = 'audit.counted';
  const wide = new Map(kind.wide);
  const [narrowWritten, narrowRest] = highest(kind.narrow);
  for (const [network, count] of narrowRest) increase(wide, prefixesOf(addressIn(network)).wide, count);
  const [wideWritten, wideRest] = highest(wide);
  const others = wideRest.reduce((sum, [, count]) => sum + count, kind.others);
  return [
    ...[...narrowWritten, ...wideWritten].map(
      ([address, count]) => ({ event, address, details: { of, count } }) as const,
    ),
    ...(others > 0 ? [{ event, details: { of, count: others, networks: 'all others' } } as const] : []),
  ];
}

function highest(counts: ReadonlyMap<string, number>): [written: [string, number][], rest: [string, number][]] {
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return [sorted.slice(0, MOST_WRITTEN), sorted.slice(MOST_WRITTEN)];
}

/** Returns an address of a narrow network. IPv6 networks are written as four groups. */
function addressIn(network: string): string {
  return network.includes(':') ? `${network}::` : network;
}

function increase(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
