// Stores the rows of the alphabetical order and of the index tables in a snapshot file that is being built.

import type BetterSqlite3 from 'better-sqlite3';
import {
  BUCKETS_PER_FIELD,
  blobOf,
  type Field,
  hashTermKey,
  type ListLimits,
  SEGMENTS_PER_LIST,
  TABLE_OF,
  TERM_MARK,
} from '#search-index/file-layout.ts';
import { buildHashBuckets } from '#search-index/hash-buckets.ts';
import type { ResourceType } from '#search-index/snapshot.ts';
import { type ListSink, storeList, unite } from './postings-writer.ts';

/** Stores the alphabetical order. Returns the doc id of each resource, by ordinal. */
export function storeOrder(
  database: BetterSqlite3.Database,
  type: ResourceType,
  order: Uint32Array,
  segmentStarts: Uint32Array,
): Uint32Array {
  const insert = database.prepare('insert into segment (type, segment, ordinals) values (?, ?, ?)');
  const docIdOf = new Uint32Array(order.length);
  for (let segment = 0; segment < segmentStarts.length - 1; segment++) {
    const ordinals = order.slice(segmentStarts[segment], segmentStarts[segment + 1]);
    ordinals.forEach((ordinal, member) => {
      docIdOf[ordinal] = segment * 65_536 + member;
    });
    insert.run(type, segment, blobOf(ordinals));
  }
  return docIdOf;
}

/** The alphabetical order of a type's resources, and their doc ids. */
export interface DocOrder {
  /** Ordinals by position. */
  order: Uint32Array;
  segmentStarts: Uint32Array;
  /** Doc ids by ordinal. */
  docIdOf: Uint32Array;
}

/** Makes a function that returns the sink for the lists of a field. `lists.count` is the number of the next list in `posting`. */
export function listSinks(database: BetterSqlite3.Database, lists: { count: number }): (field: Field) => ListSink {
  const term = database.prepare('insert into term (field, key, doc_freq, list, members) values (?, ?, ?, ?, ?)');
  const posting = database.prepare('insert into posting (id, members) values (?, ?)');
  const itemParent = database.prepare('insert into item_parent (field, segment, parents) values (?, ?, ?)');
  return (field) => ({
    term: (key, docFreq, list, members) => term.run(field.number, key, docFreq, list, members),
    posting(parts) {
      const list = lists.count++;
      for (const { segment, members } of parts) posting.run(list * SEGMENTS_PER_LIST + segment, members);
      return list;
    },
    itemParents: (segment, parents) => itemParent.run(field.number, segment, blobOf(parents)),
  });
}

/** Calls `take` for each key of each resource, with the number of the key and the ordinal of the resource. */
export type EachKey = (take: (key: number, ordinal: number) => void) => void;

/**
 * Stores the posting list of each key. `each` is called twice, first to count and then to collect, because keeping its results would take
 * more memory.
 */
export function storeKeys(
  each: EachKey,
  keys: readonly string[],
  docIds: DocOrder,
  limits: ListLimits,
  sink: ListSink,
): void {
  const ends = new Uint32Array(keys.length + 1);
  each((key) => {
    (ends[key + 1] as number)++;
  });
  for (let key = 0; key < keys.length; key++) (ends[key + 1] as number) += ends[key] as number;
  const starts = ends.slice();
  const all = new Uint32Array(ends[keys.length] as number);
  each((key, ordinal) => {
    const end = ends[key] as number;
    all[end] = docIds.docIdOf[ordinal] as number;
    ends[key] = end + 1;
  });
  const space = Math.max(0, docIds.segmentStarts.length - 1) * 65_536;
  // Lists are stored in the order of the keys, so that their numbers do not depend on the order in which resources arrive.
  const sorted = keys.map((key, number) => ({ key, number })).sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const { key, number } of sorted) {
    const list = unite([all.subarray(starts[number], ends[number])], space);
    storeList(key + TERM_MARK, list, list.length, limits, sink);
  }
}

/** Stores the hashes of a field. Returns the number of bits of a hash that choose its bucket. Throws if two resources have the same id. */
export function storeKeyHashes(
  database: BetterSqlite3.Database,
  field: Field,
  spill: Uint32Array,
  { order, segmentStarts, docIdOf }: DocOrder,
  limits: ListLimits,
  sink: ListSink,
): number {
  const bucket = database.prepare('insert into key_hash (id, entries) values (?, ?)');
  const idOf = database.prepare<[number], string>(`select id from ${TABLE_OF[field.type]} where ordinal = ?`).pluck();
  const idAt = (docId: number) => idOf.get(order[(segmentStarts[docId >>> 16] as number) + (docId & 0xffff)] as number);
  return buildHashBuckets(spill, docIdOf, {
    bucket(number, entries) {
      if (field.name === 'id') refuseRepeatedId(field.type, entries, idAt);
      bucket.run(field.number * BUCKETS_PER_FIELD + number, blobOf(entries));
    },
    longList(high, low, docIds) {
      if (field.name === 'id')
        refuseRepeatedId(field.type, [high, low, docIds[0] ?? 0, high, low, docIds[1] ?? 0], idAt);
      storeList(hashTermKey(high, low), docIds, docIds.length, limits, sink);
    },
  });
}

function refuseRepeatedId(type: ResourceType, entries: ArrayLike<number>, idAt: (docId: number) => string | undefined) {
  for (let at = 3; at < entries.length; at += 3) {
    if (entries[at] !== entries[at - 3] || entries[at + 1] !== entries[at - 2]) continue;
    const id = idAt(entries[at + 2] as number);
    if (id === idAt(entries[at - 1] as number)) {
      throw new Error(`${type}/${id} came twice in one edition: an id must belong to one resource`);
    }
  }
}
