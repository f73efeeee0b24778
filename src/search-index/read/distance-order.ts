// Finds a page of matches in the order of their distance from the centre of a circle. At equal distances the order is alphabetical.
//
// A chord, which is a straight line through the earth, is cheap to compute. So each position in the circle is first judged by its chord to
// the centre. The exact distance is computed only for a position that may be on the page.

import { millimetresTo, type Position } from '#search-index/positions.ts';
import type { Clause } from '#search-index/snapshot.ts';
import { asBitmap, contains } from './doc-id-bitmap.ts';
import { evaluateSegment } from './evaluate-segment.ts';
import { chordOf, createCircleScan, positionAt, type SegmentPositions } from './position-index.ts';
import type { PlannedQuery } from './query-plan.ts';
import { segmentAt } from './value-order.ts';

/** A query in the order of distance. `clauses` has all its clauses, `plans` the plans of all clauses except the circle. */
interface DistanceQuery extends Omit<PlannedQuery, 'counting'> {
  clauses: readonly Clause[];
  /**
   * The page begins after the resource with the number `from`. This is the distance of that resource from the centre, in millimetres; if it
   * is undefined, the function computes it from the file.
   */
  distance: number | undefined;
}

interface Placed {
  distance: number;
  position: number;
}

/**
 * Returns the circle of the search and its field. Distances are measured from the centre of this circle. Throws unless the search has
 * exactly one circle.
 */
function circleOf(clauses: readonly Clause[]) {
  const near = clauses.filter((clause) => clause.match === 'near');
  const [circle, ...others] = near.flatMap(({ anyOf }) => anyOf);
  if (!circle || others.length > 0) throw new Error('an order by distance needs one circle');
  return { field: near[0]?.field as string, circle };
}

/**
 * Finds up to `limit` resources in the order of their distance, and counts all matches. In the result, a position is the number of a
 * resource in alphabetical order, and not a place on the earth.
 */
export async function positionsByDistance(query: DistanceQuery): Promise<{ positions: number[]; total: number }> {
  const { space, plans, limit, down, from, yielder, distance } = query;
  const { field, circle } = circleOf(query.clauses);
  const { number } = space.fieldOf(field);
  const compare = (a: Placed, b: Placed) =>
    down ? b.distance - a.distance || b.position - a.position : a.distance - b.distance || a.position - b.position;
  const cursor =
    from === undefined ? undefined : { distance: distance ?? distanceOf(query, number, circle), position: from };
  let found: Placed[] = [];
  /** Squares of chords. A match can be on the page only if the square of its chord is between these bounds. */
  let least = 0;
  let most = Number.POSITIVE_INFINITY;
  const narrow = (placed: Placed, isEnd: boolean) => {
    // The distance was rounded to millimetres, so the bounds are moved apart by one millimetre.
    const { below, above } = chordOf((placed.distance + (isEnd === down ? -1 : 1)) / 1000);
    if (isEnd !== down) most = above;
    else least = below;
  };
  const cut = () => {
    found = found.sort(compare).slice(0, limit);
    const worst = found.length === limit ? found.at(-1) : undefined;
    if (worst) narrow(worst, true);
  };
  const keep = (placed: Placed) => {
    if (cursor && compare(placed, cursor) <= 0) return;
    if (found.push(placed) >= 2 * limit) cut();
  };
  if (cursor) narrow(cursor, false);
  const scan = createCircleScan();
  /** Counts the matches of a segment, and keeps those that may be on the page. `bits` has the members that match the other clauses. */
  const countIn = (segment: number, bits: Uint32Array | undefined): number => {
    const positions = space.positionsOf(number, segment);
    const start = space.segmentStarts[segment] as number;
    const { count, indexes, chords } = scan(positions, circle);
    let matches = 0;
    for (let at = 0; at < count; at++) {
      const index = indexes[at] as number;
      const member = positions.members[index] as number;
      if (bits && !contains(bits, member)) continue;
      if (positions.several.size > 0 && !isNearest(positions, circle, index)) continue;
      matches++;
      const chord = chords[at] as number;
      if (limit === 0 || chord < least || chord > most) continue;
      keep({ distance: distanceAt(positions, circle, index), position: start + member });
    }
    return matches;
  };
  let total = 0;
  for (let segment = 0; segment < space.segmentStarts.length - 1; segment++) {
    const members = plans.length === 0 ? undefined : evaluateSegment(space, plans, segment);
    if (plans.length > 0 && members === undefined) continue;
    total += countIn(segment, members && asBitmap(space.bitmaps, members));
    if (yielder.due()) await yielder.yield();
  }
  cut();
  return { positions: found.map(({ position }) => position), total };
}

function distanceAt(positions: SegmentPositions, centre: Position, index: number): number {
  return millimetresTo(centre, [positionAt(positions, index)]);
}

/**
 * Checks whether this position is the nearest one of its resource. Only the nearest one is counted, so that each resource is counted once.
 */
function isNearest(positions: SegmentPositions, centre: Position, index: number): boolean {
  const others = positions.several.get(positions.members[index] as number);
  if (!others) return true;
  const distances = others.map((other) => distanceAt(positions, centre, other));
  return others[distances.indexOf(Math.min(...distances))] === index;
}

/** Computes the distance in millimetres from the centre to the resource with the number `from`. */
function distanceOf({ space, from = 0 }: DistanceQuery, field: number, centre: Position): number {
  const segment = segmentAt(space.segmentStarts, from);
  const positions = space.positionsOf(field, segment);
  const member = from - (space.segmentStarts[segment] as number);
  const indexes = Array.from(positions.members.keys()).filter((index) => positions.members[index] === member);
  const own = indexes.map((index) => positionAt(positions, index));
  return millimetresTo(centre, own);
}
