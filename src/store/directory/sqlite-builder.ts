// Owns the making of a snapshot file: takes resources in any order, stores them at once, and builds order and indexes at
// the end. Blocks its thread; `sqlite-writer.ts` decides in which thread it runs.

import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { RESOURCE_TYPES, type ResourceType, type SnapshotSummary } from './snapshot.ts';
import { type Arrival, type Batch, createBatchReader } from './sqlite-arrivals.ts';
import { type EachKey, listSink, type Places, storeFingerprints, storeKeys, storeOrder } from './sqlite-indexes.ts';
import { storeInstants } from './sqlite-instants.ts';
import {
  FIELDS,
  hasVocabulary,
  LAYOUT_VERSION,
  type ListLimits,
  PAGE_SIZE,
  SCHEMA,
  TABLE_OF,
} from './sqlite-layout.ts';
import { buildLists } from './sqlite-lists.ts';
import { alphabeticalOrder, cutIntoChunks } from './sqlite-order.ts';
import { openSnapshotFile } from './sqlite-reader.ts';
import { createByteSpool, createNumberSpool, type Spool } from './sqlite-spool.ts';
import { type Before, trackVersions } from './sqlite-versions.ts';
import { createWordSpool } from './sqlite-word-spool.ts';

export interface BuilderOptions {
  id: string;
  /** The unfinished file; spools stand beside it under its name and an ending. */
  file: string;
  /** Path of the finished file of the snapshot before, for versions and ids that are gone. */
  previous?: string;
  /** `meta.versionId` of a resource that is not known from before. */
  firstVersion: number;
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
  // A killed run leaves a file that is thrown away: no journal on disk, and one flush to the disk at the end.
  database.pragma(`page_size = ${PAGE_SIZE}`);
  database.pragma('journal_mode = MEMORY');
  database.pragma('synchronous = OFF');
  database.pragma('locking_mode = EXCLUSIVE');
  database.pragma('cache_size = -32768');
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
  const words = fields
    .filter(({ kind }) => kind === 'words')
    .map((field) => createWordSpool(field, numbers(field.name)));
  const keyed = fields
    .filter(({ kind }) => hasVocabulary(kind))
    .map((field) => ({ field, keys: keysOf[field.number] as string[], spool: numbers(`${field.name}.keys`) }));
  const printed = fields
    .filter(({ kind }) => kind === 'fingerprint')
    .map((field) => ({ field, spool: numbers(field.name) }));
  // Bytes are bound as they are: making strings of them would cost more than storing them.
  const insert = database.prepare(
    `insert into ${table} (ordinal, id, version, updated, body) values (?, cast(? as text), ?, ?, cast(? as text))`,
  );
  const versions = trackVersions(before, options);
  const instantOf = numbers('instants');
  const instants = new Map<number, number>();
  let count = 0;

  return {
    add({ orderKey, id, body, items, keys, fingerprints }) {
      const ordinal = count++;
      const { version, updated } = versions.of(id, body);
      insert.run(ordinal, id, version, updated, body);
      const instant = instants.get(updated) ?? instants.size;
      if (instant === instants.size) instants.set(updated, instant);
      instantOf.push(instant);
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
        const content = { order, chunkStarts, spool: spool.take(), keys: vocabulary() };
        buildLists(content, limits, listSink(database, field, lists));
      }
      for (const { field, keys, spool } of keyed) {
        const sink = listSink(database, field, lists);
        storeKeys(
          field.kind === 'vocabulary' ? keysOfAll(spool, count) : keysOfSome(spool),
          keys,
          places,
          limits,
          sink,
        );
        spool.discard();
      }
      const bits = new Map(
        printed.map(({ field, spool }) => [
          field,
          storeFingerprints(database, field, spool.take(), places, limits, listSink(database, field, lists)),
        ]),
      );
      const dated = { instantOf: instantOf.take(), instants: [...instants.keys()] };
      for (const { kind, number } of fields) if (kind === 'instant') storeInstants(database, number, dated, places);
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
      const spools = [
        orderKeys,
        keyLengths,
        mostItems,
        instantOf,
        ...[...words, ...keyed, ...printed].map(({ spool }) => spool),
      ];
      for (const spool of spools) spool.discard();
    },
  };
}

/** Keys set aside as their number and the keys, for each resource. */
function keysOfAll(spool: Spool<Uint32Array>, resources: number): EachKey {
  return (take) => {
    const next = spool.reader();
    for (let ordinal = 0; ordinal < resources; ordinal++)
      for (let left = next(); left > 0; left--) take(next(), ordinal);
  };
}

/** Keys set aside as key and ordinal, where there are any. */
function keysOfSome(spool: Spool<Uint32Array>): EachKey {
  return (take) => {
    const next = spool.reader();
    for (let left = spool.length() / 2; left > 0; left--) {
      const key = next();
      take(key, next());
    }
  };
}
