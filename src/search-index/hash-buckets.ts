// The index of keys that hardly any two resources share: identifiers, mail addresses, references, ids. An entry has a 64-bit hash and a doc
// id. Entries are stored in buckets, and the first bits of a hash choose its bucket.

import { NO_DOC_ID } from './file-layout.ts';

/** A local copy of `Math.imul`. Looking up the global at each call takes longer than the multiplication. */
const { imul } = Math;

/**
 * Writes a 64-bit hash of the key's UTF-16 code units into `hash`: first the high half, then the low half. The function creates no object,
 * because an import calls it some ten million times. The mixing is that of cyrb53 (public domain).
 * @param from index of the first unit that is hashed (`hashedFrom`)
 */
export function hashKey(key: string, hash: Uint32Array, from = 0): void {
  let a = 0xdeadbeef ^ (key.length - from);
  let b = 0x41c6ce57 ^ (key.length - from);
  for (let index = from; index < key.length; index++) {
    const unit = key.charCodeAt(index);
    a = imul(a ^ unit, 2654435761);
    b = imul(b ^ unit, 1597334677);
  }
  a = imul(a ^ (a >>> 16), 2246822507) ^ imul(b ^ (b >>> 13), 3266489909);
  b = imul(b ^ (b >>> 16), 2246822507) ^ imul(a ^ (a >>> 13), 3266489909);
  hash[0] = b;
  hash[1] = a;
}

/**
 * The index of the first unit of a key that is hashed. For a reference `Type/id` only the id is hashed, so that the reference has the same
 * hash as the id.
 */
export function hashedFrom(key: string, target: string | undefined): number {
  return target !== undefined && key.startsWith(target) && key[target.length] === '/' ? target.length + 1 : 0;
}

/** Maximum number of entries that a key has in its bucket. A key with more entries gets a posting list. */
const LONG_GROUP = 64;
const ENTRIES_PER_BUCKET = 64;

interface HashBucketSink {
  bucket(bucket: number, entries: Uint32Array): void;
  /** Takes the doc ids of a key that more than `LONG_GROUP` resources have. */
  longList(high: number, low: number, docIds: Uint32Array): void;
}

/** Number of bits of a hash that choose its bucket, in a field with this many entries. They are the highest bits of the high half. */
function bucketBits(entries: number): number {
  return Math.min(24, Math.max(0, Math.ceil(Math.log2(entries / ENTRIES_PER_BUCKET))));
}

/** The bucket of a hash. */
export function bucketOf(high: number, bits: number): number {
  return bits === 0 ? 0 : high >>> (32 - bits);
}

/**
 * Stores all entries of a field.
 * @param spill three numbers for each entry: the high half of the hash, the low half, and the ordinal
 * @param docIdOf doc ids by ordinal
 * @returns the number of bits of a hash by which the reader must choose the bucket
 */
export function buildHashBuckets(spill: Uint32Array, docIdOf: Uint32Array, sink: HashBucketSink): number {
  const count = spill.length / 3;
  const bits = bucketBits(count);
  const ends = new Uint32Array(2 ** bits + 1);
  for (let at = 0; at < spill.length; at += 3) (ends[bucketOf(spill[at] as number, bits) + 1] as number)++;
  for (let bucket = 0; bucket < 2 ** bits; bucket++) (ends[bucket + 1] as number) += ends[bucket] as number;
  const starts = ends.slice();
  const placed = new Uint32Array(count);
  for (let at = 0, entry = 0; at < spill.length; at += 3, entry++) {
    const bucket = bucketOf(spill[at] as number, bits);
    placed[ends[bucket] as number] = entry;
    (ends[bucket] as number)++;
  }
  const compare = (a: number, b: number) =>
    (spill[a * 3] as number) - (spill[b * 3] as number) ||
    (spill[a * 3 + 1] as number) - (spill[b * 3 + 1] as number) ||
    (docIdOf[spill[a * 3 + 2] as number] as number) - (docIdOf[spill[b * 3 + 2] as number] as number);
  for (let bucket = 0; bucket < 2 ** bits; bucket++) {
    const entries = placed.subarray(starts[bucket], ends[bucket]).sort(compare);
    if (entries.length > 0) sink.bucket(bucket, bucketEntries(entries, spill, docIdOf, sink));
  }
  return bits;
}

function bucketEntries(entries: Uint32Array, spill: Uint32Array, docIdOf: Uint32Array, sink: HashBucketSink) {
  const row = new Uint32Array(entries.length * 3);
  let used = 0;
  for (let start = 0; start < entries.length; ) {
    const high = spill[(entries[start] as number) * 3] as number;
    const low = spill[(entries[start] as number) * 3 + 1] as number;
    const docIds: number[] = [];
    let end = start;
    for (; end < entries.length; end++) {
      const at = (entries[end] as number) * 3;
      if (spill[at] !== high || spill[at + 1] !== low) break;
      const docId = docIdOf[spill[at + 2] as number] as number;
      if (docIds.at(-1) !== docId) docIds.push(docId);
    }
    if (docIds.length > LONG_GROUP) sink.longList(high, low, Uint32Array.from(docIds));
    for (const docId of docIds.length > LONG_GROUP ? [NO_DOC_ID] : docIds) {
      row[used++] = high;
      row[used++] = low;
      row[used++] = docId;
    }
    start = end;
  }
  return row.subarray(0, used);
}

/** Finds the doc ids of a hash in the row of its bucket. Returns undefined if they are in a posting list instead. */
export function docIdsIn(entries: Uint32Array, high: number, low: number): number[] | undefined {
  const docIds: number[] = [];
  for (let at = 0; at < entries.length; at += 3) {
    if (entries[at] !== high || entries[at + 1] !== low) continue;
    const docId = entries[at + 2] as number;
    if (docId === NO_DOC_ID) return undefined;
    docIds.push(docId);
  }
  return docIds;
}

/** All doc ids in the row of a bucket. */
export function everyDocIdIn(entries: Uint32Array): number[] {
  const docIds: number[] = [];
  for (let at = 2; at < entries.length; at += 3) {
    if (entries[at] !== NO_DOC_ID) docIds.push(entries[at] as number);
  }
  return docIds;
}
