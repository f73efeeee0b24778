// Owns the index of keys that nearly every resource has of its own (identifiers, addresses of mail, references, ids): how
// its rows are built and read. Does not own the hash (`sqlite-layout.ts`).

import { NO_PLACE } from './file-layout.ts';

/** Entries of one key from which they become a posting list. */
const LONG_GROUP = 64;
const ENTRIES_PER_BUCKET = 64;

export interface FingerprintSink {
  bucket(bucket: number, entries: Uint32Array): void;
  /** Takes the places of a key that many resources have. */
  longList(high: number, low: number, places: Uint32Array): void;
}

/** Bits of the high half that choose the bucket, for so many entries. */
export function bucketBits(entries: number): number {
  return Math.min(24, Math.max(0, Math.ceil(Math.log2(entries / ENTRIES_PER_BUCKET))));
}

/** Bucket of a fingerprint. */
export function bucketOf(high: number, bits: number): number {
  return bits === 0 ? 0 : high >>> (32 - bits);
}

/**
 * Stores all entries of a field.
 * @param spool (high, low, ordinal) for each entry
 * @param placeOf by ordinal
 * @returns the bits that the reader must use
 */
export function buildFingerprints(spool: Uint32Array, placeOf: Uint32Array, sink: FingerprintSink): number {
  const count = spool.length / 3;
  const bits = bucketBits(count);
  const ends = new Uint32Array(2 ** bits + 1);
  for (let at = 0; at < spool.length; at += 3) (ends[bucketOf(spool[at] as number, bits) + 1] as number)++;
  for (let bucket = 0; bucket < 2 ** bits; bucket++) (ends[bucket + 1] as number) += ends[bucket] as number;
  const starts = ends.slice();
  const placed = new Uint32Array(count);
  for (let at = 0, entry = 0; at < spool.length; at += 3, entry++) {
    const bucket = bucketOf(spool[at] as number, bits);
    placed[ends[bucket] as number] = entry;
    (ends[bucket] as number)++;
  }
  const compare = (a: number, b: number) =>
    (spool[a * 3] as number) - (spool[b * 3] as number) ||
    (spool[a * 3 + 1] as number) - (spool[b * 3 + 1] as number) ||
    (placeOf[spool[a * 3 + 2] as number] as number) - (placeOf[spool[b * 3 + 2] as number] as number);
  for (let bucket = 0; bucket < 2 ** bits; bucket++) {
    const entries = placed.subarray(starts[bucket], ends[bucket]).sort(compare);
    if (entries.length > 0) sink.bucket(bucket, bucketEntries(entries, spool, placeOf, sink));
  }
  return bits;
}

function bucketEntries(entries: Uint32Array, spool: Uint32Array, placeOf: Uint32Array, sink: FingerprintSink) {
  const row = new Uint32Array(entries.length * 3);
  let used = 0;
  for (let start = 0; start < entries.length; ) {
    const high = spool[(entries[start] as number) * 3] as number;
    const low = spool[(entries[start] as number) * 3 + 1] as number;
    const places: number[] = [];
    let end = start;
    for (; end < entries.length; end++) {
      const at = (entries[end] as number) * 3;
      if (spool[at] !== high || spool[at + 1] !== low) break;
      const place = placeOf[spool[at + 2] as number] as number;
      if (places.at(-1) !== place) places.push(place);
    }
    if (places.length > LONG_GROUP) sink.longList(high, low, Uint32Array.from(places));
    for (const place of places.length > LONG_GROUP ? [NO_PLACE] : places) {
      row[used++] = high;
      row[used++] = low;
      row[used++] = place;
    }
    start = end;
  }
  return row.subarray(0, used);
}

/** The places under a fingerprint within its bucket's row; `undefined` when they stand in a posting list. */
export function placesIn(entries: Uint32Array, high: number, low: number): number[] | undefined {
  const places: number[] = [];
  for (let at = 0; at < entries.length; at += 3) {
    if (entries[at] !== high || entries[at + 1] !== low) continue;
    const place = entries[at + 2] as number;
    if (place === NO_PLACE) return undefined;
    places.push(place);
  }
  return places;
}

/** The places of a bucket's row. */
export function everyPlaceIn(entries: Uint32Array): number[] {
  const places: number[] = [];
  for (let at = 2; at < entries.length; at += 3) {
    if (entries[at] !== NO_PLACE) places.push(entries[at] as number);
  }
  return places;
}
