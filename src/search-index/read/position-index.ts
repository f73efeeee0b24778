// The index of geographic positions: builds its rows, and finds the resources in circles.
//
// Each segment has its positions in the order of their latitude. A circle needs only the positions between its northern and southern edge.
// For each of these positions, the chord through the earth to the centre of the circle is compared with the chord that belongs to the
// radius. A chord takes three multiplications, and needs no special case at the poles or at the antimeridian.

import type BetterSqlite3 from 'better-sqlite3';
import { BITMAP_WORDS, blobOf, bufferOf } from '#search-index/file-layout.ts';
import { firstFrom } from '#search-index/last-updated-index.ts';
import { type Circle, EARTH_RADIUS, MICRO, metresBetween, type Position, RADIANS } from '#search-index/positions.ts';
import { addDocIds, type DocIdSet, isEmpty } from './doc-id-bitmap.ts';
import { cachedBySegment } from './segment-cache.ts';

/** The positions of one segment, in the order of their latitude. */
export interface SegmentPositions {
  /** Millionths of degrees, rising. */
  latitudes: Int32Array;
  longitudes: Int32Array;
  /** For each position, the doc id of its resource. */
  members: Uint16Array;
  /** For each position, the unit vector from the centre of the earth, as three numbers. */
  vectors: Float64Array;
  /** For each doc id with several positions, the indexes of these positions. */
  several: ReadonlyMap<number, readonly number[]>;
}

/**
 * Stores the geographic positions of one resource type.
 * @param spill latitude, longitude and ordinal of each position; degrees are in millionths, and negative ones are stored as unsigned 32-bit
 * numbers
 * @param docIdOf doc ids by ordinal
 */
export function storePositions(
  database: BetterSqlite3.Database,
  field: number,
  spill: Uint32Array,
  docIdOf: Uint32Array,
): void {
  const insert = database.prepare(
    'insert into position (field, segment, latitudes, longitudes, members) values (?, ?, ?, ?, ?)',
  );
  const all = Array.from({ length: spill.length / 3 }, (_, at) => {
    const [latitude, longitude, ordinal] = spill.subarray(at * 3) as unknown as [number, number, number];
    const docId = docIdOf[ordinal] as number;
    return [latitude | 0, longitude | 0, docId & 0xffff, docId >>> 16] as const;
  });
  all.sort((a, b) => a[3] - b[3] || a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  for (const [segment, found] of Map.groupBy(all, ([, , , segment]) => segment)) {
    const latitudes = Int32Array.from(found, ([latitude]) => latitude);
    const longitudes = Int32Array.from(found, ([, longitude]) => longitude);
    const members = Uint16Array.from(found, ([, , member]) => member);
    insert.run(field, segment, blobOf(latitudes), blobOf(longitudes), blobOf(members));
  }
}

export type PositionsOf = (field: number, segment: number) => SegmentPositions;

/** Maximum bytes of positions that are cached. Each position takes 34 bytes, so the positions of 700,000 structures fit. */
const REMEMBERED = 32 * 2 ** 20;

/** Makes the function that reads the positions of a segment. It caches them. */
export function openPositions(database: BetterSqlite3.Database): PositionsOf {
  const row = database.prepare<[number, number], PositionRow>(
    'select latitudes, longitudes, members from position where field = ? and segment = ?',
  );
  return cachedBySegment(REMEMBERED, (field, segment) => readPositions(row.get(field, segment) ?? NOWHERE));
}

type PositionRow = Record<'latitudes' | 'longitudes' | 'members', Uint8Array>;
/** Stands for the missing row of a segment without positions. */
const NOWHERE: PositionRow = { latitudes: new Uint8Array(), longitudes: new Uint8Array(), members: new Uint8Array() };

function readPositions(row: PositionRow): SegmentPositions {
  const latitudes = new Int32Array(bufferOf(row.latitudes));
  const longitudes = new Int32Array(bufferOf(row.longitudes));
  const members = new Uint16Array(bufferOf(row.members));
  const vectors = new Float64Array(members.length * 3);
  const indexes = new Map<number, number[]>();
  const seen = new Uint8Array(65_536);
  for (let index = 0; index < members.length; index++) {
    vectors.set(vectorOf((latitudes[index] as number) / MICRO, (longitudes[index] as number) / MICRO), index * 3);
    const member = members[index] as number;
    if (seen[member]) indexes.set(member, []);
    seen[member] = 1;
  }
  if (indexes.size > 0) for (const [index, member] of members.entries()) indexes.get(member)?.push(index);
  return { latitudes, longitudes, members, vectors, several: indexes };
}

function vectorOf(latitude: number, longitude: number): [number, number, number] {
  const [north, east] = [latitude * RADIANS, longitude * RADIANS];
  return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
}

export function positionAt({ latitudes, longitudes }: SegmentPositions, index: number): Position {
  return { latitude: (latitudes[index] as number) / MICRO, longitude: (longitudes[index] as number) / MICRO };
}

/** Maximum relative and absolute error of the computed square of a chord, with a wide margin. */
const [CLOSE, TINY] = [1e-9, 1e-15];

/**
 * Returns bounds for the square of the chord between two places that are `metres` apart, on the unit sphere. The computed square of a chord
 * may have a rounding error. If it is less than `below`, the places are nearer than `metres`; if it is more than `above`, they are farther
 * apart. Between the bounds, only the exact distance decides.
 */
export function chordOf(metres: number): { below: number; above: number } {
  const half = Math.sin(Math.min(Math.PI, Math.max(0, metres) / EARTH_RADIUS) / 2);
  const square = 4 * half * half;
  return { below: square * (1 - CLOSE) - TINY, above: square * (1 + CLOSE) + TINY };
}

/** The positions in a circle. The arrays are used again when the next segment is scanned. */
interface FoundPositions {
  count: number;
  indexes: Uint32Array;
  /** Square of the chord from the centre of the circle to each position, on the unit sphere. */
  chords: Float64Array;
}

/** Makes a function that finds the positions in a circle, one segment at a time. */
export function createCircleScan() {
  let indexes = new Uint32Array(0);
  let chords = new Float64Array(0);
  return (positions: SegmentPositions, circle: Circle): FoundPositions => {
    const { latitudes, vectors } = positions;
    if (indexes.length < latitudes.length) {
      indexes = new Uint32Array(latitudes.length);
      chords = new Float64Array(latitudes.length);
    }
    const [x, y, z] = vectorOf(circle.latitude, circle.longitude);
    const { below, above } = chordOf(circle.metres);
    const reach = circle.metres / EARTH_RADIUS / RADIANS;
    const from = firstFrom(latitudes, (circle.latitude - reach) * MICRO - 1);
    const end = firstFrom(latitudes, (circle.latitude + reach) * MICRO + 1);
    let count = 0;
    for (let index = from; index < end; index++) {
      const dx = (vectors[index * 3] as number) - x;
      const dy = (vectors[index * 3 + 1] as number) - y;
      const dz = (vectors[index * 3 + 2] as number) - z;
      const chord = dx * dx + dy * dy + dz * dz;
      if (chord > above) continue;
      if (chord >= below && metresBetween(circle, positionAt(positions, index)) > circle.metres) continue;
      indexes[count] = index;
      chords[count++] = chord;
    }
    return { count, indexes, chords };
  };
}

/**
 * Returns the members of a segment that have a position in any of the circles. If no circles are given, returns all members that have a
 * position.
 */
export function membersWithin(
  positions: SegmentPositions,
  scan: ReturnType<typeof createCircleScan>,
  circles?: readonly Circle[],
): DocIdSet {
  const { members } = positions;
  const bits = new Uint32Array(BITMAP_WORDS);
  if (!circles) addDocIds(bits, members);
  for (const circle of circles ?? []) {
    const { count, indexes } = scan(positions, circle);
    for (let at = 0; at < count; at++) {
      const member = members[indexes[at] as number] as number;
      (bits[member >>> 5] as number) |= 1 << (member & 31);
    }
  }
  return isEmpty(bits) ? new Uint16Array(0) : bits;
}
