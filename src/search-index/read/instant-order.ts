// Scans matches in the order of `meta.lastUpdated` and, within one instant, in alphabetical order.
//
// Each segment already has its doc ids in the order of time. In each, no more is scanned than a page can need, and the results are merged.
// So a page of any search costs a few milliseconds at two million people.

import type { Clause, InstantRange } from '#search-index/snapshot.ts';
import { asBitmap, sizeOf } from './doc-id-bitmap.ts';
import { evaluateSegment } from './evaluate-segment.ts';
import { endBefore, type TimedSegment } from './instant-index.ts';
import type { PlannedQuery } from './query-plan.ts';

export type TimesOf = (segment: number) => TimedSegment;

interface TimedQuery extends PlannedQuery {
  timesOf: TimesOf;
  clauses: readonly Clause[];
  /** The instant of the position `from`. */
  instant: number | undefined;
}

interface Timed {
  instant: number;
  position: number;
}

/** Up to `limit` positions, and the number of all matches when counting. */
export async function positionsByInstant(query: TimedQuery): Promise<{ positions: number[]; total: number }> {
  const { space, plans, limit, down, from, counting, yielder, timesOf, instant } = query;
  const { segmentStarts } = space;
  if (from !== undefined && instant === undefined)
    throw new Error('a position in the order of instants needs an instant');
  const cursor = from === undefined ? undefined : { instant: instant as number, position: from };
  const bounds = boundsOf(query.clauses);
  const compare = (a: Timed, b: Timed) =>
    down ? b.instant - a.instant || b.position - a.position : a.instant - b.instant || a.position - b.position;
  let found: Timed[] = [];
  let total = 0;
  for (let segment = 0; segment < segmentStarts.length - 1; segment++) {
    if (!plans.every((plan) => plan.segments[segment])) continue;
    const members = plans.length === 0 ? undefined : evaluateSegment(space, plans, segment);
    if (plans.length > 0 && members === undefined) continue;
    const start = segmentStarts[segment] as number;
    if (counting && members) total += sizeOf(members);
    const worst = found.length === limit ? found.at(-1) : undefined;
    const more: Timed[] = [];
    const bits = members && asBitmap(space.bitmaps, members);
    for (const one of timed(timesOf(segment), start, down, bounds, cursor)) {
      const member = one.position - start;
      if (bits && !(((bits[member >>> 5] as number) >>> (member & 31)) & 1)) continue;
      if (cursor && compare(one, cursor) <= 0) continue;
      if (more.length === limit || (worst && compare(one, worst) >= 0)) break;
      more.push(one);
    }
    if (more.length > 0) found = [...found, ...more].sort(compare).slice(0, limit);
    if (yielder.due()) await yielder.yield();
  }
  return { positions: found.map(({ position }) => position), total };
}

/** The resources of a segment by instant, as far as bounds and cursor let any of them matter. */
function* timed(
  { times, ends, members }: TimedSegment,
  start: number,
  down: boolean,
  bounds: { from: number; to: number },
  cursor: Timed | undefined,
): Generator<Timed> {
  const least = down || !cursor ? bounds.from : Math.max(bounds.from, cursor.instant);
  const most = down && cursor ? Math.min(bounds.to, cursor.instant + 1) : bounds.to;
  const first = endBefore(times, ends, least);
  const end = endBefore(times, ends, most);
  // Number of the time to which the member at an index belongs.
  let time = 0;
  if (down) {
    time = times.length - 1;
    for (let index = end - 1; index >= first; index--) {
      while (time > 0 && (ends[time - 1] as number) > index) time--;
      yield { instant: times[time] as number, position: start + (members[index] as number) };
    }
    return;
  }
  for (let index = first; index < end; index++) {
    while ((ends[time] as number) <= index) time++;
    yield { instant: times[time] as number, position: start + (members[index] as number) };
  }
}

/** Instants outside which nothing can match. */
function boundsOf(clauses: readonly Clause[]): { from: number; to: number } {
  let from = Number.NEGATIVE_INFINITY;
  let to = Number.POSITIVE_INFINITY;
  const low = ({ from: bound = Number.NEGATIVE_INFINITY }: InstantRange) => bound;
  const high = ({ to: bound = Number.POSITIVE_INFINITY }: InstantRange) => bound;
  for (const clause of clauses) {
    if (clause.match !== 'range') continue;
    from = Math.max(from, Math.min(...clause.anyOf.map(low)));
    to = Math.min(to, Math.max(...clause.anyOf.map(high)));
  }
  return { from, to };
}
