// Finds a page of matches in the order of a value (`meta.lastUpdated`, or a field). At equal values the order is alphabetical.
//
// Each segment has its doc ids stored in the order of the value. If many resources match, the doc ids are visited in this order until the
// page is full. If only a few resources match, most of these steps would find no match, so all matches are sorted instead. Then the results
// of the segments are merged. So a page of any search takes a few milliseconds with two million people.

import type BetterSqlite3 from 'better-sqlite3';
import { bufferOf, NO_VALUE } from '#search-index/file-layout.ts';
import { firstWhere, type OrderedSegment, openTimedSegments } from '#search-index/last-updated-index.ts';
import type { Clause, InstantRange } from '#search-index/snapshot.ts';
import { asBitmap, contains, type DocIdSet, sizeOf, take } from './doc-id-bitmap.ts';
import { evaluateSegment } from './evaluate-segment.ts';
import type { PlannedQuery } from './query-plan.ts';
import { cachedBySegment } from './segment-cache.ts';
import type { OpenField } from './term-dictionary.ts';

export type OrderOf = (field: OpenField, segment: number) => OrderedSegment;

/** Maximum bytes of orders that are cached for one type. Three orders of the national edition fit. */
const REMEMBERED = 40 * 2 ** 20;

/**
 * Makes the function that reads a segment in the order of a value.
 * @param targetsOf reads the targets of references (`openTargets`), because an order by a reference compares the targets
 */
export function openOrders(
  database: BetterSqlite3.Database,
  targetsOf: (field: number, segment: number) => Uint32Array,
): OrderOf {
  const row = database.prepare<[number, number], { numbers: Uint8Array | null; ordered: Uint8Array }>(
    'select numbers, ordered from field_order where field = ? and segment = ?',
  );
  const timed = openTimedSegments(database);
  const fields = (field: number, segment: number): OrderedSegment => {
    const found = row.get(field, segment);
    const members = new Uint16Array(bufferOf(found?.ordered));
    if (!found?.numbers) return { numbers: targetsOf(field, segment), members };
    const numbers = bufferOf(found.numbers);
    const isNarrow = numbers.byteLength === members.byteLength;
    return { numbers: isNarrow ? new Uint16Array(numbers) : new Uint32Array(numbers), members };
  };
  const ofInstants = cachedBySegment(REMEMBERED, timed);
  const ofFields = cachedBySegment(REMEMBERED, fields);
  return ({ kind, number }, segment) => (kind === 'instant' ? ofInstants : ofFields)(number, segment);
}

interface OrderedQuery extends PlannedQuery {
  orderOf(segment: number): OrderedSegment;
  /** Only values from `bounds.from` up to, but without, `bounds.to` can match. */
  bounds?: { from: number; to: number };
  /** The value of the resource at the position `PlannedQuery.from`. If it is undefined, it is read from the file. */
  value: number | undefined;
  /** True if the resource at `PlannedQuery.from` is treated as if it had no value. */
  valueless?: boolean;
}

interface Placed {
  value: number;
  position: number;
}

/** Finds up to `limit` positions in the order of the value. If `counting` is true, counts all matches. */
export async function positionsByValue(query: OrderedQuery): Promise<{ positions: number[]; total: number }> {
  const { space, plans, limit, down, counting, yielder, orderOf, bounds = EVERYTHING } = query;
  const { segmentStarts } = space;
  const sign = down ? -1 : 1;
  const compare = (a: Placed, b: Placed) => sign * (a.value - b.value || a.position - b.position);
  const isBeyond = (value: number) => (down ? value < bounds.from : value >= bounds.to);
  const cursor = cursorOf(query);
  let found: Placed[] = [];
  let total = 0;

  /**
   * Returns the first matches of a segment after the cursor. If the page is full, matches that would come after its last entry may be left
   * out.
   */
  const firstOf = (segment: number, matching: DocIdSet | undefined, few: boolean): Placed[] => {
    const start = segmentStarts[segment] as number;
    const order = orderOf(segment);
    const { members } = order;
    const placed = (member: number): Placed => ({ value: valueIn(order, member), position: start + member });
    const worst = found.length === limit ? found.at(-1) : undefined;
    const isBehind = (one: Placed) => !cursor || compare(one, cursor) > 0;
    if (matching && few) return take(matching, 0, members.length).map(placed).filter(isBehind);
    const at = (step: number) => members[down ? members.length - 1 - step : step] as number;
    const bits = matching && asBitmap(space.bitmaps, matching);
    const isReached = (step: number) => {
      const one = placed(at(step));
      return isBehind(one) && (down ? one.value < bounds.to : one.value >= bounds.from);
    };
    const more: Placed[] = [];
    for (let step = firstWhere(members.length, isReached); step < members.length && more.length < limit; step++) {
      const member = at(step);
      const value = valueIn(order, member);
      if (isBeyond(value) || (worst && sign * (value - worst.value || start + member - worst.position) > 0)) break;
      if (!bits || contains(bits, member)) more.push({ value, position: start + member });
    }
    return more;
  };

  for (let segment = 0; segment < segmentStarts.length - 1; segment++) {
    const matching = plans.length === 0 ? undefined : evaluateSegment(space, plans, segment);
    if (plans.length > 0 && !matching) continue;
    const size = matching ? sizeOf(matching) : 0;
    if (counting) total += size;
    const all = (segmentStarts[segment + 1] as number) - (segmentStarts[segment] as number);
    // Visiting the order takes about `all * limit / size` steps until the page is full, because only some resources match. If fewer
    // resources match than that, sorting them takes less time.
    const more = limit === 0 ? [] : firstOf(segment, matching, size * size <= all * limit);
    if (more.length > 0) found = [...found, ...more].sort(compare).slice(0, limit);
    if (yielder.due()) await yielder.yield();
  }
  return { positions: found.map(({ position }) => position), total };
}

const EVERYTHING = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

function valueIn({ numbers, values }: OrderedSegment, member: number): number {
  const number = numbers[member] as number;
  return values ? (values[number] as number) : number;
}

function cursorOf({ space: { segmentStarts }, from, orderOf, value, valueless }: OrderedQuery): Placed | undefined {
  if (from === undefined) return undefined;
  const segment = segmentAt(segmentStarts, from);
  const order = orderOf(segment);
  const none = order.numbers instanceof Uint16Array ? NO_VALUE.narrow : NO_VALUE.wide;
  const own = valueless ? none : valueIn(order, from - (segmentStarts[segment] as number));
  return { value: value ?? own, position: from };
}

/** Returns the earliest and the latest instant at which a resource can match all clauses. */
export function boundsOf(clauses: readonly Clause[]): { from: number; to: number } {
  let { from, to } = EVERYTHING;
  const low = ({ from: bound = EVERYTHING.from }: InstantRange) => bound;
  const high = ({ to: bound = EVERYTHING.to }: InstantRange) => bound;
  for (const clause of clauses) {
    if (clause.match !== 'range') continue;
    from = Math.max(from, Math.min(...clause.anyOf.map(low)));
    to = Math.min(to, Math.max(...clause.anyOf.map(high)));
  }
  return { from, to };
}

/** Returns the segment that has a position: the first one whose successor starts behind it, or else the last one. */
export function segmentAt(segmentStarts: Uint32Array, position: number): number {
  return firstWhere(segmentStarts.length - 2, (segment) => (segmentStarts[segment + 1] as number) > position);
}
