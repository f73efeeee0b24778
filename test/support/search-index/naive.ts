// The rules of the search, written as a scan over plain objects: what a snapshot must agree with.
// With the few fictional words that the tests draw from.

import { joinedWords } from '#search-index/joined-words.ts';
import { metresBetween, positionOfItem } from '#search-index/positions.ts';
import {
  type ChainedClause,
  type Clause,
  type FieldClause,
  INDEX_FIELDS,
  type IndexedResource,
  isChained,
  type SearchQuery,
} from '#search-index/snapshot.ts';
import { tokenize } from '#search-index/tokenizer.ts';

/**
 * Ids of the resources that match, in alphabetical order.
 * @param updatedOf milliseconds since 1970 at which a resource was new or changed; needed for ranges alone
 */
export function naiveMatches(
  resources: readonly IndexedResource[],
  query: Pick<SearchQuery, 'type' | 'clauses'>,
  updatedOf: (id: string) => number = () => Number.NaN,
) {
  const isMatch = (resource: IndexedResource, clause: Clause): boolean =>
    isChained(clause)
      ? linkedTo(resource, clause, resources).some(
          (one) => clause.also?.includes(one.id) || clause.clauses.every((inner) => isMatch(one, inner)),
        )
      : clauseMatches(resource, clause, updatedOf(resource.id));
  return resources
    .filter(({ type }) => type === query.type)
    .filter((resource) => query.clauses.every((clause) => isMatch(resource, clause)))
    .sort((a, b) => compare(a.sortKey, b.sortKey) || compare(a.id, b.id))
    .map(({ id }) => id);
}

/** The resources of the type `of` to which the reference leads, or whose reference leads to the resource. */
function linkedTo(
  { type, id, index }: IndexedResource,
  { match, of, field }: ChainedClause,
  all: readonly IndexedResource[],
) {
  return all.filter((one) => {
    if (one.type !== of) return false;
    return match === 'has' ? one.index[field]?.includes(`${type}/${id}`) : index[field]?.includes(`${of}/${one.id}`);
  });
}

function clauseMatches(resource: IndexedResource, clause: FieldClause, updated: number): boolean {
  if (clause.match === 'range')
    return clause.anyOf.some(({ from = updated, to = updated + 1 }) => from <= updated && updated < to);
  const items = clause.field === 'id' ? [resource.id] : (resource.index[clause.field] ?? []);
  if (clause.match === 'exact') return clause.anyOf.some((key) => items.includes(key)) !== (clause.not ?? false);
  if (clause.match === 'beginning')
    return items.some((key) => clause.whole?.includes(key) || clause.anyOf.some((start) => key.startsWith(start)));
  if (clause.match === 'present') {
    const present = isWordField(clause.field) ? items.some((item) => tokenize(item).length > 0) : items.length > 0;
    return (present || clause.field === '_lastUpdated') === clause.present;
  }
  if (clause.match === 'near')
    return items.some((item) =>
      clause.anyOf.some((circle) => metresBetween(circle, positionOfItem(item)) <= circle.metres),
    );
  return clause.anyOf.some((words) =>
    items.some((item) => {
      const itemWords = tokenize(item);
      const together = joinedWords(clause.field, item);
      return words.every(
        ({ prefix, whole, joined = [] }) =>
          joined.some((word) => together.includes(word)) ||
          itemWords.some((word) => (prefix !== undefined && word.startsWith(prefix)) || whole.includes(word)),
      );
    }),
  );
}

function isWordField(name: string): boolean {
  return Object.values(INDEX_FIELDS).some((fields) => (fields as Record<string, string>)[name] === 'words');
}

/** By Unicode code points. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** A practitioner with what is given; the rest empty. */
export function practitioner(
  id: string,
  sortKey: string,
  index: IndexedResource['index'],
  elements: Record<string, unknown> = {},
): IndexedResource {
  return {
    type: 'Practitioner',
    id,
    sortKey,
    resource: { resourceType: 'Practitioner', id, ...elements },
    index,
  };
}
