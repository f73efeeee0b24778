// Rechecks resources that were found by the hash of a key. Another key may have the same 64-bit hash, so only the resource itself shows
// whether it has the key.
//
// With the national edition, one in 10^12 searches for keys that no resource has finds a resource by chance, and one in 200,000 editions
// has two keys with the same hash. But the hash is not cryptographic, so somebody could construct such a key. The recheck costs only a few
// microseconds, because the page needs the text of the resource anyway. Without the recheck, a file with millions of keys would need longer
// hashes.

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

/**
 * If a posting list has at most this many resources, all of them are rechecked when the key is looked up. Of a longer list, usually only
 * the first resource is rechecked then, and the others when they appear on a page (`rechecked`).
 */
const RECHECKED_AT_ONCE = 8;

/**
 * Number of rechecked resources of each type that are kept in memory. It is larger than the number of resources on a page, so that a page
 * can take them from memory.
 */
const KEPT = 256;

/** Rechecks the resources that the searches of a snapshot find by hashes. */
interface HashRecheck {
  /** The readers of all types. Their dictionaries recheck the resources that a hash finds. */
  rechecked: Record<ResourceType, TypeReader>;
  /** Reads a resource for a page. If the resource was already rechecked when a key was looked up, it is taken from memory. */
  read(type: ResourceType, position: number): StoredResource;
  /**
   * Makes the function that checks the resources on a page. If all keys of a clause are looked up by hashes, a resource must have one of
   * these keys.
   */
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
        // A clause with `not` needs no check, because looking up its keys has already rechecked every resource with their hashes.
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

/** Wraps a dictionary so that looking up a hash leaves out resources that do not have the key. */
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
      // The hash of a contact is made of its value alone, and not of its system (`phone`, `email`). So it also finds contacts with another
      // system, and each resource must be checked.
      const all = each || hashedKey(field.name, key) !== key;
      const left = rechecked(list, all, (segment, member) => hasKey(field, key, segment, member));
      return left.docFreq === 0 ? [] : [left];
    },
  };
}

/**
 * Returns the list itself if all its members have the key, otherwise a list of those that have it. If the first member of a long list has
 * the key and `each` is not set, the list is returned without checking its other members. They are rechecked when they appear on a page.
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
