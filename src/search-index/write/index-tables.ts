// Owns the rows of order and indexes in a snapshot file that is being built. Does not own how lists are computed
// (`sqlite-lists.ts`, `sqlite-fingerprints.ts`).

import type BetterSqlite3 from 'better-sqlite3';
import {
  BUCKETS_PER_FIELD,
  CHUNKS_PER_LIST,
  type Field,
  fingerprintKey,
  type ListLimits,
  TABLE_OF,
  WORD_MARK,
} from '../file-layout.ts';
import { buildFingerprints } from '../fingerprints.ts';
import type { ResourceType } from '../snapshot.ts';
import { type ListSink, storeList, unite } from './postings-writer.ts';

/** Stores the order; returns the place of each resource by ordinal. */
export function storeOrder(
  database: BetterSqlite3.Database,
  type: ResourceType,
  order: Uint32Array,
  chunkStarts: Uint32Array,
): Uint32Array {
  const insert = database.prepare('insert into chunk (type, chunk, ordinals) values (?, ?, ?)');
  const placeOf = new Uint32Array(order.length);
  for (let chunk = 0; chunk < chunkStarts.length - 1; chunk++) {
    const ordinals = order.slice(chunkStarts[chunk], chunkStarts[chunk + 1]);
    ordinals.forEach((ordinal, member) => {
      placeOf[ordinal] = chunk * 65_536 + member;
    });
    insert.run(type, chunk, new Uint8Array(ordinals.buffer));
  }
  return placeOf;
}

/** Where the resources of a type stand. */
export interface Places {
  /** Ordinals by position. */
  order: Uint32Array;
  chunkStarts: Uint32Array;
  /** By ordinal. */
  placeOf: Uint32Array;
}

/** Stores the lists of one field; `lists` counts those of the whole file. */
export function listSink(database: BetterSqlite3.Database, field: Field, lists: { count: number }): ListSink {
  const term = database.prepare('insert into term (field, key, owners, list, members) values (?, ?, ?, ?, ?)');
  const posting = database.prepare('insert into posting (id, members) values (?, ?)');
  const itemOwner = database.prepare('insert into item_owner (field, chunk, owners) values (?, ?, ?)');
  return {
    term: (key, owners, list, members) => term.run(field.number, key, owners, list, members),
    posting(parts) {
      const list = lists.count++;
      for (const { chunk, members } of parts) posting.run(list * CHUNKS_PER_LIST + chunk, members);
      return list;
    },
    itemOwners: (chunk, owners) =>
      itemOwner.run(field.number, chunk, new Uint8Array(owners.buffer, owners.byteOffset, owners.byteLength)),
  };
}

/** A key of the vocabulary that a resource has. */
export type EachKey = (take: (key: number, ordinal: number) => void) => void;

/** Stores the list of each key of a vocabulary. `each` gives all of them, and is called twice to spare memory. */
export function storeKeys(
  each: EachKey,
  keys: readonly string[],
  places: Places,
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
    all[end] = places.placeOf[ordinal] as number;
    ends[key] = end + 1;
  });
  const space = Math.max(0, places.chunkStarts.length - 1) * 65_536;
  // In the order of the keys, so that the numbers of lists do not depend on the order in which keys came.
  const sorted = keys.map((key, number) => ({ key, number })).sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const { key, number } of sorted) {
    const list = unite([all.subarray(starts[number], ends[number])], space);
    storeList(key + WORD_MARK, list, list.length, limits, sink);
  }
}

/** Stores the fingerprints of a field; returns the bits of their buckets. */
export function storeFingerprints(
  database: BetterSqlite3.Database,
  field: Field,
  spool: Uint32Array,
  { order, chunkStarts, placeOf }: Places,
  limits: ListLimits,
  sink: ListSink,
): number {
  const bucket = database.prepare('insert into fingerprint (id, entries) values (?, ?)');
  const idOf = database.prepare<[number], string>(`select id from ${TABLE_OF[field.type]} where ordinal = ?`).pluck();
  const idAt = (place: number) => idOf.get(order[(chunkStarts[place >>> 16] as number) + (place & 0xffff)] as number);
  return buildFingerprints(spool, placeOf, {
    bucket(number, entries) {
      if (field.name === 'id') refuseRepeatedId(field.type, entries, idAt);
      bucket.run(field.number * BUCKETS_PER_FIELD + number, new Uint8Array(entries.buffer, 0, entries.byteLength));
    },
    longList(high, low, places) {
      if (field.name === 'id')
        refuseRepeatedId(field.type, [high, low, places[0] ?? 0, high, low, places[1] ?? 0], idAt);
      storeList(fingerprintKey(high, low), places, places.length, limits, sink);
    },
  });
}

function refuseRepeatedId(type: ResourceType, entries: ArrayLike<number>, idAt: (place: number) => string | undefined) {
  for (let at = 3; at < entries.length; at += 3) {
    if (entries[at] !== entries[at - 3] || entries[at + 1] !== entries[at - 2]) continue;
    const id = idAt(entries[at + 2] as number);
    if (id === idAt(entries[at - 1] as number)) {
      throw new Error(`${type}/${id} came twice in one edition: an id must belong to one resource`);
    }
  }
}
