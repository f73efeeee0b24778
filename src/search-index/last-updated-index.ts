// The index of `meta.lastUpdated`: builds its rows, and looks up ranges of time in them.
//
// A snapshot has as many different instants as there were editions. After years there are thousands, and a range may contain all of them.
// Posting lists for single instants would therefore be too many to unite. Instead, each segment has one row with its doc ids in the order
// of time, and a range is one slice of that row.

import type BetterSqlite3 from 'better-sqlite3';
import { blobOf, bufferOf } from '#search-index/file-layout.ts';
import type { InstantRange } from '#search-index/snapshot.ts';
import { allBut, type BitmapPool, type DocIdSet, docIdSetOf } from './read/doc-id-bitmap.ts';

/**
 * The instants of one segment. Its doc ids are in the order of time. Those with the instant `times[n]` begin at index `ends[n - 1]` (0 for
 * the first instant) and end before index `ends[n]`.
 */
interface SegmentTimes {
  segment: number;
  /** Milliseconds since 1970, rising. */
  times: Float64Array;
  ends: Uint32Array;
}

/**
 * Stores the instants of all resources of a type.
 * @param instantOf for each ordinal, the index of the resource's instant in `instants`
 * @param instants milliseconds since 1970, each value once, in any order
 */
export function storeInstants(
  database: BetterSqlite3.Database,
  field: number,
  { instantOf, instants }: { instantOf: Uint32Array; instants: readonly number[] },
  { order, segmentStarts }: { order: Uint32Array; segmentStarts: Uint32Array },
): void {
  const insert = database.prepare('insert into instant (field, segment, times, ends, members) values (?, ?, ?, ?, ?)');
  const byTime = instants.map((_, number) => number).sort((a, b) => (instants[a] as number) - (instants[b] as number));
  const rankOf = new Uint32Array(instants.length);
  for (const [rank, number] of byTime.entries()) rankOf[number] = rank;
  for (let segment = 0; segment < segmentStarts.length - 1; segment++) {
    const first = segmentStarts[segment] as number;
    const size = (segmentStarts[segment + 1] as number) - first;
    const ranks = new Uint32Array(size);
    const sizes = new Uint32Array(instants.length);
    for (let member = 0; member < size; member++) {
      const rank = rankOf[instantOf[order[first + member] as number] as number] as number;
      ranks[member] = rank;
      (sizes[rank] as number)++;
    }
    const times: number[] = [];
    const ends: number[] = [];
    const next = new Uint32Array(instants.length);
    let end = 0;
    sizes.forEach((count, rank) => {
      next[rank] = end;
      end += count;
      if (count === 0) return;
      times.push(instants[byTime[rank] as number] as number);
      ends.push(end);
    });
    const members = new Uint16Array(size);
    ranks.forEach((rank, member) => {
      members[next[rank] as number] = member;
      (next[rank] as number)++;
    });
    insert.run(field, segment, blobOf(Float64Array.from(times)), blobOf(Uint32Array.from(ends)), blobOf(members));
  }
}

/** A row of the table `instant`, but without the column `members`. */
interface TimesRow {
  segment: number;
  times: Uint8Array;
  ends: Uint8Array;
}

function segmentTimes({ segment, times, ends }: TimesRow): SegmentTimes {
  return { segment, times: new Float64Array(bufferOf(times)), ends: new Uint32Array(bufferOf(ends)) };
}

/** The resources of a segment in the order of a value, such as their instant. */
export interface OrderedSegment {
  /** For each doc id, the number of its value. */
  numbers: Uint16Array | Uint32Array;
  /**
   * The values in rising order; the number of a value is its index. If absent, the numbers themselves are compared, because a number then
   * stands for the same value in all segments.
   */
  values?: Float64Array;
  /** The doc ids in the order of their values. At equal values the order is alphabetical. */
  members: Uint16Array;
}

/** Makes the function that reads a segment in the order of time. */
export function openTimedSegments(
  database: BetterSqlite3.Database,
): (field: number, segment: number) => OrderedSegment {
  const row = database.prepare<[number, number], TimesRow & { members: Uint8Array }>(
    'select segment, times, ends, members from instant where field = ? and segment = ?',
  );
  return (field, segment) => {
    const found = row.get(field, segment);
    const members = new Uint16Array(bufferOf(found?.members));
    const { times, ends } = segmentTimes(found as TimesRow);
    const numbers = new Uint16Array(members.length);
    for (let at = 0, time = 0; at < members.length; at++) {
      while ((ends[time] as number) <= at) time++;
      numbers[members[at] as number] = time;
    }
    return { numbers, values: times, members };
  };
}

/** Makes the function that looks up ranges of time. It returns one list with all resources that have an instant in any of the ranges. */
export function openInstants(database: BetterSqlite3.Database, bitmaps: BitmapPool) {
  const rows = database.prepare<[number], TimesRow>(
    'select segment, times, ends from instant where field = ? order by segment',
  );
  const stretch = database
    .prepare<[number, number, number, number], Uint8Array>(
      'select substr(members, ?, ?) from instant where field = ? and segment = ?',
    )
    .pluck();
  const known = new Map<number, SegmentTimes[]>();
  const segmentsOf = (field: number): SegmentTimes[] => {
    const segments = known.get(field) ?? rows.all(field).map(segmentTimes);
    known.set(field, segments);
    return segments;
  };

  const read = (field: number, segment: number, { from, to }: Stretch): Uint16Array => {
    return new Uint16Array(bufferOf(stretch.get(from * 2 + 1, (to - from) * 2, field, segment)));
  };

  return (field: number, ranges: readonly InstantRange[]) => {
    const wanted = disjoint(ranges);
    const parts = new Map<number, { size: number; covered: number; stretches: Stretch[] }>();
    let docFreq = 0;
    for (const { segment, times, ends } of segmentsOf(field)) {
      for (const { from, to } of wanted) {
        const start = endBefore(times, ends, from);
        const end = endBefore(times, ends, to);
        if (end <= start) continue;
        const part = parts.get(segment) ?? { size: ends.at(-1) ?? 0, covered: 0, stretches: [] };
        parts.set(segment, part);
        part.stretches.push({ from: start, to: end });
        part.covered += end - start;
        docFreq += end - start;
      }
    }
    return {
      docFreq,
      segments: [...parts.keys()],
      part(segment: number): DocIdSet | undefined {
        const part = parts.get(segment);
        if (part === undefined) return undefined;
        const { size, covered, stretches } = part;
        const membersIn = (some: readonly Stretch[]) => some.map((one) => read(field, segment, one));
        // Most resources have the instant of the first edition. If more than half of the resources match, it takes less time to read those
        // that do not match and to invert the set.
        if (covered > size / 2) return allBut(bitmaps, size, membersIn(between(stretches, size)));
        return docIdSetOf(bitmaps, membersIn(stretches));
      },
    };
  };
}

/** A stretch of a segment's doc ids in the order of time: the index of the first one, and the index after the last one. */
interface Stretch {
  from: number;
  to: number;
}

/** Returns the gaps before, between and after the stretches. The stretches must be in rising order. */
function between(stretches: readonly Stretch[], size: number): Stretch[] {
  const starts = [0, ...stretches.map(({ to }) => to)];
  const ends = [...stretches.map(({ from }) => from), size];
  return starts.map((from, at) => ({ from, to: ends[at] as number })).filter(({ from, to }) => from < to);
}

/** Counts the members of a segment that have an instant before the given one. */
function endBefore(times: Float64Array, ends: Uint32Array, instant: number): number {
  return ends[firstFrom(times, instant) - 1] ?? 0;
}

/** Index of the first number that is at least `least`. The numbers must be in rising order. */
export function firstFrom(rising: Float64Array | Int32Array, least: number): number {
  return firstWhere(rising.length, (at) => (rising[at] as number) >= least);
}

/** Returns the first number below `end` for which `holds` is true, or `end`. If it is true for a number, it is true for all later ones. */
export function firstWhere(end: number, holds: (number: number) => boolean): number {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Merges ranges so that they are in rising order and do not overlap. */
function disjoint(ranges: readonly InstantRange[]): { from: number; to: number }[] {
  const sorted = ranges
    .map(({ from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }) => ({ from, to }))
    .filter(({ from, to }) => from < to)
    .sort((a, b) => a.from - b.from);
  const result: { from: number; to: number }[] = [];
  for (const range of sorted) {
    const last = result.at(-1);
    if (last && range.from <= last.to) last.to = Math.max(last.to, range.to);
    else result.push(range);
  }
  return result;
}
