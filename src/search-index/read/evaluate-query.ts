// Evaluates a query segment by segment. It stops when the page is full, unless it has to count the total. The position of a resource is its
// number in alphabetical order, and a segment has 64,000 positions at most (the head of `file-layout.ts` explains all such words). The
// import has fixed this order: `import/fhir/index-entries.ts` gives each resource a `sortKey`, `write/type-builder.ts` appends the id, and
// `write/orders.ts` sorts by these keys.

import type { LRUCache } from 'lru-cache';
import type { SearchOptions, SearchQuery } from '#search-index/snapshot.ts';
import { positionsByDistance } from './distance-order.ts';
import { compacted, NOTHING, sizeOf, take, takeDown } from './doc-id-bitmap.ts';
import { evaluateSegment } from './evaluate-segment.ts';
import {
  everySegment,
  knownTotal,
  type PlannedQuery,
  partsOf,
  planClauses,
  type ResourceSet,
  type SearchSpace,
} from './query-plan.ts';
import { boundsOf, type OrderOf, positionsByValue } from './value-order.ts';
import { createYielder, type Yielder } from './yield-event-loop.ts';

interface FoundPositions {
  /**
   * Positions of the matches, in the order of the search. If the query has `before`, they are in reverse order, so the last match of the
   * page comes first.
   */
  positions: number[];
  total?: number;
}

/**
 * Maximum number of parts of posting lists that are read to count the total, if the query asks for the total with `unless-costly`. A list
 * has one part for each segment. If counting needs more parts, the total is left out. Reading this many takes some five milliseconds.
 */
const PARTS_FOR_TOTAL = 1000;

/** The part of a query that can be evaluated without reading resources. */
export type EvaluatedQuery = Omit<SearchQuery, 'type' | 'exactly' | 'within'>;

/** The data of one resource type that `evaluateQuery` needs. With `orderOf`, the results can be sorted in each of the orders (`Order`). */
export interface OrderedSpace extends SearchSpace {
  /** Remembered totals of searches for a single prefix, by the keys that `beginningOf` makes. */
  totals: LRUCache<string, number>;
  orderOf: OrderOf;
}

/**
 * Finds the positions of up to `limit` matches, in the order that the query asks for: the first ones after `after`, or the last ones before
 * `before`. If `total` asks for it, counts all matches exactly. Throws if a clause matches a field in a way for which the field is not
 * indexed.
 */
export async function evaluateQuery(
  space: OrderedSpace,
  query: EvaluatedQuery,
  { abandoned }: SearchOptions,
): Promise<FoundPositions> {
  const { order, limit, after, before, clauses } = query;
  const yielder = createYielder(abandoned);
  const down = (order?.descending ?? false) !== (before !== undefined);
  const asked = { space, limit, down, from: after ?? before, yielder };
  if (order?.by === 'distance') {
    // `positionsByDistance` evaluates the circle itself, so only the other clauses need plans.
    const others = clauses.filter(({ match }) => match !== 'near');
    const plans = await planClauses(space, others, yielder);
    const { positions, total } = await positionsByDistance({ ...asked, plans, distance: query.instant, clauses });
    return query.total === false ? { positions } : { positions, total };
  }
  // Each plan has the segments in which it can match and an upper bound of its matches. Some also have the exact number.
  const plans = await planClauses(space, clauses, yielder);
  const beginning = query.total === false ? undefined : beginningOf(clauses);
  const counted = beginning === undefined ? undefined : space.totals.get(beginning);
  const known = query.total === false ? undefined : (counted ?? knownTotal(plans, space.segmentStarts.at(-1) ?? 0));
  const counting =
    known === undefined && (query.total === true || (query.total !== false && partsOf(plans) <= PARTS_FOR_TOTAL));
  const planned = { ...asked, plans, counting };
  const { positions, total } = await inOrder();
  if (!counting) return known === undefined ? { positions } : { positions, total: known };
  if (beginning !== undefined) space.totals.set(beginning, total);
  return { positions, total };

  function inOrder() {
    if (order?.by !== 'field' && order?.by !== 'updated') return positionsByAlphabet(planned);
    const field = space.fieldOf(order.by === 'field' ? order.field : '_lastUpdated');
    const orderOf = (segment: number) => space.orderOf(field, segment);
    if (order.by === 'updated')
      return positionsByValue({ ...planned, orderOf, bounds: boundsOf(clauses), value: query.instant });
    return positionsByValue({ ...planned, orderOf, value: undefined, valueless: query.valueless ?? false });
  }
}

/** Finds the resources that match every clause. There must be at least one clause. */
export async function everyMatch(
  space: SearchSpace,
  clauses: SearchQuery['clauses'],
  yielder: Yielder,
): Promise<ResourceSet> {
  const plans = await planClauses(space, clauses, yielder);
  return everySegment(space, yielder, (segment) => compacted(evaluateSegment(space, plans, segment) ?? NOTHING));
}

/**
 * Returns the key under which the total of a search with a single prefix and no other criterion is remembered; undefined for any other
 * search. These totals are remembered because people type the same prefixes again and again.
 */
function beginningOf([clause, ...others]: SearchQuery['clauses']): string | undefined {
  if (clause?.match !== 'words' || others.length > 0) return undefined;
  const [words, ...alternatives] = clause.anyOf;
  const [word, ...more] = words ?? [];
  if (word === undefined || more.length + alternatives.length > 0) return undefined;
  return [clause.field, word.prefix ?? '', ...word.whole, '+', ...(word.joined ?? [])].join(' ');
}

/**
 * Finds the positions of up to `limit` matches in alphabetical order, or in reverse order if `down` is true. If `counting` is true, counts
 * all matches.
 */
async function positionsByAlphabet({ space, plans, limit, down, from, counting, yielder }: PlannedQuery) {
  const { segmentStarts } = space;
  const { low, high } = rangeBehind(from, down, segmentStarts.at(-1) ?? 0);
  // Without a clause, every resource matches. `evaluateQuery` then knows the total, so nothing is counted here.
  if (plans.length === 0) return { positions: numbersIn(low, high, limit, down), total: 0 };
  const segments = [...segmentStarts.keys()].slice(0, -1);
  const positions: number[] = [];
  let total = 0;
  for (const segment of down ? segments.reverse() : segments) {
    const left = limit - positions.length;
    if (left <= 0 && !counting) break;
    const first = segmentStarts[segment] as number;
    const start = Math.max(first, low);
    const end = Math.min(segmentStarts[segment + 1] as number, high);
    const wanted = left > 0 && start < end;
    const members = wanted || counting ? evaluateSegment(space, plans, segment) : undefined;
    if (members === undefined) continue;
    if (counting) total += sizeOf(members);
    if (wanted) {
      const taken = down ? takeDown(members, end - first, left) : take(members, start - first, left);
      for (const member of taken) positions.push(first + member);
    }
    if (yielder.due()) await yielder.yield();
  }
  return { positions, total };
}

/**
 * Returns the range of positions that come after `from` in the order of the page: from `low` up to, but without, `high`. `from` may be more
 * than `count`, the number of resources.
 */
function rangeBehind(from: number | undefined, down: boolean, count: number): { low: number; high: number } {
  if (from === undefined) return { low: 0, high: count };
  return down ? { low: 0, high: Math.min(from, count) } : { low: from + 1, high: count };
}

/**
 * Returns at most `limit` of the numbers from `start` up to, but without, `end`: the first ones, or, if `down` is true, the last ones in
 * descending order.
 */
function numbersIn(start: number, end: number, limit: number, down: boolean): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < Math.min(limit, end - start); at++) numbers.push(down ? end - 1 - at : start + at);
  return numbers;
}
