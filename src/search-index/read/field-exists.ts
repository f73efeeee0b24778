// Finds the resources that have any value in a field, for `:missing`. For each open snapshot it reads all posting lists of the field once,
// and caches the result.

import { BITMAP_WORDS, isWideKey, TERM_MARK } from '#search-index/file-layout.ts';
import { addDocIds, type BitmapPool, complement, type DocIdSet, parentsOf } from './doc-id-bitmap.ts';
import { type ResourceSet, resourceSet, type SearchSpace, withinCircles } from './query-plan.ts';
import type { OpenField, PostingList } from './term-dictionary.ts';
import { createYielder, type Yielder } from './yield-event-loop.ts';

/** Makes a look-up that caches its results. With two million people, the first look-up of a field may take a second. */
export function cacheFieldExists(space: Parameters<typeof readFieldExists>[0]): SearchSpace['fieldExists'] {
  const known = new Map<number, Promise<ResourceSet>>();
  return (field) => {
    let exists = known.get(field.number);
    if (!exists) {
      // Other searches may wait for this result as well, so no search can abandon it.
      exists = readFieldExists(space, field, createYielder());
      known.set(field.number, exists);
    }
    return exists;
  };
}

const EVERY_WORD = { prefix: '', whole: [] };

async function readFieldExists(
  {
    segmentStarts,
    itemParents,
    terms,
    bitmaps,
    positionsOf,
  }: Pick<SearchSpace, 'segmentStarts' | 'itemParents' | 'terms' | 'bitmaps' | 'positionsOf'>,
  field: OpenField,
  yielder: Yielder,
): Promise<ResourceSet> {
  const all = segmentStarts.at(-1) ?? 0;
  const sizes = Array.from(segmentStarts.subarray(1), (end, segment) => end - (segmentStarts[segment] as number));
  if (field.name === 'id' || field.kind === 'instant')
    return { total: all, segments: sizes.map((size) => everyMember(bitmaps, size)) };
  if (field.kind === 'position') return withinCircles({ segmentStarts, positionsOf }, field, yielder);
  const segments = sizes.map(() => new Uint32Array(BITMAP_WORDS));
  const add = async (lists: Iterable<PostingList>) => {
    for (const list of lists) {
      for (const segment of Array.from(list.segments)) {
        bitmaps.reuse();
        const items = list.part(segment);
        if (!items) continue;
        addDocIds(
          segments[segment] as Uint32Array,
          parentsOf(bitmaps, items, sizes[segment] as number, itemParents(field, segment)),
        );
      }
      if (yielder.due()) await yielder.yield();
    }
    return resourceSet(segments);
  };

  if (field.kind === 'words') return add(terms.ofWord(field, EVERY_WORD));
  // Nearly every key has a system, so the few lists of whole systems usually contain all resources already.
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
