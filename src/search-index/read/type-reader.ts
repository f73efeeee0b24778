// Reads one resource type of an open snapshot file: its alphabetical order, its rows, and the data for searches. Also finds which resources
// have a value in a field (for `:missing`).

import type BetterSqlite3 from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { BITMAP_WORDS, bufferOf, isWideKey, TERM_MARK } from '#search-index/file-layout.ts';
import { REFERENCES, type ResourceType } from '#search-index/snapshot.ts';
import { addDocIds, type BitmapPool, complement, type DocIdSet, parentsOf } from './doc-id-bitmap.ts';
import type { OrderedSpace } from './evaluate-query.ts';
import { openPositions } from './position-index.ts';
import { type ResourceSet, resourceSet, type SearchSpace, withinCircles } from './query-plan.ts';
import { openTargets } from './reference-targets.ts';
import { cachedBySegment } from './segment-cache.ts';
import { openRows, type ResourceRow, type StoredType } from './stored-resources.ts';
import type { OpenField, PostingList, TermDictionary } from './term-dictionary.ts';
import { openOrders, segmentAt } from './value-order.ts';
import { createYielder, type Yielder } from './yield-event-loop.ts';

/** Maximum number of remembered totals for one type. Only totals of searches for a single prefix are remembered. */
const MOST_TOTALS = 5000;

/**
 * Maximum bytes of the cache that says, for one type, to which resource each item belongs. Each address or name of a resource after the
 * first takes two bytes.
 */
const PARENTS = 32 * 2 ** 20;

/** One resource type of an open snapshot. Its methods read synchronously, except `fieldExists`. */
export interface TypeReader extends Omit<OrderedSpace, 'chained'>, StoredType {
  /** For each resource of a segment, the doc id of the target of its reference (`openTargets`). */
  targetsOf(field: number, segment: number): Uint32Array;
}

/** Number of resources in each segment. */
export function segmentSizes(database: BetterSqlite3.Database, type: ResourceType): number[] {
  return database
    .prepare<[string], number>('select length(ordinals) / 4 from segment where type = ? order by segment')
    .pluck()
    .all(type);
}

export function openType(
  database: BetterSqlite3.Database,
  type: ResourceType,
  terms: TermDictionary,
  bitmaps: BitmapPool,
): TypeReader {
  const fields = new Map(
    database
      .prepare<[string], OpenField>('select number, name, kind, bits from field where type = ?')
      .all(type)
      .map((field) => {
        const target = REFERENCES[type][field.name];
        return [field.name, { ...field, ...(target && { target }) }];
      }),
  );
  const fieldOf = (name: string) => {
    const field = fields.get(name);
    if (!field) throw new Error(`${type} has no indexed field ${name}; it has ${[...fields.keys()].join(', ')}`);
    return field;
  };
  const sizes = segmentSizes(database, type);
  const segmentStarts = new Uint32Array(sizes.length === 0 ? 0 : sizes.length + 1);
  for (const [segment, size] of sizes.entries()) segmentStarts[segment + 1] = (segmentStarts[segment] as number) + size;

  const ordinalsOf = database
    .prepare<[string, number], Uint8Array>('select ordinals from segment where type = ? and segment = ?')
    .pluck();
  const ordinals: (Uint32Array | undefined)[] = [];
  const ordinalAt = (position: number) => {
    const segment = segmentAt(segmentStarts, position);
    ordinals[segment] ??= new Uint32Array(bufferOf(ordinalsOf.get(type, segment)));
    return ordinals[segment][position - (segmentStarts[segment] as number)] as number;
  };

  const parentsIn = database
    .prepare<[number, number], Uint8Array>('select parents from item_parent where field = ? and segment = ?')
    .pluck();
  const parents = cachedBySegment(PARENTS, (field, segment) => {
    const bytes = parentsIn.get(field, segment);
    return { parents: bytes && new Uint16Array(bufferOf(bytes)) };
  });
  const itemParents = ({ kind, number }: OpenField, segment: number) =>
    kind === 'words' ? parents(number, segment).parents : undefined;

  const rows = openRows(database, type);
  // The last row is kept, because `find` reads the row of a resource, and its caller then reads the same row.
  let last: { ordinal: number; row: ResourceRow | undefined } | undefined;
  const rowAt = (ordinal: number) => {
    if (last?.ordinal !== ordinal) last = { ordinal, row: rows.rowAt(ordinal) };
    return last.row;
  };
  const find = (id: string) => {
    for (const list of terms.ofKey(fieldOf('id'), id)) {
      for (const segment of Array.from(list.segments)) {
        for (const member of list.part(segment) ?? []) {
          const position = (segmentStarts[segment] as number) + member;
          if (rowAt(ordinalAt(position))?.id === id) return position;
        }
      }
    }
    return undefined;
  };

  const targetsOf = openTargets(database);
  const space = { segmentStarts, fieldOf, itemParents, terms, bitmaps, positionsOf: openPositions(database) };
  return {
    ...rows,
    count: segmentStarts.at(-1) ?? 0,
    ...space,
    fieldExists: cacheFieldExists(space),
    // The cache is limited by `maxSize`, because with `max` it would allocate memory for all entries at once.
    totals: new LRUCache({ maxSize: MOST_TOTALS, sizeCalculation: () => 1 }),
    orderOf: openOrders(database, targetsOf),
    ordinalAt,
    rowAt,
    find,
    targetsOf,
  };
}

/**
 * Makes the function that finds the resources with a value in a field. It remembers its results, because with two million people the first
 * call for a field may take a second.
 */
export function cacheFieldExists(space: Parameters<typeof readFieldExists>[0]): SearchSpace['fieldExists'] {
  const known = new Map<number, Promise<ResourceSet>>();
  return (field) => {
    // This yielder never abandons, because other searches may wait for the same result.
    const exists = known.get(field.number) ?? readFieldExists(space, field, createYielder());
    known.set(field.number, exists);
    return exists;
  };
}

const EVERY_WORD = { prefix: '', whole: [] };

async function readFieldExists(
  space: Pick<SearchSpace, 'segmentStarts' | 'itemParents' | 'terms' | 'bitmaps' | 'positionsOf'>,
  field: OpenField,
  yielder: Yielder,
): Promise<ResourceSet> {
  const { segmentStarts, itemParents, terms, bitmaps } = space;
  const all = segmentStarts.at(-1) ?? 0;
  const sizes = Array.from(segmentStarts.subarray(1), (end, segment) => end - (segmentStarts[segment] as number));
  if (field.name === 'id' || field.kind === 'instant')
    return { total: all, segments: sizes.map((size) => everyMember(bitmaps, size)) };
  if (field.kind === 'position') return withinCircles(space, field, yielder);
  const segments = sizes.map(() => new Uint32Array(BITMAP_WORDS));
  const add = async (lists: Iterable<PostingList>) => {
    for (const list of lists) {
      for (const segment of Array.from(list.segments)) {
        bitmaps.reuse();
        const items = list.part(segment);
        if (!items) continue;
        const parents = parentsOf(bitmaps, items, sizes[segment] as number, itemParents(field, segment));
        addDocIds(segments[segment] as Uint32Array, parents);
      }
      if (yielder.due()) await yielder.yield();
    }
    return resourceSet(segments);
  };

  if (field.kind === 'words') return add(terms.ofWord(field, EVERY_WORD));
  // Nearly every token has a system. So the lists of the keys `system|`, which are few, usually have all resources already.
  const bySystem = await add(terms.everyList(field, (key) => isWideKey(key.slice(0, -TERM_MARK.length))));
  if (bySystem.total === all) return bySystem;
  const others = await add(terms.everyList(field, (key) => !isWideKey(key.slice(0, -TERM_MARK.length))));
  if (others.total === all || field.kind !== 'hash') return others;
  for (const docIds of terms.everyDocId(field)) {
    for (let index = 0; index < docIds.length; index++) {
      const docId = docIds[index] as number;
      const bits = segments[docId >>> 16] as Uint32Array;
      (bits[(docId & 0xffff) >>> 5] as number) |= 1 << (docId & 31);
    }
    if (yielder.due()) await yielder.yield();
  }
  return resourceSet(segments);
}

function everyMember(bitmaps: BitmapPool, size: number): DocIdSet {
  bitmaps.reuse();
  return complement(bitmaps, size, undefined).slice();
}
