// Owns the walk through matches in the order of their instants (`meta.lastUpdated`) and, within one instant, of the
// alphabet. Does not own the rows in that order (`sqlite-instants.ts`) nor which members match (`sqlite-plans.ts`).
//
// Each chunk has its members in the order of time already: of each, no more is walked through than a page can need, and
// the pieces are merged. Whatever is sought, a page costs a few milliseconds at two million people.

import type { Clause, InstantRange } from '../snapshot.ts';
import { asBitmap, sizeOf } from './doc-id-bitmap.ts';
import { endBefore, type TimedChunk } from './instant-index.ts';
import { evaluate, type Walk } from './query-plan.ts';

export type TimesOf = (chunk: number) => TimedChunk;

interface TimedWalk extends Walk {
  timesOf: TimesOf;
  clauses: readonly Clause[];
  /** Of the position `from`. */
  instant: number | undefined;
}

interface Timed {
  instant: number;
  position: number;
}

/** Up to `limit` positions, and the number of all matches when counting. */
export async function positionsByInstant(walk: TimedWalk): Promise<{ positions: number[]; total: number }> {
  const { space, plans, limit, down, from, counting, turns, timesOf, instant } = walk;
  const { chunkStarts } = space;
  if (from !== undefined && instant === undefined) throw new Error('a place in the order of instants has an instant');
  const cursor = from === undefined ? undefined : { instant: instant as number, position: from };
  const bounds = boundsOf(walk.clauses);
  const compare = (a: Timed, b: Timed) =>
    down ? b.instant - a.instant || b.position - a.position : a.instant - b.instant || a.position - b.position;
  let found: Timed[] = [];
  let total = 0;
  for (let chunk = 0; chunk < chunkStarts.length - 1; chunk++) {
    if (!plans.every((plan) => plan.chunks[chunk])) continue;
    const members = plans.length === 0 ? undefined : evaluate(space, plans, chunk);
    if (plans.length > 0 && members === undefined) continue;
    const start = chunkStarts[chunk] as number;
    if (counting && members) total += sizeOf(members);
    const worst = found.length === limit ? found.at(-1) : undefined;
    const more: Timed[] = [];
    const bits = members && asBitmap(members);
    for (const one of timed(timesOf(chunk), start, down, bounds, cursor)) {
      const member = one.position - start;
      if (bits && !(((bits[member >>> 5] as number) >>> (member & 31)) & 1)) continue;
      if (cursor && compare(one, cursor) <= 0) continue;
      if (more.length === limit || (worst && compare(one, worst) >= 0)) break;
      more.push(one);
    }
    if (more.length > 0) found = [...found, ...more].sort(compare).slice(0, limit);
    if (turns.over()) await turns.next();
  }
  return { positions: found.map(({ position }) => position), total };
}

/** The resources of a chunk by instant, as far as bounds and cursor let any of them matter. */
function* timed(
  { times, ends, members }: TimedChunk,
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

/** Instants outside of which nothing can match. */
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
