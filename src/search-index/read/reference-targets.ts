// Reads the targets of references: the resources that they refer to. Follows the references of many resources at once, to their targets or
// back from targets to the resources that refer to them.

import type BetterSqlite3 from 'better-sqlite3';
import { BITMAP_WORDS, bufferOf, NO_DOC_ID } from '#search-index/file-layout.ts';
import { addDocIds, compacted, type DocIdSet } from './doc-id-bitmap.ts';
import { cachedBySegment } from './segment-cache.ts';

/** Number of 32-bit words in a bitmap of the 65,536 possible doc ids of a segment. */
const SEGMENT_WORDS = 2048;

/**
 * Maximum bytes of targets that are cached for one type. In the national edition, each of the two reference fields of PractitionerRole has
 * 9 million bytes, so both fit.
 */
const REMEMBERED = 24 * 2 ** 20;

/**
 * Makes the function that reads, for each resource of a segment, the doc id of the target of its reference. NO_DOC_ID means that the
 * snapshot has no such target.
 */
export function openTargets(database: BetterSqlite3.Database): (field: number, segment: number) => Uint32Array {
  const row = database
    .prepare<[number, number], Uint8Array>('select targets from reference_target where field = ? and segment = ?')
    .pluck();
  return cachedBySegment(REMEMBERED, (field, segment) => new Uint32Array(bufferOf(row.get(field, segment))));
}

/** The doc ids of all segments of a type, as one bitmap. */
type DocIdBitmap = Uint32Array;

export function emptyBitmap(segments: number): DocIdBitmap {
  return new Uint32Array(Math.max(0, segments) * SEGMENT_WORDS);
}

/** Makes a bitmap of the members of all segments. */
export function bitmapOfSegments(segments: readonly DocIdSet[]): DocIdBitmap {
  const bits = emptyBitmap(segments.length);
  for (const [segment, members] of segments.entries()) addDocIds(wordsOf(bits, segment), members);
  return bits;
}

/** Splits a bitmap into the members of each segment. */
export function segmentsOf(bits: DocIdBitmap): DocIdSet[] {
  return Array.from({ length: bits.length / SEGMENT_WORDS }, (_, segment) => compacted(wordsOf(bits, segment)));
}

function wordsOf(bits: DocIdBitmap, segment: number): Uint32Array {
  const start = segment * SEGMENT_WORDS;
  return bits.subarray(start, start + BITMAP_WORDS);
}

/** Finds the resources of a segment that refer to one of the wanted doc ids. */
export function sourcesIn(targets: Uint32Array, wanted: DocIdBitmap): DocIdSet {
  const bits = new Uint32Array(BITMAP_WORDS);
  // The 32 bits of a word are collected and stored at once, which takes half the time of storing each bit.
  for (let first = 0; first < targets.length; first += 32) {
    const end = Math.min(32, targets.length - first);
    let word = 0;
    for (let bit = 0; bit < end; bit++) {
      const docId = targets[first + bit] as number;
      if (docId !== NO_DOC_ID) word |= (((wanted[docId >>> 5] as number) >>> (docId & 31)) & 1) << bit;
    }
    bits[first >>> 5] = word;
  }
  return compacted(bits);
}

/** Adds the targets of some members of a segment to `bits`. */
export function addTargets(bits: DocIdBitmap, targets: Uint32Array, members: DocIdSet): void {
  const add = (member: number) => {
    const docId = targets[member] as number;
    if (docId !== NO_DOC_ID) (bits[docId >>> 5] as number) |= 1 << (docId & 31);
  };
  if (members instanceof Uint16Array) {
    for (let index = 0; index < members.length; index++) add(members[index] as number);
    return;
  }
  for (let index = 0; index < members.length; index++)
    for (let word = members[index] as number; word !== 0; word &= word - 1)
      add(index * 32 + 31 - Math.clz32(word & -word));
}
