// Decides which events of signed-in people (SEC-75) and which refusals (SEC-60) get a record of their own in the audit trail, and counts
// all others. So no account can fill the disk, and the first events of each kind in an hour are kept, whatever else the account does. The
// records and the counts of refusals together cover every refusal, from however many networks, with limited memory and a limited number of
// rows. Actions of operators are never counted: `server/audit/operator-audit.ts` writes a record of each.

import { LRUCache } from 'lru-cache';
import type { AuditEvent, AuditEventName } from '#shared/audit/events.ts';
import { entriesAtMost } from '#shared/entries-at-most.ts';
import { prefixesOf } from '#shared/network-prefix.ts';

/**
 * Maximum records for one kind of event of one account. Ordinary use stays below these limits: a dozen applications that are open all day
 * refresh their tokens less often.
 */
export const KEPT_OF_AN_ACCOUNT = { inHour: 120, inDay: 600 };
/**
 * Maximum pairs of an account and a kind of event that are tracked at once. Beyond that, the pair without events for the longest time is
 * dropped, and its count is added to a sum for that kind of event.
 */
const MOST_FOLLOWED = 20_000;
const HOUR = 3_600_000;

interface Followed {
  hour: Period;
  day: Period;
  counted: number;
  /** Time at which `take` last returned this count, in milliseconds of `performance.now()`. */
  takenAt: number;
}
interface Period {
  began: number;
  kept: number;
}

/** Counts events by kind and account. It is synchronous, and takes a microsecond for each event. */
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
    /** Returns true if this event gets a record of its own. Otherwise counts the event and returns false. */
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
     * Returns records that say how many events were counted. Their numbers add up to exactly the counted events. Each pair of an account
     * and a kind of event gets at most one such record an hour. With `all`, every pair with a count gets one now. `pending` is true if
     * counts are left for a later call.
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
   * Maximum records of all networks together. Strangers can provoke 5 kinds of events, so a flood that never ends makes some 4 million rows
   * a day.
   */
  inAll: 600,
  /** Maximum records of one network, and of the /24 or /48 around it. */
  narrow: 120,
  wide: 240,
  /**
   * The limits for one network and the network around it, once half of the minute's records are used up. So a flood from a few networks
   * leaves room for other networks.
   */
  narrowLater: 5,
  wideLater: 10,
};
/**
 * Maximum narrow networks with a count of their own. Beyond that, a refusal is counted for its wide network. The same maximum applies to
 * the wide networks, and all further refusals have one count together.
 */
const MOST_COUNTED = 10_000;
/**
 * For each kind of event, at most this number of records is written with the count of one narrow network: those of the networks with the
 * highest counts. The same maximum applies to the wide networks.
 */
const MOST_WRITTEN = 100;
const MINUTE = 60_000;

interface Kind {
  kept: number;
  /** Number of kept records by network. The map stays small, because each record adds at most two networks, a narrow and a wide one. */
  keptOf: Map<string, number>;
  narrow: Map<string, number>;
  wide: Map<string, number>;
  others: number;
}

/** Counts refusals by kind of event and network. It is synchronous, and takes some microseconds for each refusal. */
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
  /**
   * Adds one to the count of a network. Returns false if the network has no count yet, and the maximum number of networks of its level is
   * counted already.
   */
  const counts = (kind: Kind, level: 'narrow' | 'wide', network: string): boolean => {
    if (!kind[level].has(network)) {
      if (counted[level] >= MOST_COUNTED) return false;
      counted[level] += 1;
    }
    increase(kind[level], network, 1);
    return true;
  };

  return {
    /** Returns true if this refusal gets a record of its own. Otherwise counts the refusal and returns false. */
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
    /**
     * Returns records that say how many refusals were counted since the last call. Their numbers add up to exactly the counted refusals.
     */
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

/**
 * Makes one record for each of the narrow networks with the highest counts. The counts of the other narrow networks are added to the counts
 * of their wide networks, and the wide networks with the highest counts get a record each. One more record has the sum of all counts that
 * are left.
 */
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

/** Returns an address in a narrow network, which is given as an IPv4 address or as the first four groups of an IPv6 address. */
function addressIn(network: string): string {
  return network.includes(':') ? `${network}::` : network;
}

function increase(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
