// Wraps snapshots so that everything that corrections hide is left out. Corrections are stored in the database, and not in the files of the
// snapshots, so they outlast imports and rollbacks. `spellings` leaves out words that occur only in hidden data, so that suggestions to the
// client do not reveal them.

import {
  byFrequency,
  type ChainedClause,
  isChained,
  type QueryWord,
  type ResourceType,
  type SearchOptions,
  type SearchQuery,
  type Snapshot,
  type Spellings,
} from '#search-index/index.ts';
import { oncePromised } from '#shared/promises.ts';
import type { Corrections } from '#store/snapshots/corrections.ts';
import type { CurrentSnapshot } from '#store/snapshots/current-snapshot.ts';
import { type Affected, affectedIn, type IndexEntries } from './affected.ts';
import { correctedOrder } from './corrected-order.ts';
import { matches, type SearchedResource } from './matches.ts';

type AffectedOf = (type: ResourceType) => Promise<ReadonlyMap<string, Affected>>;

/**
 * Wraps the object that gives the open snapshots. As long as there is no correction, neither in force nor ended, the snapshots are returned
 * unwrapped.
 */
export function correctedSnapshots<Snapshots extends Pick<CurrentSnapshot, 'current' | 'byId'>>(
  snapshots: Snapshots,
  corrections: () => Corrections,
  index: IndexEntries,
): Snapshots {
  const made = new WeakMap<Snapshot, Snapshot>();
  const corrected = (raw: Snapshot | undefined) => {
    const { all, state } = corrections();
    if (raw === undefined || all.length === 0) return raw;
    const known = made.get(raw);
    if (known?.state === `${raw.id}~${state}`) return known;
    const affected = oncePromised(() => affectedIn(raw, all, index));
    const affectedOf: AffectedOf = async (type) => (await affected())[type];
    const snapshot = correctedSnapshot(raw, `${raw.id}~${state}`, index, affectedOf);
    made.set(raw, snapshot);
    return snapshot;
  };
  return {
    ...snapshots,
    current: () => corrected(snapshots.current()),
    byId: async (id: string) => corrected(await snapshots.byId(id)),
  };
}

/**
 * Wraps one snapshot. If the affected resources cannot be determined, every method that shows resources throws, because it could show
 * hidden data.
 */
function correctedSnapshot(raw: Snapshot, state: string, index: IndexEntries, affectedOf: AffectedOf): Snapshot {
  const goneOf = (one: Affected | undefined) =>
    one?.after === undefined && one && { id: one.id, goneSince: one.changed };
  /** Changes a chained clause so that it is applied to the resources as they are served, and not as the snapshot's file has them. */
  const correctedChain = async (chain: ChainedClause): Promise<ChainedClause> => {
    const linked = [...(await affectedOf(chain.of)).values()];
    const isFound = ({ before }: Affected) => matches(before, chain);
    const isKept = ({ after }: Affected) => after !== undefined && matches(after, chain);
    const anyOf = linked.filter((one) => isFound(one) && !isKept(one)).map(({ id }) => id);
    const also = linked.filter((one) => !isFound(one) && isKept(one)).map(({ id }) => id);
    const without = anyOf.length > 0 ? [{ field: 'id', match: 'exact', anyOf, not: true } as const] : [];
    return { ...chain, clauses: [...chain.clauses, ...without], ...(also.length > 0 && { also }) };
  };
  /**
   * Returns those of the affected resources that match the chained clauses. To find them, it searches in the snapshot's file and so follows
   * the references that the file has. This is correct, because corrections do not change references.
   */
  const linkedOf = async (
    { type }: SearchQuery,
    all: Affected[],
    chains: readonly ChainedClause[],
    options: SearchOptions | undefined,
  ): Promise<Affected[]> => {
    if (chains.length === 0 || all.length === 0) return all;
    const own = { field: 'id', match: 'exact', anyOf: all.map(({ id }) => id) } as const;
    const found = await raw.search({ type, clauses: [own, ...chains], limit: all.length, total: false }, options);
    const ids = new Set(found.matches.map(({ id }) => id));
    return all.filter(({ id }) => ids.has(id));
  };
  const served: Snapshot = {
    ...raw,
    state,
    async search(query, options) {
      const affected = await affectedOf(query.type);
      const chains = await Promise.all(query.clauses.filter(isChained).map(correctedChain));
      const own = query.clauses.filter((clause) => !isChained(clause));
      const all = await linkedOf(query, [...affected.values()], chains, options);
      const criteria = { ...query, clauses: own };
      const before = all.filter((one) => matches(one.before, criteria));
      const after = all.filter(({ after: one }) => one && matches(one, criteria));
      // The search in the file may return affected resources, which are then removed from the page. So its limit is increased by their
      // number. Otherwise the page might not be full.
      const limit = query.limit && query.limit + before.length;
      const order = correctedOrder(raw, query, index, affected);
      const page = await raw.search({ ...query, clauses: [...own, ...chains], limit, ...order.edge }, options);
      const others = page.matches.filter(({ id }) => !affected.has(id));
      const { total } = page;
      return {
        ...(await order.pageOf(others, after, page.more)),
        ...(total !== undefined && { total: total - before.length + after.length }),
      };
    },
    async read(type, id) {
      const one = (await affectedOf(type)).get(id);
      return one ? one.after?.stored : raw.read(type, id);
    },
    async codes(type, field) {
      const counts = new Map((await raw.codes(type, field)).map(({ key, count }) => [key, count]));
      const add = (one: SearchedResource | undefined, more: number) => {
        for (const [key] of one?.fields.get(field) ?? []) counts.set(key, (counts.get(key) ?? 0) + more);
      };
      for (const { before, after } of (await affectedOf(type)).values()) {
        add(before, -1);
        add(after, 1);
      }
      return [...counts].filter(([, count]) => count > 0).map(([key, count]) => ({ key, count }));
    },
    spellings: async (type, asked) =>
      servedSpellings(served, type, asked, await raw.spellings(type, asked), await affectedOf(type)),
    async gone(type, id) {
      return goneOf((await affectedOf(type)).get(id)) || raw.gone(type, id);
    },
    async scan(type, range) {
      const affected = await affectedOf(type);
      const text = await raw.scan(type, range);
      if (affected.size === 0) return text;
      const lines = text.split('\n').map((line) => {
        const one = affected.get(ID.exec(line)?.[1] ?? '');
        return one ? one.after?.stored.json : line;
      });
      return lines.filter((line) => line !== undefined).join('\n');
    },
    async listGone(type, { after = '', limit }) {
      const hidden = [...(await affectedOf(type)).values()].flatMap((one) => goneOf(one) || []);
      const others = await raw.listGone(type, { after, limit });
      const all = [...others, ...hidden.filter(({ id }) => id > after)];
      return all.sort((one, other) => (one.id < other.id ? -1 : 1)).slice(0, limit);
    },
  };
  return served;
}

/** Finds the id of a resource in a line that `scan` returns. */
const ID = /^\{"resourceType":"[A-Za-z]+","id":"([^"]+)"/;

/** Returns the spellings that the snapshot would have if its file held only the data that is served. */
export async function servedSpellings(
  served: Pick<Snapshot, 'search'>,
  type: ResourceType,
  { field, word, within }: Parameters<Snapshot['spellings']>[1],
  { known, near, apart }: Spellings,
  affected: ReadonlyMap<string, Affected>,
): Promise<Spellings> {
  const hidden = hiddenWords([...affected.values()], field);
  const isServed = async (wanted: QueryWord) => {
    const clauses = [{ field, match: 'words', anyOf: [[wanted]] }] as const;
    return (await served.search({ type, clauses, limit: 1, total: false, within })).matches.length > 0;
  };
  const begins = async (prefix: string) =>
    !hidden.keys().some((one) => one.startsWith(prefix)) || isServed({ prefix, whole: [] });
  const isThere = async (one: string) => !hidden.has(one) || isServed({ whole: [one] });
  const left: [string, string][] = [];
  for (const pair of apart) if ((await isThere(pair[0])) && (await begins(pair[1]))) left.push(pair);
  return {
    known: known && (await begins(word)),
    near: byFrequency(
      near.flatMap(({ key, count }) => {
        const others = count - (hidden.get(key) ?? 0);
        return others > 0 ? [{ key, count: others }] : [];
      }),
    ),
    apart: left,
  };
}

/** Counts, for each word, the resources that have the word in the file but not in the form in which they are served. */
function hiddenWords(affected: readonly Affected[], field: string): ReadonlyMap<string, number> {
  const wordsOf = (one: SearchedResource | undefined) =>
    new Set((one?.fields.get(field) ?? []).flatMap(([, words]) => words));
  const counts = new Map<string, number>();
  for (const { before, after } of affected) {
    const left = wordsOf(after);
    for (const word of wordsOf(before)) if (!left.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}
