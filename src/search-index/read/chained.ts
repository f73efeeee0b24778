// Finds resources by a chain (STU3 search 3.1.1.5.6 and 3.1.1.5.7): by criteria for other resources, which a reference links with them.
// First it finds the linked resources that match the criteria. Then it finds the resources of the searched type through the stored targets
// of references.
//
// Comparing the targets of all resources takes two nanoseconds for each resource. If only a few linked resources match, it is faster to
// look up the references to them by their hashes.

import { LRUCache } from 'lru-cache';
import { referenceKey } from '#search-index/exact-keys.ts';
import { hashedFrom } from '#search-index/hash-buckets.ts';
import { TooCostly } from '#search-index/search-errors.ts';
import {
  byType,
  type ChainedClause,
  type ExactText,
  type ResourceChecks,
  type ResourceType,
  type StoredResource,
} from '#search-index/snapshot.ts';
import { compacted, type DocIdSet, NOTHING, take, unite } from './doc-id-bitmap.ts';
import { everyMatch } from './evaluate-query.ts';
import { isByHash } from './hash-recheck.ts';
import { everySegment, type ResourceSet, resourceSet, type SearchSpace } from './query-plan.ts';
import { addTargets, bitmapOfSegments, emptyBitmap, segmentsOf, sourcesIn } from './reference-targets.ts';
import { MOST_READ } from './result-page.ts';
import type { OpenField, TermDictionary } from './term-dictionary.ts';
import type { TypeReader } from './type-reader.ts';
import type { Yielder } from './yield-event-loop.ts';

/**
 * Maximum number of linked resources for which the references are looked up by hashes. If more match, the targets of all resources are
 * compared.
 */
const FEW = 32;
/**
 * Maximum bytes of remembered results. They are remembered because the next pages of a search need them again. The result of one chain
 * takes some 280 kB at most.
 */
const REMEMBERED = 8 * 2 ** 20;

interface ChainOptions {
  types: Record<ResourceType, TypeReader>;
  /**
   * The readers of `types`, but with dictionaries that check whether the resources that a hash finds really have the key
   * (`hash-recheck.ts`).
   */
  rechecked: Record<ResourceType, TypeReader>;
  read(type: ResourceType, position: number): StoredResource;
  hasText: ResourceChecks['hasText'];
}

/** Makes the function that finds the resources of a type by a chain. It remembers results, so it is made once for each open snapshot. */
export function createChains({ types, rechecked, read, hasText }: ChainOptions) {
  const linkedSpace = byType(
    (type): SearchSpace => ({ ...rechecked[type], terms: checkedTerms(type), chained: twoLevels }),
  );
  const remembered = new LRUCache<string, ResourceSet>({
    maxSize: REMEMBERED,
    sizeCalculation: ({ segments }, { length }) =>
      segments.reduce((sum, { byteLength }) => sum + byteLength + 50, 2 * length + 1000),
  });

  /**
   * `readBy` has the number of resources that a search has read so far to check exact texts. All chains of a search share one yielder,
   * which therefore identifies the search. `readFor` has the number of resources that were read to find a remembered result.
   */
  const readFor = new WeakMap<ResourceSet, number>();
  const readBy = new WeakMap<Yielder, number>();
  const spend = (yielder: Yielder, resources: number) => {
    const spent = (readBy.get(yielder) ?? 0) + resources;
    refuseMany(spent);
    readBy.set(yielder, spent);
  };

  /**
   * Makes a dictionary that rechecks every resource that a hash finds. The recheck cannot wait until the resources are on a page, because
   * linked resources never appear on a page.
   */
  function checkedTerms(type: ResourceType): TermDictionary {
    const { terms } = rechecked[type];
    return {
      ...terms,
      ofKey(field, key) {
        const { target } = field;
        const believed = types[type].terms.ofKey(field, key);
        const from = hashedFrom(key, target);
        // If the snapshot has the resource that the key names, references to it need no recheck, because no two ids of a type have the same
        // hash (`write/reference-targets.ts`).
        if (target !== undefined && from > 0 && types[target].find(key.slice(from)) !== undefined) return believed;
        if (isByHash(field, key)) refuseMany(believed.reduce((sum, { docFreq }) => sum + docFreq, 0));
        return terms.ofKey(field, key, true);
      },
    };
  }

  async function linkedBy({ of, clauses, exactly, also }: ChainedClause, yielder: Yielder): Promise<ResourceSet> {
    const space = linkedSpace[of];
    let linked = await everyMatch(space, clauses, yielder);
    if (exactly) linked = await withTexts(of, linked, exactly, yielder);
    if (!also) return linked;
    const more = await everyMatch(space, [{ field: 'id', match: 'exact', anyOf: also }], yielder);
    return resourceSet(
      linked.segments.map((members, segment) => {
        space.bitmaps.reuse();
        return compacted(unite(space.bitmaps, [members, more.segments[segment] as DocIdSet]));
      }),
    );
  }

  async function withTexts(type: ResourceType, set: ResourceSet, exactly: readonly ExactText[], yielder: Yielder) {
    spend(yielder, set.total);
    const { segmentStarts } = types[type];
    const segments: DocIdSet[] = [];
    for (const [segment, members] of set.segments.entries()) {
      const held: number[] = [];
      for (const member of take(members, 0, set.total)) {
        const { json } = read(type, (segmentStarts[segment] as number) + member);
        if (exactly.every(({ field, texts }) => hasText(field, texts, json))) held.push(member);
        if (yielder.due()) await yielder.yield();
      }
      segments.push(Uint16Array.from(held));
    }
    return resourceSet(segments);
  }

  /** Finds the resources of a type that refer to at least one of the linked resources. */
  async function sourcesOf(
    type: ResourceType,
    { field: name, of }: ChainedClause,
    linked: ResourceSet,
    yielder: Yielder,
  ) {
    const { fieldOf, targetsOf } = types[type];
    const field = fieldOf(name);
    if (linked.total <= FEW) return sourcesOfFew(type, field, of, linked);
    const wanted = bitmapOfSegments(linked.segments);
    return everySegment(types[type], yielder, (segment) => sourcesIn(targetsOf(field.number, segment), wanted));
  }

  function sourcesOfFew(type: ResourceType, field: OpenField, of: ResourceType, linked: ResourceSet): ResourceSet {
    const { segmentStarts, terms, bitmaps } = types[type];
    const found = Array.from({ length: segmentStarts.length - 1 }, (): DocIdSet[] => []);
    for (const [linkedSegment, members] of linked.segments.entries()) {
      for (const member of take(members, 0, FEW)) {
        const position = (types[of].segmentStarts[linkedSegment] as number) + member;
        for (const list of terms.ofKey(field, referenceKey(of, read(of, position).id)))
          for (const segment of Array.from(list.segments)) found[segment]?.push(list.part(segment) ?? NOTHING);
      }
    }
    bitmaps.reuse();
    return resourceSet(found.map((sets) => compacted(unite(bitmaps, sets))));
  }

  /** Finds the resources of a type to which the linked resources refer. */
  async function targetsOf(
    type: ResourceType,
    { field: name, of }: ChainedClause,
    linked: ResourceSet,
    yielder: Yielder,
  ) {
    const source = types[of];
    const { number } = source.fieldOf(name);
    const bits = emptyBitmap(types[type].segmentStarts.length - 1);
    for (const [segment, members] of linked.segments.entries()) {
      if (members.length > 0) addTargets(bits, source.targetsOf(number, segment), members);
      if (yielder.due()) await yielder.yield();
    }
    return resourceSet(segmentsOf(bits));
  }

  return (type: ResourceType): SearchSpace['chained'] =>
    async (clause, yielder) => {
      const key = `${type} ${JSON.stringify(clause)}`;
      const known = remembered.get(key);
      if (known) {
        // A remembered result costs the search as many reads as it cost at first. Otherwise a search that was refused could succeed when it
        // is repeated.
        spend(yielder, readFor.get(known) ?? 0);
        return known;
      }
      const before = readBy.get(yielder) ?? 0;
      const linked = await linkedBy(clause, yielder);
      const found = await (clause.match === 'has' ? targetsOf : sourcesOf)(type, clause, linked, yielder);
      readFor.set(found, (readBy.get(yielder) ?? 0) - before);
      remembered.set(key, found);
      return found;
    };
}

function twoLevels(): never {
  throw new Error('a chain within a chain: linked resources are found by their own fields only');
}

function refuseMany(resources: number): void {
  if (resources > MOST_READ)
    throw new TooCostly(
      `more than ${MOST_READ} linked resources would have to be read: narrow the chain by another criterion, or search them by themselves`,
    );
}
