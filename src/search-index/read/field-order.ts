// Finds a page of matches in the order of a field, and at one value in alphabetical order.
//
// The file has the doc ids in this order. Many matches are found by a walk along it, as far as the page needs. Few are far apart there, so
// all of them are compared instead, by the numbers of their values.

import type BetterSqlite3 from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { BITMAP_WORDS, bufferOf, NO_VALUE } from '#search-index/file-layout.ts';
import { addDocIds, type DocIdSet, NOTHING, sizeOf } from './doc-id-bitmap.ts';
import { everySegment } from './evaluate-segment.ts';
import type { PlannedQuery } from './query-plan.ts';

/** Part of an order that is cut like the segments. */
interface OrderPart {
  /** The number of the value of each resource of the segment. */
  numbers: Uint16Array | Uint32Array;
  /** The doc ids whose ranks in the order are the positions of the segment. */
  members: Uint32Array;
}

export type OrderOf = (field: number, segment: number) => OrderPart;

/** Bytes of orders that are cached for one type: two of the national edition. */
const REMEMBERED = 24 * 2 ** 20;

/** @param targetsOf the numbers of references, see `openTargets` */
export function openFieldOrders(
  database: BetterSqlite3.Database,
  targetsOf: (field: number, segment: number) => Uint32Array,
): OrderOf {
  const row = database.prepare<[number, number], { numbers: Uint8Array | null; members: Uint8Array }>(
    'select numbers, members from field_order where field = ? and segment = ?',
  );
  const remembered = new LRUCache<number, OrderPart>({
    maxSize: REMEMBERED,
    sizeCalculation: ({ numbers, members }) => numbers.byteLength + members.byteLength,
  });
  return (field, segment) => {
    const key = field * 65_536 + segment;
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const found = row.get(field, segment);
    const members = new Uint32Array(bufferOf(found?.members));
    const part = { numbers: numbersIn(found?.numbers, members.length) ?? targetsOf(field, segment), members };
    remembered.set(key, part);
    return part;
  };
}

function numbersIn(bytes: Uint8Array | null | undefined, size: number): Uint16Array | Uint32Array | undefined {
  if (!bytes) return undefined;
  return bytes.byteLength === size * 2 ? new Uint16Array(bufferOf(bytes)) : new Uint32Array(bufferOf(bytes));
}

interface FieldOrderQuery extends PlannedQuery {
  orderOf(segment: number): OrderPart;
  /** True if the resource at `from` counts as one without a value, whatever the file says. */
  valueless: boolean;
}

interface Placed {
  number: number;
  docId: number;
}

/** Up to `limit` positions, and the number of all matches. */
export async function positionsByField(query: FieldOrderQuery): Promise<{ positions: number[]; total: number }> {
  const { space, plans, limit, yielder } = query;
  const starts = space.segmentStarts;
  const all = starts.at(-1) ?? 0;
  const found = plans.length === 0 ? undefined : await everySegment(space, plans, yielder);
  const total = found ? found.reduce((sum, members) => sum + sizeOf(members), 0) : all;
  if (limit === 0 || total === 0) return { positions: [], total };
  // A walk takes a step for each resource, matching or not. Matches may stand together at its far end, so it has a limit.
  const isWalked = !found || total * total > all * limit;
  const docIds = (isWalked && (await walk(query, found, total))) || (await least(query, found ?? []));
  return { positions: docIds.map((docId) => (starts[docId >>> 16] as number) + (docId & 0xffff)), total };
}

/** The first matches behind the cursor; undefined if they are not found within so many steps. */
async function walk(
  query: FieldOrderQuery,
  found: readonly DocIdSet[] | undefined,
  steps: number,
): Promise<number[] | undefined> {
  const { space, limit, down, orderOf, yielder } = query;
  const starts = space.segmentStarts;
  const bitmaps: (Uint32Array | undefined)[] = [];
  const bitmapOf = (segment: number): Uint32Array => {
    bitmaps[segment] ??= new Uint32Array(BITMAP_WORDS);
    addDocIds(bitmaps[segment], found?.[segment] ?? NOTHING);
    return bitmaps[segment];
  };
  const docIds: number[] = [];
  let rank = firstRank(query);
  for (let left = found ? steps : Number.POSITIVE_INFINITY; rank >= 0 && rank < (starts.at(-1) ?? 0); ) {
    const part = segmentAt(starts, rank);
    const { members } = orderOf(part);
    const start = starts[part] as number;
    for (; rank >= start && rank < start + members.length; rank += down ? -1 : 1) {
      const docId = members[rank - start] as number;
      if (found) {
        if (left-- === 0) return undefined;
        const bits = bitmaps[docId >>> 16] ?? bitmapOf(docId >>> 16);
        if (!(((bits[(docId & 0xffff) >>> 5] as number) >>> (docId & 31)) & 1)) continue;
      }
      docIds.push(docId);
      if (docIds.length === limit) return docIds;
    }
    if (yielder.due()) await yielder.yield();
  }
  return docIds;
}

/** The first rank behind the cursor. */
function firstRank(query: FieldOrderQuery): number {
  const { space, down, orderOf } = query;
  const starts = space.segmentStarts;
  const cursor = cursorOf(query);
  let low = 0;
  let high = starts.at(-1) ?? 0;
  if (!cursor) return down ? high - 1 : 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const part = segmentAt(starts, middle);
    const docId = orderOf(part).members[middle - (starts[part] as number)] as number;
    const order = compare({ docId, number: numberOf(query, docId) }, cursor);
    if (order < 0 || (order === 0 && !down)) low = middle + 1;
    else high = middle;
  }
  return down ? low - 1 : low;
}

/** The first matches behind the cursor, of all that there are. */
async function least(query: FieldOrderQuery, found: readonly DocIdSet[]): Promise<number[]> {
  const { limit, down, orderOf, yielder } = query;
  const sign = down ? -1 : 1;
  const cursor = cursorOf(query);
  let kept: Placed[] = [];
  let worst: Placed | undefined;
  const cut = () => {
    kept = kept.sort((a, b) => sign * compare(a, b)).slice(0, limit);
    worst = kept.length === limit ? kept.at(-1) : undefined;
  };
  for (const [segment, members] of found.entries()) {
    if (members.length === 0) continue;
    const { numbers } = orderOf(segment);
    eachMember(members, (member) => {
      const number = numbers[member] as number;
      if (worst && sign * (number - worst.number) > 0) return;
      const placed = { number, docId: segment * 65_536 + member };
      if (cursor && sign * compare(placed, cursor) <= 0) return;
      if (kept.push(placed) >= 2 * limit) cut();
    });
    if (yielder.due()) await yielder.yield();
  }
  cut();
  return kept.map(({ docId }) => docId);
}

function cursorOf(query: FieldOrderQuery): Placed | undefined {
  const { from, space, orderOf, valueless } = query;
  if (from === undefined) return undefined;
  const segment = segmentAt(space.segmentStarts, from);
  const docId = segment * 65_536 + from - (space.segmentStarts[segment] as number);
  if (!valueless) return { docId, number: numberOf(query, docId) };
  return { docId, number: orderOf(segment).numbers instanceof Uint16Array ? NO_VALUE.narrow : NO_VALUE.wide };
}

function numberOf({ orderOf }: FieldOrderQuery, docId: number): number {
  return orderOf(docId >>> 16).numbers[docId & 0xffff] as number;
}

function compare(a: Placed, b: Placed): number {
  return a.number - b.number || a.docId - b.docId;
}

function eachMember(members: DocIdSet, take: (member: number) => void): void {
  if (members instanceof Uint16Array)
    for (let index = 0; index < members.length; index++) take(members[index] as number);
  else
    for (let index = 0; index < BITMAP_WORDS; index++)
      for (let word = members[index] as number; word !== 0; word &= word - 1)
        take(index * 32 + 31 - Math.clz32(word & -word));
}

/** The segment of a position or a rank. */
export function segmentAt(segmentStarts: Uint32Array, position: number): number {
  let low = 0;
  let high = segmentStarts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((segmentStarts[middle] as number) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}
