// Owns the confirmation of what was found by a fingerprint: 64 bits of hash are not the key, so the resource has the last
// word. Does not own what a resource says (`Confirm` is brought from outside) nor the fingerprints themselves.
//
// A key that nobody has finds somebody once in 10^12 searches of the national edition, by chance; but the hash is no secret
// and no cryptography, so that such a key could also be made. Two keys that stand in the edition collide once in
// 200,000 editions. Asking the resource costs a few microseconds, because its text is wanted for the page anyway, and
// spares wider fingerprints in a file of millions of keys and anything to be noticed while it is built.

import { isWideKey } from '../file-layout.ts';
import { RESOURCE_TYPES, type ResourceType, type SearchQuery, type StoredResource } from '../snapshot.ts';
import { take } from './doc-id-bitmap.ts';
import type { OrderedSpace } from './evaluate-query.ts';
import type { OpenField, PostingList, Terms } from './term-dictionary.ts';

/** Whether a resource, given as JSON text, says a key of an exact field. */
export type Confirm = (type: ResourceType, field: string, key: string, json: string) => boolean;

/** Members that are all confirmed when their list is looked up. */
const CONFIRMED_AT_ONCE = 8;

/** What a search needs so that it finds nothing by a fingerprint alone. */
export interface Confirmation {
  spaceOf: Record<ResourceType, OrderedSpace>;
  /** Whether a resource on a page has a key of each clause that was looked up by fingerprints. */
  holds(type: ResourceType, query: Pick<SearchQuery, 'clauses'>, resource: StoredResource): boolean;
}

export function confirmation(
  types: Record<ResourceType, OrderedSpace>,
  resourceAt: (type: ResourceType, position: number) => StoredResource,
  confirm: Confirm,
): Confirmation {
  // What was confirmed at its look-up mostly stands on the page at once.
  let last: { field: string; key: string; resource: StoredResource } | undefined;
  const says = (type: ResourceType, field: string, key: string, resource: StoredResource): boolean => {
    if (field === 'id') return resource.id === key;
    if (last?.resource === resource && last.field === field && last.key === key) return true;
    const said = confirm(type, field, key, resource.json);
    if (said) last = { field, key, resource };
    return said;
  };
  const spaces = RESOURCE_TYPES.map((type): [ResourceType, OrderedSpace] => {
    const space = types[type];
    const terms = confirmedTerms(space.terms, (field, key, chunk, member) =>
      says(type, field.name, key, resourceAt(type, (space.chunkStarts[chunk] as number) + member)),
    );
    return [type, { ...space, terms }];
  });
  return {
    spaceOf: Object.fromEntries(spaces) as Record<ResourceType, OrderedSpace>,
    holds: (type, { clauses }, resource) =>
      clauses.every((clause) => {
        // What has none of the keys was confirmed when they were looked up.
        if (clause.match !== 'exact' || clause.not) return true;
        const { field, anyOf } = clause;
        const opened = types[type].fieldOf(field);
        return anyOf.some((key) => !isByFingerprint(opened, key) || says(type, field, key, resource));
      }),
  };
}

/** Whether the lists of a key come from a fingerprint. */
function isByFingerprint(field: OpenField, key: string): boolean {
  return field.kind === 'fingerprint' && !isWideKey(key);
}

/** The same terms, but what a key's fingerprint finds is left out unless it has the key. */
function confirmedTerms(
  terms: Terms,
  says: (field: OpenField, key: string, chunk: number, member: number) => boolean,
): Terms {
  return {
    ...terms,
    ofKey(field, key, each = false) {
      const lists = terms.ofKey(field, key);
      const [list] = lists;
      if (list === undefined || !isByFingerprint(field, key)) return lists;
      const left = confirmed(list, each, (chunk, member) => says(field, key, chunk, member));
      return left.owners === 0 ? [] : [left];
    },
  };
}

/**
 * The list itself when it holds, else what is left of it. Of a long list the first member speaks for the key as a whole,
 * unless `each` has to; the others are confirmed when they come onto a page.
 */
function confirmed(list: PostingList, each: boolean, says: (chunk: number, member: number) => boolean): PostingList {
  const left = new Map<number, Uint16Array>();
  let owners = 0;
  let asked = 0;
  for (const chunk of Array.from(list.chunks)) {
    const held: number[] = [];
    for (const member of take(list.part(chunk) ?? NOBODY, 0, Number.POSITIVE_INFINITY)) {
      const holds = says(chunk, member);
      if (holds && asked === 0 && !each && list.owners > CONFIRMED_AT_ONCE) return list;
      asked++;
      if (holds) held.push(member);
    }
    if (held.length > 0) left.set(chunk, Uint16Array.from(held));
    owners += held.length;
  }
  return owners === asked ? list : { owners, chunks: [...left.keys()], part: (chunk) => left.get(chunk) };
}

const NOBODY = new Uint16Array(0);
