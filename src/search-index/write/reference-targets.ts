// Stores the target of each reference. It joins the hashes of a reference field with the hashes of the target type's ids. Both are stored
// in the order of the hashes, so one pass is enough.

import type BetterSqlite3 from 'better-sqlite3';
import { BUCKETS_PER_FIELD, blobOf, bufferOf, FIELDS, hashTermKey, NO_DOC_ID } from '#search-index/file-layout.ts';
import { BitmapPool, NOTHING, take } from '#search-index/read/doc-id-bitmap.ts';
import { openTermDictionary, type PostingList } from '#search-index/read/term-dictionary.ts';
import { segmentSizes } from '#search-index/read/type-reader.ts';
import { type ResourceType, SORT_FIELDS } from '#search-index/snapshot.ts';
import { orderSink } from './orders.ts';

/** Stores the targets of all reference fields. The file must already have the rows of every type. */
export function storeReferenceTargets(database: BetterSqlite3.Database): void {
  const insert = database.prepare('insert into reference_target (field, segment, targets) values (?, ?, ?)');
  const buckets = database
    .prepare<[number, number], Uint8Array>('select entries from key_hash where id >= ? and id < ? order by id')
    .pluck();
  const entriesOf = (field: number) => buckets.iterate(field * BUCKETS_PER_FIELD, (field + 1) * BUCKETS_PER_FIELD);
  const terms = openTermDictionary(database, new BitmapPool());
  for (const { number, type, name, target } of FIELDS) {
    if (target === undefined) continue;
    const targets = segmentSizes(database, type).map((size) => new Uint32Array(size).fill(NO_DOC_ID));
    const put = (segment: number, member: number, docId: number) => {
      (targets[segment] as Uint32Array)[member] = docId;
    };
    const ids = allEntries(entriesOf(idField(target)), target);
    joinByHash(entriesOf(number), ids, (entries, entry, docId) => {
      const source = entries[entry + 2] as number;
      if (source !== NO_DOC_ID) {
        put(source >>> 16, source & 0xffff, docId);
        return;
      }
      const key = hashTermKey(entries[entry] as number, entries[entry + 1] as number);
      for (const list of terms.ofStoredKey(number, key))
        eachDocId(list, (segment, member) => put(segment, member, docId));
    });
    const store = SORT_FIELDS[type].includes(name) ? orderSink(database, number, { isStored: false }) : undefined;
    for (const [segment, some] of targets.entries()) {
      insert.run(number, segment, blobOf(some));
      store?.(segment, some);
    }
  }
}

/**
 * Finds the entries of a reference field whose hash is also the hash of an id, and calls `each` with every such entry: the array that has
 * the entry, the index of the entry in this array, and the doc id of the resource with the id. `rows` has the entries of the field, and
 * `ids` those of the ids, both in the order of the hashes.
 */
function joinByHash(
  rows: Iterable<Uint8Array>,
  ids: Uint32Array,
  each: (entries: Uint32Array, entry: number, docId: number) => void,
): void {
  let at = 0;
  for (const bytes of rows) {
    const entries = new Uint32Array(bufferOf(bytes));
    for (let entry = 0; entry < entries.length; entry += 3) {
      const [high, low] = [entries[entry] as number, entries[entry + 1] as number];
      while (at < ids.length && isBefore(ids, at, high, low)) at += 3;
      if (ids[at] === high && ids[at + 1] === low) each(entries, entry, ids[at + 2] as number);
    }
  }
}

/** Calls `each` with every doc id of a list, as its segment and its number in the segment. */
function eachDocId(list: PostingList, each: (segment: number, member: number) => void): void {
  for (const segment of Array.from(list.segments))
    for (const member of take(list.part(segment) ?? NOTHING, 0, Number.POSITIVE_INFINITY)) each(segment, member);
}

function idField(type: ResourceType): number {
  return FIELDS.findIndex((field) => field.type === type && field.name === 'id');
}

function isBefore(entries: Uint32Array, at: number, high: number, low: number): boolean {
  return (entries[at] as number) < high || (entries[at] === high && (entries[at + 1] as number) < low);
}

/**
 * Returns all entries of the ids of a type. Throws if two ids have the same hash, because a reference to one of them would also be a
 * reference to the other. This happens once in ten million editions.
 */
function allEntries(rows: Iterable<Uint8Array>, type: ResourceType): Uint32Array {
  const all = new Uint32Array(bufferOf(Buffer.concat([...rows])));
  for (let at = 3; at < all.length; at += 3) {
    if (all[at] === all[at - 3] && all[at + 1] === all[at - 2])
      throw new Error(`two ids of ${type} have the same hash: references to them cannot be told apart`);
  }
  return all;
}
