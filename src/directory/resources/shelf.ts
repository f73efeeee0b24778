// A snapshot in memory, for the few resources that the directory makes itself: definitions of search parameters, and code systems.

import {
  byType,
  type Clause,
  type QueryWord,
  type SearchPage,
  type SearchQuery,
  type Snapshot,
  type StoredResource,
  tokenize,
} from '#search-index/index.ts';
import { digest } from '#shared/crypto/digest.ts';

/** A resource, with the keys by which its search parameters find it. The keys are listed by field (`exact-keys.ts`). */
export interface Shelved {
  stored: StoredResource;
  keys: Readonly<Record<string, readonly string[]>>;
}

interface Made {
  resourceType: string;
  id: string;
  [element: string]: unknown;
}

/** Makes stored resources, in the order of their ids. `lastUpdated` is a FHIR instant. */
export function shelved<Resource extends Made>(
  resources: readonly Resource[],
  lastUpdated: string,
  keysOf: (resource: Resource) => Shelved['keys'],
): Shelved[] {
  return resources
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((resource, position) => {
      const { resourceType, id, ...elements } = resource;
      const meta = { versionId: markOf(resource), lastUpdated };
      const json = JSON.stringify({ resourceType, id, meta, ...elements });
      return { stored: { position, id, ...meta, json }, keys: { id: [id], ...keysOf(resource) } };
    });
}

/** Makes a FHIR id by hashing the content, so that different content has a different id. */
export function markOf(content: unknown): string {
  return digest(JSON.stringify(content)).replaceAll('_', '-').slice(0, 16);
}

/**
 * Makes the snapshot.
 * @param shelf returns the resources. It is called at each search and read, so it may make the resources at the first call and keep them.
 */
export function shelfSnapshot(id: string, shelf: () => Promise<readonly Shelved[]>): Snapshot {
  return {
    id,
    search: async (query) => search(await shelf(), query),
    read: async (_type, wanted) => (await shelf()).find(({ stored }) => stored.id === wanted)?.stored,
    spellings: async () => ({ known: true, near: [], apart: [] }),
    codes: async () => [],
    gone: async () => undefined,
    history: async () => [],
    scan: async () => '',
    listGone: async () => [],
    counts: async () => byType(() => 0),
    close: async () => {},
  };
}

function search(shelf: readonly Shelved[], query: SearchQuery): SearchPage {
  const { limit, order, after, before, total } = query;
  const found = shelf.filter((one) => query.clauses.every((clause) => holds(clause, one))).map(({ stored }) => stored);
  // All resources of a shelf have the same `lastUpdated`, so each order is that of the ids, or its reverse.
  const ordered = order?.descending ? found.toReversed() : found;
  const rank = (position: number) => (order?.descending ? -position : position);
  const ahead = ordered.filter(({ position }) =>
    before === undefined ? after === undefined || rank(position) > rank(after) : rank(position) < rank(before),
  );
  return {
    matches: before === undefined ? ahead.slice(0, limit) : ahead.slice(-limit || ahead.length),
    more: ahead.length > limit,
    ...(total && { total: found.length }),
  };
}

function holds(clause: Clause, { keys }: Shelved): boolean {
  const own = keys[clause.field] ?? [];
  if (clause.match === 'present') return own.length > 0 === clause.present;
  if (clause.match === 'words')
    return clause.anyOf.some((words) => own.some((item) => words.every((word) => isIn(tokenize(item), word))));
  if (clause.match !== 'exact') throw new Error(`${clause.field} is not matched by ${clause.match}`);
  return clause.anyOf.some((key) => own.includes(key)) !== (clause.not ?? false);
}

function isIn(words: readonly string[], { prefix, whole }: QueryWord): boolean {
  return words.some((word) => whole.includes(word) || (prefix !== undefined && word.startsWith(prefix)));
}
