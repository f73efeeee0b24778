// Owns a snapshot that answers by reading every resource in turn: slow, and plainly what the interface says.
// The engines are compared with it. Does not own the resources (`edition.ts`).

import { wordsOf } from '../../src/shared/words.ts';
import type {
  Clause,
  GoneResource,
  IndexedResource,
  ResourceType,
  SearchPage,
  SearchQuery,
  Snapshot,
  StoredResource,
} from '../../src/store/directory/snapshot.ts';

interface Row {
  index: IndexedResource['index'];
  stored: StoredResource;
}

/** A snapshot in memory. */
export function scanSnapshot(id: string, resources: readonly IndexedResource[]): Snapshot {
  const rows = new Map<ResourceType, Row[]>();
  for (const { type, ...resource } of resources.toSorted(alphabetically)) {
    const ofType = rows.get(type) ?? [];
    rows.set(type, ofType);
    ofType.push({ index: { ...resource.index, id: [resource.id] }, stored: stored(resource, ofType.length) });
  }
  return {
    id,
    search: async (query) => search(rows.get(query.type) ?? [], query),
    read: async (type, wanted) => rows.get(type)?.find(({ stored }) => stored.id === wanted)?.stored,
    gone: async (): Promise<GoneResource | undefined> => undefined,
    counts: async () => ({
      Practitioner: rows.get('Practitioner')?.length ?? 0,
      Organization: rows.get('Organization')?.length ?? 0,
      PractitionerRole: rows.get('PractitionerRole')?.length ?? 0,
    }),
    close: async () => {},
  };
}

function alphabetically(a: IndexedResource, b: IndexedResource): number {
  if (a.sortKey !== b.sortKey) return a.sortKey < b.sortKey ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** When every resource of a snapshot in memory was new. */
export const SCANNED_AT = '2026-11-02T05:00:00.250Z';

function stored({ id, resource }: Omit<IndexedResource, 'type'>, position: number): StoredResource {
  const meta = { versionId: '1', lastUpdated: SCANNED_AT };
  const { resourceType, id: sameId, ...elements } = resource;
  return { position, id, ...meta, json: JSON.stringify({ resourceType, id: sameId, meta, ...elements }) };
}

function search(rows: readonly Row[], { clauses, limit, after = -1, total }: SearchQuery): SearchPage {
  const found = rows.filter(({ index, stored }) => clauses.every((clause) => holds(clause, index, stored)));
  const following = found.map(({ stored }) => stored).filter(({ position }) => position > after);
  return {
    matches: following.slice(0, limit),
    more: following.length > limit,
    ...(total ? { total: found.length } : {}),
  };
}

function holds(clause: Clause, index: IndexedResource['index'], { lastUpdated }: StoredResource): boolean {
  if (clause.match === 'range') {
    const instant = Date.parse(lastUpdated);
    return clause.anyOf.some(({ from = instant, to = instant + 1 }) => from <= instant && instant < to);
  }
  const items = index[clause.field] ?? [];
  if (clause.match === 'exact') return clause.anyOf.some((key) => items.includes(key));
  return clause.anyOf.some((words) =>
    items.some((item) => {
      const present = wordsOf(item);
      return words.every(({ prefix, whole }) =>
        present.some((word) => word.startsWith(prefix) || whole.includes(word)),
      );
    }),
  );
}
