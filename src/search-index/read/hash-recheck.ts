// Rechecks resources that were found by the hash of a key. Another key may have the same 64 bits, so the resource itself decides.
//
// In the national edition, a key that nobody has finds a resource by chance once in 10^12 searches, and two keys have the same hash once in
// 200,000 editions. But the hash is not cryptographic, so somebody could construct such a key. The recheck costs a few microseconds,
// because the page needs the text of the resource anyway. Without it, a file with millions of keys would need longer hashes.

import { LRUCache } from 'lru-cache';
import { hashedKey } from '#search-index/exact-keys.ts';
import { isWideKey } from '#search-index/file-layout.ts';
import {
  byType,
  type ResourceChecks,
  type ResourceType,
  type SearchQuery,
  type StoredResource,
} from '#search-index/snapshot.ts';
import { NOTHING, take } from './doc-id-bitmap.ts';
import type { OpenField, PostingList, TermDictionary } from './term-dictionary.ts';
import type { TypeReader } from './type-reader.ts';

/** A list of at most this many resources is rechecked completely when it is looked up. */
const RECHECKED_AT_ONCE = 8;

/** Number of rechecked resources of each type that are kept in memory. It is larger than a page, which takes its resources from there. */
const KEPT = 256;

/** Rechecks what the searches of a snapshot find. */
interface HashRecheck {
  /** The types, with dictionaries that recheck. */
  rechecked: Record<ResourceType, TypeReader>;
  /** Reads a resource for a page. Most resources of a page were rechecked when a key was looked up; these are taken from memory. */
  read(type: ResourceType, position: number): StoredResource;
  /** Makes the check of a resource on a page. If all keys of a clause are looked up by hashes, the resource must have one of them. */
  checkOf(type: ResourceType, query: Pick<SearchQuery, 'clauses'>): (resource: StoredResource) => boolean;
}

export function createHashRecheck(
  types: Record<ResourceType, TypeReader>,
  resourceAt: (type: ResourceType, position: number) => StoredResource,
  has: ResourceChecks['hasKey'],
): HashRecheck {
  /** Rechecked resources by position, each with the last key that it was found to have. */
  const kept = byType(
    () => new LRUCache<number, { resource: StoredResource; field: string; key: string }>({ max: KEPT }),
  );
  const read = (type: ResourceType, position: number) =>
    kept[type].get(position)?.resource ?? resourceAt(type, position);
  const hasOne = (type: ResourceType, field: string, keys: ReadonlySet<string>, resource: StoredResource): boolean => {
    if (field === 'id') return keys.has(resource.id);
    const known = kept[type].get(resource.position);
    return (known?.field === field && keys.has(known.key)) || has(type, field, keys, resource.json);
  };
  const rechecked = byType((type): TypeReader => {
    const space = types[type];
    const terms = recheckedTerms(space.terms, ({ name: field }, key, segment, member) => {
      const resource = read(type, (space.segmentStarts[segment] as number) + member);
      const found = hasOne(type, field, new Set([key]), resource);
      if (found) kept[type].set(resource.position, { resource, field, key });
      return found;
    });
    return { ...space, terms };
  });
  return {
    rechecked,
    read,
    checkOf(type, { clauses }) {
      const checked = clauses.flatMap((clause) => {
        // With `not`, all resources with these hashes were already rechecked when the keys were looked up.
        if (clause.match !== 'exact' || clause.not) return [];
        const { field, anyOf } = clause;
        const opened = types[type].fieldOf(field);
        return anyOf.every((key) => isByHash(opened, key)) ? [{ field, keys: new Set(anyOf) }] : [];
      });
      return (resource) => checked.every(({ field, keys }) => hasOne(type, field, keys, resource));
    },
  };
}

/** Checks whether a key is looked up by its hash. */
export function isByHash(field: OpenField, key: string): boolean {
  return field.kind === 'hash' && !isWideKey(key);
}

/** Wraps a dictionary so that a look-up by hash leaves out resources that do not have the key. */
function recheckedTerms(
  terms: TermDictionary,
  hasKey: (field: OpenField, key: string, segment: number, member: number) => boolean,
): TermDictionary {
  return {
    ...terms,
    ofKey(field, key, each = false) {
      const lists = terms.ofKey(field, key);
      const [list] = lists;
      if (list === undefined || !isByHash(field, key)) return lists;
      // The hash of a contact does not cover its system, so it also finds contacts of other systems.
      const all = each || hashedKey(field.name, key) !== key;
      const left = rechecked(list, all, (segment, member) => hasKey(field, key, segment, member));
      return left.docFreq === 0 ? [] : [left];
    },
  };
}

/**
 * Returns the list itself if all its members have the key, otherwise a list of those that have it. In a long list only the first member is
 * checked, unless `each` is set. The others are rechecked when they appear on a page.
 */
function rechecked(
  list: PostingList,
  each: boolean,
  hasKey: (segment: number, member: number) => boolean,
): PostingList {
  const left = new Map<number, Uint16Array>();
  let docFreq = 0;
  let checked = 0;
  for (const segment of Array.from(list.segments)) {
    const held: number[] = [];
    for (const member of take(list.part(segment) ?? NOTHING, 0, Number.POSITIVE_INFINITY)) {
      const holds = hasKey(segment, member);
      if (holds && checked === 0 && !each && list.docFreq > RECHECKED_AT_ONCE) return list;
      checked++;
      if (holds) held.push(member);
    }
    if (held.length > 0) left.set(segment, Uint16Array.from(held));
    docFreq += held.length;
  }
  return docFreq === checked ? list : { docFreq, segments: [...left.keys()], part: (segment) => left.get(segment) };
}
