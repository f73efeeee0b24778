// Inserts the resources that corrections change into a page of results, at their place in the order of the search.

import { orderValue } from '#directory/search/near.ts';
import type { SearchPage, SearchQuery, Snapshot, StoredResource } from '#search-index/index.ts';
import type { Affected, IndexEntries } from './affected.ts';
import { type SearchedResource, searched } from './matches.ts';

interface Place {
  /** The value by which a resource is sorted. Undefined for a resource without such a value, which comes last. */
  value: readonly (string | number)[] | undefined;
  position: number;
}

export function correctedOrder(
  raw: Snapshot,
  query: SearchQuery,
  index: IndexEntries,
  affected: ReadonlyMap<string, Affected>,
) {
  const { type, order, after, before, instant = 0, limit } = query;
  const numberOf = orderValue(order, query.clauses);
  const edge = after ?? before;
  const edging = edge === undefined ? undefined : [...affected.values()].find((one) => positionOf(one) === edge);

  /** Returns the value by which the snapshot sorts a resource. */
  const valueIn = async ({ stored, fields }: SearchedResource): Promise<Place['value']> => {
    const number = numberOf(stored);
    if (number !== undefined) return [number];
    if (order?.by !== 'field') return [];
    const [first] = fields.get(order.field) ?? [];
    const [, of, id] = /^(Practitioner|Organization)\/(.*)$/.exec(first?.[0] ?? '') ?? [];
    if (!of || !id) return first?.[1];
    const target = await raw.read(of as typeof type, id);
    return target && [target.position];
  };
  /**
   * Checks whether a correction hides the value by which the resource is sorted. Such a resource is placed among those without a value,
   * because its original place would reveal the hidden value.
   */
  const isMoved = ({ before: was, after: is }: Affected) => {
    if (order?.by !== 'field' || !is) return false;
    const [first, now] = [was, is].map(({ fields }) => fields.get(order.field)?.[0]?.[0]);
    return first !== now;
  };
  const placeOf = async (stored: StoredResource): Promise<Place> => {
    const { position } = stored;
    const fields = order?.by === 'field' ? index(JSON.parse(stored.json)) : {};
    return { value: await valueIn(searched(type, stored, fields)), position };
  };
  const placeOfAffected = async (one: Affected): Promise<Place> => ({
    value: isMoved(one) ? undefined : await valueIn(one.after ?? one.before),
    position: positionOf(one),
  });
  const placeOfEdge = async (): Promise<Place | undefined> => {
    if (edge === undefined) return undefined;
    if (order?.by === 'updated' || order?.by === 'distance') return { value: [instant], position: edge };
    if (order?.by !== 'field') return { value: [], position: edge };
    if (edging) return placeOfAffected(edging);
    const { matches } = await raw.search({ type, clauses: [], limit: 1, after: edge - 1, total: false });
    return matches[0] && placeOf(matches[0]);
  };
  const compare = (one: Place, other: Place) => (order?.descending ? -1 : 1) * ascending(one, other);

  return {
    /**
     * An option for the search in the snapshot. That search continues after the last resource of the previous page (`after`), or goes back
     * from the first resource of the next page (`before`). If a correction hides the value by which this resource is sorted, its place on
     * the pages is among the resources without a value. So the search must treat it as a resource without a value.
     */
    edge: edging && isMoved(edging) ? { valueless: true } : {},
    async pageOf(
      others: readonly StoredResource[],
      more: readonly Affected[],
      isLonger: boolean,
    ): Promise<Pick<SearchPage, 'matches' | 'more'>> {
      const begin = await placeOfEdge();
      const side = after === undefined ? -1 : 1;
      const changed = await Promise.all(
        more.map(async (one) => ({ stored: (one.after ?? one.before).stored, place: await placeOfAffected(one) })),
      );
      const onPage = changed.filter(({ place }) => !begin || compare(place, begin) * side > 0);
      if (onPage.length === 0) return cut(others, isLonger);
      const unchanged = await Promise.all(others.map(async (stored) => ({ stored, place: await placeOf(stored) })));
      const sorted = [...unchanged, ...onPage].sort((one, other) => compare(one.place, other.place));
      const page = sorted.map(({ stored }) => stored);
      return cut(page, isLonger);
    },
  };

  function cut(sorted: readonly StoredResource[], isLonger: boolean) {
    const first = before === undefined ? 0 : Math.max(0, sorted.length - limit);
    return { matches: sorted.slice(first, first + limit), more: isLonger || sorted.length > limit };
  }
}

function positionOf({ before }: Affected): number {
  return before.stored.position;
}

function ascending(one: Place, other: Place): number {
  if (!one.value || !other.value) return Number(!one.value) - Number(!other.value) || one.position - other.position;
  for (let at = 0; at < Math.max(one.value.length, other.value.length); at++) {
    const [left, right] = [one.value[at] ?? '', other.value[at] ?? ''];
    if (left !== right) return left < right ? -1 : 1;
  }
  return one.position - other.position;
}
