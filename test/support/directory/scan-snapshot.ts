// A snapshot that answers by reading every resource in turn: slow, and plainly what the interface says. The search index is
// compared with it.

import { checks } from '#directory/search/resource-checks.ts';
import { joinedWords } from '#search-index/joined-words.ts';
import { metresBetween, millimetresTo, positionOfItem } from '#search-index/positions.ts';
import {
  type ChainedClause,
  type Clause,
  type ExactText,
  type FieldClause,
  type GoneResource,
  INDEX_FIELDS,
  type IndexedResource,
  isChained,
  type ResourceType,
  type SearchPage,
  type SearchQuery,
  type Snapshot,
  type Spellings,
  type StoredResource,
} from '#search-index/snapshot.ts';
import { tokenize } from '#search-index/tokenizer.ts';
import { compareByField } from '#support/search-index/field-order.ts';

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
    search: async (query) => search(rows, query),
    read: async (type, wanted) => rows.get(type)?.find(({ stored }) => stored.id === wanted)?.stored,
    codes: async (type, field) => codes(rows.get(type) ?? [], field),
    spellings: async (type, { field, word }) => spellings(rows.get(type) ?? [], field, word),
    gone: async (): Promise<GoneResource | undefined> => undefined,
    history: async () => [{ created: SCANNED_AT, apart: false }],
    scan: async (type, { from, to }) =>
      (rows.get(type) ?? [])
        .slice(from, to)
        .map(({ stored }) => `${stored.json}\n`)
        .join(''),
    listGone: async () => [],
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

function inOrder(all: ReadonlyMap<ResourceType, readonly Row[]>, query: SearchQuery): readonly Row[] {
  const { type, order } = query;
  const rows = all.get(type) ?? [];
  const [circle] = query.clauses.flatMap((clause) => (clause.match === 'near' ? clause.anyOf : []));
  if (order?.by === 'distance' && circle) {
    const distance = ({ index }: Row) => millimetresTo(circle, (index['near'] ?? []).map(positionOfItem));
    const far = rows.filter(({ index }) => !index['near']?.length);
    return [...rows.filter((row) => !far.includes(row)).sort((a, b) => distance(a) - distance(b)), ...far];
  }
  if (order?.by !== 'field') return rows;
  const positions = new Map<string, number>(
    [...all].flatMap(([of, some]) => some.map(({ stored }) => [`${of}/${stored.id}`, stored.position] as const)),
  );
  const compare = compareByField(order.field, (reference) => positions.get(reference));
  return rows.toSorted((a, b) => compare(a.index, b.index));
}

function search(all: ReadonlyMap<ResourceType, readonly Row[]>, query: SearchQuery): SearchPage {
  const { clauses, limit, after, before, total, order, exactly = [] } = query;
  const rows = inOrder(all, query);
  const ranks = new Map(rows.map(({ stored }, rank) => [stored.position, rank]));
  const fulfils = (type: ResourceType, row: Row, wanted: readonly Clause[], texts: readonly ExactText[]): boolean =>
    wanted.every((clause) => {
      if (!isChained(clause)) return holds(clause, row.index, row.stored);
      return linkedTo(type, row, clause, all.get(clause.of) ?? []).some(
        (one) => clause.also?.includes(one.stored.id) || fulfils(clause.of, one, clause.clauses, clause.exactly ?? []),
      );
    }) && texts.every((text) => checks.hasText(text.field, text.texts, row.stored.json));
  const found = rows.filter((row) => fulfils(query.type, row, clauses, exactly)).map(({ stored }) => stored);
  // All resources of a scan are of one instant, so that both orders are one.
  if (order?.descending) found.reverse();
  const place = (position: number) => (ranks.get(position) ?? 0) * (order?.descending ? -1 : 1);
  const rest = found.filter(
    ({ position }) =>
      (after === undefined || place(position) > place(after)) &&
      (before === undefined || place(position) < place(before)),
  );
  const matches = before === undefined ? rest.slice(0, limit) : rest.slice(Math.max(0, rest.length - limit));
  return { matches, more: rest.length > limit, ...(total ? { total: found.length } : {}) };
}

/** The rows of the type `of` to which the reference leads, or whose reference leads to the row. */
function linkedTo(type: ResourceType, row: Row, { match, of, field }: ChainedClause, others: readonly Row[]) {
  return others.filter((one) =>
    match === 'has'
      ? one.index[field]?.includes(`${type}/${row.stored.id}`)
      : row.index[field]?.includes(`${of}/${one.stored.id}`),
  );
}

function holds(clause: FieldClause, index: IndexedResource['index'], { lastUpdated }: StoredResource): boolean {
  if (clause.match === 'range') {
    const instant = Date.parse(lastUpdated);
    return clause.anyOf.some(({ from = instant, to = instant + 1 }) => from <= instant && instant < to);
  }
  const items = index[clause.field] ?? [];
  if (clause.match === 'exact') return clause.anyOf.some((key) => items.includes(key)) !== (clause.not ?? false);
  if (clause.match === 'beginning')
    return items.some((key) => clause.whole?.includes(key) || clause.anyOf.some((start) => key.startsWith(start)));
  if (clause.match === 'near')
    return items.some((item) =>
      clause.anyOf.some((circle) => metresBetween(circle, positionOfItem(item)) <= circle.metres),
    );
  if (clause.match === 'present') return isPresent(clause.field, items) === clause.present;
  return clause.anyOf.some((words) =>
    items.some((item) => {
      const present = knownWords(item);
      return words.every(
        ({ prefix, whole, joined }) =>
          joined?.some((word) => joinedWords(clause.field, item).includes(word)) ||
          present.some((word) => (prefix !== undefined && word.startsWith(prefix)) || whole.includes(word)),
      );
    }),
  );
}

/** Every word of the field is compared with the one that was asked for. */
function codes(rows: readonly Row[], field: string) {
  const counts = new Map<string, number>();
  for (const { index } of rows) for (const key of new Set(index[field])) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts].map(([key, count]) => ({ key, count })).sort((a, b) => (a.key < b.key ? -1 : 1));
}

function spellings(rows: readonly Row[], field: string, word: string): Spellings {
  const frequency = new Map<string, number>();
  for (const { index } of rows) {
    const own = new Set((index[field] ?? []).flatMap(knownWords));
    for (const one of own) frequency.set(one, (frequency.get(one) ?? 0) + 1);
  }
  const begins = (start: string) => [...frequency.keys()].some((one) => one.startsWith(start));
  if (!/^[a-z]{3,20}$/.test(word)) return { known: begins(word), near: [], apart: [] };
  const cuts = Array.from({ length: word.length - 2 }, (_, at): [string, string] => [
    word.slice(0, at + 1),
    word.slice(at + 1),
  ]);
  const near = [...frequency].filter(([one]) => one !== word && isOneLetterApart(word, one));
  near.sort(([a, often], [b, other]) => other - often || (a < b ? -1 : 1));
  return {
    known: begins(word),
    near: near.map(([key, count]) => ({ key, count })),
    apart: cuts.filter(([first, second]) => frequency.has(first) && begins(second)),
  };
}

/** One letter more, less or other, or two neighbours in each other's place. Letters are a to z. */
function isOneLetterApart(word: string, other: string): boolean {
  let start = 0;
  while (start < word.length && word[start] === other[start]) start++;
  let end = 0;
  while (end < Math.min(word.length, other.length) - start && word.at(-1 - end) === other.at(-1 - end)) end++;
  const [left, right] = [word.slice(start, word.length - end), other.slice(start, other.length - end)];
  if (left.length === 2 && right.length === 2) return left === [...right].reverse().join('');
  return left.length <= 1 && right.length <= 1 && /^[a-z]?$/.test(right);
}

const words = new Map<string, readonly string[]>();

/** The words of a text, found once: the fuzz reads the same few resources a hundred thousand times. */
function knownWords(item: string): readonly string[] {
  let known = words.get(item);
  if (!known) {
    known = tokenize(item);
    words.set(item, known);
  }
  return known;
}

function isPresent(field: string, items: readonly string[]): boolean {
  if (field === '_lastUpdated') return true;
  const words = Object.values(INDEX_FIELDS).some((fields) => (fields as Record<string, string>)[field] === 'words');
  return words ? items.some((item) => tokenize(item).length > 0) : items.length > 0;
}
