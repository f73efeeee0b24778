// Compares the links of all sign-in accounts with an edition of the directory, batch by batch.

import { LRUCache } from 'lru-cache';
import type { AccountLinks, KnownLinks, LinkedAccount } from '#store/accounts/links/account-links.ts';
import type { ChangeKind, RecordIdentity } from '#store/accounts/links/link-changes.ts';
import { compareAccount, type Edition, type LinkEvent, type ReadIdentity } from './compare-account.ts';
import { identityOf } from './same-record.ts';

/** Number of links that do not hold in an edition, by kind of change. */
export type LinkCounts = Record<ChangeKind, number>;

export interface LinkComparison {
  /** Number of accounts that have links. */
  accounts: number;
  counts: LinkCounts;
  events: LinkEvent[];
}

type Total = Omit<LinkComparison, 'events'> & { events: LinkEvents };

interface CompareOptions {
  links: AccountLinks;
  edition: Edition;
  /** False if the edition is only tried, so that the result must not be stored. */
  store?: boolean;
  /** The accounts to compare; all linked accounts by default. */
  accounts?: AsyncIterable<LinkedAccount[]> | Iterable<LinkedAccount[]>;
  /**
   * The events of an earlier comparison that was not finished. They are kept, because a change that it has already stored gives no event
   * again.
   */
  earlier?: LinkEvents;
}

/** Events by the id of the account and the reference of the link. */
export type LinkEvents = Map<string, LinkEvent>;

/** Maximum number of attempts to compare an account that somebody else changes meanwhile. */
const TRIES = 5;

/**
 * Compares accounts with an edition and stores the result. A stored change names the editions in which the link holds, so a link that this
 * edition breaks goes on working until the edition comes into force.
 */
export async function compareLinks({
  links,
  edition,
  store = true,
  accounts = links.pages(),
  earlier = new Map(),
}: CompareOptions): Promise<LinkComparison> {
  const total: Total = { accounts: 0, counts: { left: 0, other: 0, missing: 0 }, events: earlier };
  const read = createReadIdentity();
  for await (const page of accounts) {
    for (let tries = 0, left = page; left.length > 0 && tries < TRIES; tries += 1) {
      left = await links.withIds(await compareSome(left, { links, edition, store, read }, total));
    }
  }
  return { ...total, events: [...total.events.values()] };
}

/**
 * Compares some accounts and adds the result to `total`. Leaves out accounts that somebody has changed meanwhile, and returns their ids.
 */
async function compareSome(
  accounts: readonly LinkedAccount[],
  { links, edition, store, read }: { links: AccountLinks; edition: Edition; store: boolean; read: ReadIdentity },
  total: Total,
): Promise<string[]> {
  const compared: (Awaited<ReturnType<typeof compareAccount>> & { account: LinkedAccount })[] = [];
  for (const account of accounts) compared.push({ account, ...(await compareAccount(account, edition, read)) });
  const toStore = store
    ? compared.flatMap(({ account, known }) => (isStored(account, known) ? [] : [{ account, ...known }]))
    : [];
  // The events are noted before the result is stored, because the database may store the result although its answer is lost.
  for (const { events } of compared) for (const event of events) total.events.set(keyOf(event), event);
  const stored = await links.store(toStore);
  const overtaken = toStore.map(({ account }) => account.id).filter((id) => !stored.has(id));
  for (const { account, changes, events } of compared) {
    if (overtaken.includes(account.id)) {
      for (const event of events) total.events.delete(keyOf(event));
      continue;
    }
    total.accounts += 1;
    for (const kind of changes) total.counts[kind] += 1;
  }
  return overtaken;
}

function keyOf({ account, reference }: LinkEvent): string {
  return `${account} ${reference}`;
}

function isStored({ linkedAs, linkChanges }: LinkedAccount, known: KnownLinks): boolean {
  return JSON.stringify([linkedAs, linkChanges]) === JSON.stringify([known.linkedAs, known.linkChanges]);
}

/** Maximum number of structures that are kept in memory. They are kept because thousands of accounts may be linked to the same hospital. */
const REMEMBERED = 5000;

function createReadIdentity(): ReadIdentity {
  const structures = new LRUCache<string, { identity?: RecordIdentity }>({ max: REMEMBERED });
  return async (snapshot, reference) => {
    const key = `${snapshot.id} ${reference}`;
    const known = structures.get(key);
    if (known) return known.identity;
    const [type, id] = reference.split('/') as ['Practitioner' | 'Organization', string];
    const found = await snapshot.read(type, id);
    const identity = found && identityOf(found.json);
    if (type === 'Organization') structures.set(key, identity ? { identity } : {});
    return identity;
  };
}
