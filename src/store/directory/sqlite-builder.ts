// Owns the making of a snapshot file: takes resources in any order, stores them at once, and builds order and indexes at
// the end. Blocks its thread; `sqlite-writer.ts` decides in which thread it runs.

import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { wordsOf } from '../../shared/words.ts';
import { RESOURCE_TYPES, type ResourceType, type SnapshotSummary } from './snapshot.ts';
import { buildFingerprints } from './sqlite-fingerprints.ts';
import {
  BUCKETS_PER_FIELD,
  CHUNKS_PER_LIST,
  FIELDS,
  type Field,
  fingerprint,
  fingerprintKey,
  highHalf,
  LAYOUT_VERSION,
  type ListLimits,
  PAGE_SIZE,
  SCHEMA,
  TABLE_OF,
} from './sqlite-layout.ts';
import { buildLists, type ListSink, storeList } from './sqlite-lists.ts';
import { alphabeticalOrder, cutIntoChunks } from './sqlite-order.ts';
import { openSnapshotFile, type TypeReader } from './sqlite-reader.ts';
import { createByteSpool, createNumberSpool, type Spool } from './sqlite-spool.ts';

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

/** One resource on its way from the writer, its JSON text already made. */
export interface Arrival {
  type: ResourceType;
  id: string;
  sortKey: string;
  /** JSON text that follows resourceType and id. */
  body: string;
  index: Readonly<Record<string, readonly string[]>>;
}

export type BuildResult = Pick<SnapshotSummary, 'counts' | 'changes'>;

export interface Builder {
  add(arrival: Arrival): void;
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
  const types = RESOURCE_TYPES.map((type) => createTypeBuilder(database, type, options, previous?.types[type]));

  const close = () => {
    for (const type of types) type.discard();
    previous?.close();
    database.close();
  };

  return {
    add: (arrival) => (types[RESOURCE_TYPES.indexOf(arrival.type)] as TypeBuilder).add(arrival),
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

function createTypeBuilder(
  database: BetterSqlite3.Database,
  type: ResourceType,
  options: BuilderOptions,
  previous: TypeReader | undefined,
): TypeBuilder {
  const table = TABLE_OF[type];
  const numbers = (name: string) => createNumberSpool(`${options.file}.${table}.${name}`);
  const keys = createByteSpool(`${options.file}.${table}.keys`);
  const keyLengths = numbers('lengths');
  const mostItems = numbers('items');
  const fields = FIELDS.filter((field) => field.type === type).map((field) => ({
    ...field,
    spool: numbers(field.name),
    numbers: new Map<string, number>(),
  }));
  const insert = database.prepare(`insert into ${table} (ordinal, id, version, updated, body) values (?, ?, ?, ?, ?)`);
  const encoder = new TextEncoder();
  const scratch = new Uint8Array(65_536);
  const versions = trackVersions(previous, options.created);
  let count = 0;

  const pushKey = (sortKey: string, id: string) => {
    const text = `${sortKey}\0${id}`;
    const { read, written } = encoder.encodeInto(text, scratch);
    if (read < text.length) throw new Error(`the sort key of ${type}/${id} is longer than 64 KiB`);
    for (let at = 0; at < written; at++) keys.push(scratch[at] as number);
    keyLengths.push(written);
  };

  return {
    add({ id, sortKey, body, index }) {
      const ordinal = count++;
      const { version, updated } = versions.of(id, body);
      insert.run(ordinal, id, version, updated, body);
      pushKey(sortKey, id);
      let most = 1;
      for (const field of fields) {
        const items = field.name === 'id' ? [id] : (index[field.name] ?? NONE);
        if (field.kind === 'words' && items.length > most) most = items.length;
        spoolItems(field, items, ordinal);
      }
      mostItems.push(most);
    },

    finish(lists) {
      const order = alphabeticalOrder(keys.take(), keyLengths.take());
      const chunkStarts = cutIntoChunks(order, mostItems.take(), options.limits.chunk);
      const placeOf = storeOrder(database, type, order, chunkStarts);
      for (const field of fields) {
        const bits = storeField(database, field, { order, chunkStarts, placeOf }, options.limits, lists);
        database
          .prepare('insert into field (number, type, name, kind, bits) values (?, ?, ?, ?, ?)')
          .run(field.number, type, field.name, field.kind, bits);
      }
      return { count, changes: versions.changes() };
    },

    rememberGone(before) {
      const gone = database.prepare('insert into gone (type, id, version, since) values (?, ?, ?, ?)');
      for (const { id, version } of versions.missing()) gone.run(type, id, version, options.created);
      for (const { id, version, since } of before) if (!versions.returned.has(id)) gone.run(type, id, version, since);
    },

    discard() {
      for (const spool of [keys, keyLengths, mostItems, ...fields.map((field) => field.spool)]) spool.discard();
    },
  };
}

const NONE: readonly string[] = [];

interface FieldInput extends Field {
  spool: Spool<Uint32Array>;
  /** Number of each word or key of the vocabulary. */
  numbers: Map<string, number>;
}

function spoolItems(field: FieldInput, items: readonly string[], ordinal: number): void {
  const { spool, numbers } = field;
  const pushAll = (keys: readonly string[]) => {
    spool.push(keys.length);
    for (const key of keys) {
      let number = numbers.get(key);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(key, number);
      }
      spool.push(number);
    }
  };
  if (field.kind === 'fingerprint') {
    for (const key of items) {
      const low = fingerprint(key);
      spool.push(highHalf());
      spool.push(low);
      spool.push(ordinal);
    }
  } else if (field.kind === 'vocabulary' || items.length === 0) {
    spool.push(1);
    pushAll(items);
  } else {
    spool.push(items.length);
    for (const item of items) pushAll(wordsOf(item));
  }
}

/** Decides version and date of each resource by comparing it with the snapshot before. */
function trackVersions(previous: TypeReader | undefined, created: number) {
  const seen = new Uint8Array(previous?.count ?? 0);
  const returned = new Set<string>();
  const changes = { added: 0, changed: 0, unchanged: 0, removed: 0 };
  return {
    /** Ids that had been gone and came back. */
    returned,
    of(id: string, body: string): { version: number; updated: number } {
      const position = previous?.find(id);
      if (previous === undefined || position === undefined) {
        changes.added++;
        const gone = previous?.gone(id);
        if (gone) returned.add(id);
        return { version: (gone?.version ?? 0) + 1, updated: created };
      }
      seen[position] = 1;
      const before = previous.rowAt(previous.ordinalAt(position));
      if (before?.body === body) {
        changes.unchanged++;
        return before;
      }
      changes.changed++;
      return { version: (before?.version ?? 0) + 1, updated: created };
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

/** Stores the index of one field; returns the bits of its fingerprints' buckets. */
function storeField(
  database: BetterSqlite3.Database,
  field: FieldInput,
  order: { order: Uint32Array; chunkStarts: Uint32Array; placeOf: Uint32Array },
  limits: ListLimits,
  lists: { count: number },
): number {
  const term = database.prepare('insert into term (field, key, owners, list, members) values (?, ?, ?, ?, ?)');
  const posting = database.prepare('insert into posting (id, members) values (?, ?)');
  const itemOwner = database.prepare('insert into item_owner (field, chunk, owners) values (?, ?, ?)');
  const sink: ListSink = {
    term: (key, owners, list, members) => term.run(field.number, key, owners, list, members),
    posting(parts) {
      const list = lists.count++;
      for (const { chunk, members } of parts) posting.run(list * CHUNKS_PER_LIST + chunk, members);
      return list;
    },
    itemOwners: (chunk, owners) =>
      itemOwner.run(field.number, chunk, new Uint8Array(owners.buffer, owners.byteOffset, owners.byteLength)),
  };
  if (field.kind !== 'fingerprint') {
    const spool = field.spool.take();
    const keys = [...field.numbers.keys()];
    field.numbers.clear();
    buildLists({ ...order, spool, keys, prefixes: field.kind === 'words' }, limits, sink);
    return 0;
  }

  const bucket = database.prepare('insert into fingerprint (id, entries) values (?, ?)');
  const idOf = database.prepare<[number], string>(`select id from ${TABLE_OF[field.type]} where ordinal = ?`).pluck();
  const idAt = (place: number) => {
    const position = (order.chunkStarts[place >>> 16] as number) + (place & 0xffff);
    return idOf.get(order.order[position] as number);
  };
  return buildFingerprints(field.spool.take(), order.placeOf, {
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
