// Owns the making of a snapshot file: takes resources in any order, stores them at once, and builds order and indexes at
// the end. Blocks its thread; `sqlite-writer.ts` decides in which thread it runs.

import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { wordsOf } from '../../shared/words.ts';
import { RESOURCE_TYPES, type ResourceType, type SnapshotSummary } from './snapshot.ts';
import { type Arrival, type Batch, createBatchReader } from './sqlite-arrivals.ts';
import { buildFingerprints } from './sqlite-fingerprints.ts';
import {
  BUCKETS_PER_FIELD,
  CHUNKS_PER_LIST,
  FIELDS,
  type Field,
  fingerprintKey,
  LAYOUT_VERSION,
  type ListLimits,
  PAGE_SIZE,
  SCHEMA,
  TABLE_OF,
  WORD_MARK,
} from './sqlite-layout.ts';
import { buildLists, type ListSink, storeList } from './sqlite-lists.ts';
import { alphabeticalOrder, cutIntoChunks } from './sqlite-order.ts';
import { openSnapshotFile, type TypeReader } from './sqlite-reader.ts';
import { createByteSpool, createNumberSpool, type Spool } from './sqlite-spool.ts';
import { unpackText } from './sqlite-texts.ts';

export interface BuilderOptions {
  id: string;
  /** The unfinished file; spools stand beside it under its name and an ending. */
  file: string;
  /** Path of the finished file of the snapshot before, for versions and ids that are gone. */
  previous?: string;
  /** Milliseconds since 1970: `meta.lastUpdated` of what is new or changed. */
  created: number;
  limits: ListLimits;
}

export type BuildResult = Pick<SnapshotSummary, 'counts' | 'changes'>;

export interface Builder {
  add(batch: Batch): void;
  finish(): BuildResult;
  abandon(): void;
}

/** Creates the file and takes resources into it. */
export function createBuilder(options: BuilderOptions): Builder {
  const previous = options.previous === undefined ? undefined : openSnapshotFile(options.previous);
  const database = new BetterSqlite3(options.file);
  // A killed run leaves a file that is thrown away: no journal, and one flush to the disk at the end.
  database.pragma(`page_size = ${PAGE_SIZE}`);
  database.pragma('journal_mode = OFF');
  database.pragma('synchronous = OFF');
  database.pragma('locking_mode = EXCLUSIVE');
  database.pragma('cache_size = -65536');
  database.exec(`begin; ${SCHEMA}`);
  const texts = [...(previous?.texts ?? [])];
  const keys: string[][] = FIELDS.map(() => []);
  const before = previous && { texts: previous.texts, newTexts: texts };
  const types = RESOURCE_TYPES.map((type) =>
    createTypeBuilder(database, type, options, keys, before && { ...before, reader: previous.types[type] }),
  );
  const reader = createBatchReader();

  const close = () => {
    for (const type of types) type.discard();
    previous?.close();
    database.close();
  };

  return {
    add(batch) {
      texts.push(...batch.newTexts);
      for (const [field, more] of Object.entries(batch.newKeys)) keys[Number(field)]?.push(...more);
      reader.read(batch, (arrival) => (types[RESOURCE_TYPES.indexOf(arrival.type)] as TypeBuilder).add(arrival));
    },
    finish() {
      const lists = { count: 0 };
      const results = types.map((type) => type.finish(lists));
      if (previous) {
        for (const [at, type] of RESOURCE_TYPES.entries()) {
          (types[at] as TypeBuilder).rememberGone(
            previous.database
              .prepare<[string], { id: string; version: number; since: number }>(
                'select id, version, since from gone where type = ?',
              )
              .iterate(type),
          );
        }
      }
      const text = database.prepare('insert into packed_text (number, text) values (?, ?)');
      texts.forEach((value, number) => {
        text.run(number, value);
      });
      const property = database.prepare('insert into property (name, value) values (?, ?)');
      property.run('layout', String(LAYOUT_VERSION));
      property.run('id', options.id);
      property.run('created', new Date(options.created).toISOString());
      database.exec('commit');
      close();
      const descriptor = openSync(options.file, 'r');
      fsyncSync(descriptor);
      closeSync(descriptor);
      const byType = <Value>(pick: (at: number) => Value) =>
        Object.fromEntries(RESOURCE_TYPES.map((type, at) => [type, pick(at)])) as Record<ResourceType, Value>;
      return {
        counts: byType((at) => (results[at] as TypeResult).count),
        changes: byType((at) => (results[at] as TypeResult).changes),
      };
    },
    abandon() {
      if (database.open) close();
      rmSync(options.file, { force: true });
    },
  };
}

interface TypeResult {
  count: number;
  changes: SnapshotSummary['changes'][ResourceType];
}

interface TypeBuilder {
  add(arrival: Arrival): void;
  finish(lists: { count: number }): TypeResult;
  /** Takes what was gone already; call after `finish`. */
  rememberGone(before: Iterable<{ id: string; version: number; since: number }>): void;
  discard(): void;
}

/** The snapshot before, as one type needs it. */
interface Before {
  reader: TypeReader;
  texts: readonly string[];
  /** Those of the new snapshot, which begin with the same ones. */
  newTexts: readonly string[];
}

function createTypeBuilder(
  database: BetterSqlite3.Database,
  type: ResourceType,
  options: BuilderOptions,
  keysOf: readonly string[][],
  before: Before | undefined,
): TypeBuilder {
  const table = TABLE_OF[type];
  const numbers = (name: string) => createNumberSpool(`${options.file}.${table}.${name}`);
  const orderKeys = createByteSpool(`${options.file}.${table}.keys`);
  const keyLengths = numbers('lengths');
  const mostItems = numbers('items');
  const fields = FIELDS.filter((field) => field.type === type);
  const words = fields.filter(({ kind }) => kind === 'words').map((field) => wordSpool(field, numbers(field.name)));
  const keyed = fields
    .filter(({ kind }) => kind !== 'words')
    .map((field) => ({ field, keys: keysOf[field.number] as string[], spool: numbers(`${field.name}.keys`) }));
  const printed = fields
    .filter(({ kind }) => kind === 'fingerprint')
    .map((field) => ({ field, spool: numbers(field.name) }));
  // Bytes are bound as they are: making strings of them would cost more than storing them.
  const insert = database.prepare(
    `insert into ${table} (ordinal, id, version, updated, body) values (?, cast(? as text), ?, ?, cast(? as text))`,
  );
  const versions = trackVersions(before, options.created);
  let count = 0;

  return {
    add({ orderKey, id, body, items, keys, fingerprints }) {
      const ordinal = count++;
      const { version, updated } = versions.of(id, body);
      insert.run(ordinal, id, version, updated, body);
      orderKeys.pushAll(orderKey);
      keyLengths.push(orderKey.length);
      let most = 1;
      for (let at = 0; at < words.length; at++) {
        const texts = items[at] as readonly string[];
        words[at]?.add(texts);
        if (texts.length > most) most = texts.length;
      }
      mostItems.push(most);
      for (let at = 0; at < keyed.length; at++) {
        const { field, spool } = keyed[at] as (typeof keyed)[number];
        const some = keys[at] as Uint32Array;
        if (field.kind === 'vocabulary') {
          // One item, in the form of `FieldContent`.
          spool.push(1);
          spool.push(some.length);
          spool.pushAll(some);
        } else {
          for (const key of some) spool.pushAll([key, ordinal]);
        }
      }
      for (let at = 0; at < printed.length; at++) {
        const halves = fingerprints[at] as Uint32Array;
        for (let half = 0; half < halves.length; half += 2) {
          printed[at]?.spool.push(halves[half] as number);
          printed[at]?.spool.push(halves[half + 1] as number);
          printed[at]?.spool.push(ordinal);
        }
      }
    },

    finish(lists) {
      const order = alphabeticalOrder(orderKeys.take(), keyLengths.take());
      const chunkStarts = cutIntoChunks(order, mostItems.take(), options.limits.chunk);
      const places: Places = { order, chunkStarts, placeOf: storeOrder(database, type, order, chunkStarts) };
      const { limits } = options;
      for (const { field, spool, vocabulary } of words) {
        const content = { order, chunkStarts, spool: spool.take(), keys: vocabulary(), prefixes: true };
        buildLists(content, limits, listSink(database, field, lists));
      }
      for (const { field, keys, spool } of keyed) {
        const sink = listSink(database, field, lists);
        if (field.kind === 'vocabulary') {
          buildLists({ order, chunkStarts, spool: spool.take(), keys, prefixes: false }, limits, sink);
        } else storeWideKeys(spool.take(), keys, places, limits, sink);
      }
      const bits = new Map(
        printed.map(({ field, spool }) => [
          field,
          storeFingerprints(database, field, spool.take(), places, limits, listSink(database, field, lists)),
        ]),
      );
      const insertField = database.prepare('insert into field (number, type, name, kind, bits) values (?, ?, ?, ?, ?)');
      for (const field of fields) insertField.run(field.number, type, field.name, field.kind, bits.get(field) ?? 0);
      return { count, changes: versions.changes() };
    },

    rememberGone(already) {
      const gone = database.prepare('insert into gone (type, id, version, since) values (?, ?, ?, ?)');
      for (const { id, version } of versions.missing()) gone.run(type, id, version, options.created);
      for (const { id, version, since } of already) if (!versions.returned.has(id)) gone.run(type, id, version, since);
    },

    discard() {
      const spools = [orderKeys, keyLengths, mostItems, ...[...words, ...keyed, ...printed].map(({ spool }) => spool)];
      for (const spool of spools) spool.discard();
    },
  };
}

/** Texts of items whose words are remembered, for towns and first names come again and again. */
const REMEMBERED_ITEMS = 50_000;

function wordSpool(field: Field, spool: Spool<Uint32Array>) {
  const numbers = new Map<string, number>();
  const remembered = new Map<string, readonly number[]>();
  const wordNumbers = (text: string): readonly number[] => {
    const known = remembered.get(text);
    if (known) return known;
    const found = wordsOf(text).map((word) => {
      const number = numbers.get(word) ?? numbers.size;
      if (number === numbers.size) numbers.set(word, number);
      return number;
    });
    if (remembered.size < REMEMBERED_ITEMS) remembered.set(text, found);
    return found;
  };
  return {
    field,
    spool,
    /** Adds the items of the next resource, in the form of `FieldContent`. */
    add(items: readonly string[]) {
      spool.push(Math.max(1, items.length));
      if (items.length === 0) spool.push(0);
      for (const item of items) {
        const words = wordNumbers(item);
        spool.push(words.length);
        spool.pushAll(words);
      }
    },
    /** All words by number; the field takes no more afterwards. */
    vocabulary() {
      const words = [...numbers.keys()];
      numbers.clear();
      remembered.clear();
      return words;
    },
  };
}

/** Decides version and date of each resource by comparing it with the snapshot before. */
function trackVersions(before: Before | undefined, created: number) {
  const previous = before?.reader;
  const seen = new Uint8Array(previous?.count ?? 0);
  const returned = new Set<string>();
  const changes = { added: 0, changed: 0, unchanged: 0, removed: 0 };
  const decoder = new TextDecoder();
  return {
    /** Ids that had been gone and came back. */
    returned,
    of(idBytes: Uint8Array, bodyBytes: Uint8Array): { version: number; updated: number } {
      const id = previous && decoder.decode(idBytes);
      const position = id === undefined ? undefined : previous?.find(id);
      if (before === undefined || previous === undefined || id === undefined || position === undefined) {
        changes.added++;
        const gone = id === undefined ? undefined : previous?.gone(id);
        if (gone && id !== undefined) returned.add(id);
        return { version: (gone?.version ?? 0) + 1, updated: created };
      }
      seen[position] = 1;
      const row = previous.rowAt(previous.ordinalAt(position));
      const body = decoder.decode(bodyBytes);
      if (row && (row.body === body || unpackText(row.body, before.texts) === unpackText(body, before.newTexts))) {
        changes.unchanged++;
        return row;
      }
      changes.changed++;
      return { version: (row?.version ?? 0) + 1, updated: created };
    },
    *missing(): Iterable<{ id: string; version: number }> {
      for (let position = 0; position < seen.length; position++) {
        const row = seen[position] ? undefined : previous?.rowAt(previous.ordinalAt(position));
        if (row) yield row;
      }
    },
    changes: () => ({ ...changes, removed: seen.reduce((sum, mark) => sum - mark, seen.length) }),
  };
}

/** Stores the order; returns the place of each resource by ordinal. */
function storeOrder(
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

interface Places {
  /** Ordinals by position. */
  order: Uint32Array;
  chunkStarts: Uint32Array;
  /** By ordinal. */
  placeOf: Uint32Array;
}

function listSink(database: BetterSqlite3.Database, field: Field, lists: { count: number }): ListSink {
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

/** @param spool (number of the key, ordinal) for each entry */
function storeWideKeys(
  spool: Uint32Array,
  keys: readonly string[],
  { placeOf }: Places,
  limits: ListLimits,
  sink: ListSink,
): void {
  const sizes = new Uint32Array(keys.length);
  for (let at = 0; at < spool.length; at += 2) (sizes[spool[at] as number] as number)++;
  const lists = Array.from(sizes, (size) => new Uint32Array(size));
  const ends = new Uint32Array(keys.length);
  for (let at = 0; at < spool.length; at += 2) {
    const key = spool[at] as number;
    (lists[key] as Uint32Array)[ends[key] as number] = placeOf[spool[at + 1] as number] as number;
    (ends[key] as number)++;
  }
  lists.forEach((list, key) => {
    const places = list.sort().filter((place, at) => at === 0 || place !== list[at - 1]);
    storeList(keys[key] + WORD_MARK, places, places.length, limits, sink);
  });
}

/** Stores the fingerprints of a field; returns the bits of their buckets. */
function storeFingerprints(
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
