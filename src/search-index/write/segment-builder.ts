// Owns the making of one resource type of a snapshot file: takes resources in any order, stores them at once, and builds
// order and indexes at the end. Does not own the file nor the other types (`sqlite-builder.ts`).

import type BetterSqlite3 from 'better-sqlite3';
import { FIELDS, FIRST_LIST, hasVocabulary, type ListLimits, TABLE_OF } from '../file-layout.ts';
import { storeInstants } from '../read/instant-index.ts';
import { releaseMemory } from '../release-memory.ts';
import type { ResourceType, SnapshotSummary } from '../snapshot.ts';
import { type EachKey, listSink, type Places, storeFingerprints, storeKeys, storeOrder } from './index-tables.ts';
import { buildLists } from './postings-writer.ts';
import { type Arrival, type Batch, createBatchReader } from './record-batch.ts';
import { alphabeticalOrder, cutIntoChunks } from './sort-order.ts';
import { createByteSpool, createNumberSpool, type Spool } from './spill-file.ts';
import { createWordSpool } from './token-spill.ts';
import type { Versions } from './versions.ts';

export interface TypeBuilderOptions {
  /** Spools stand beside it under its name and an ending. */
  file: string;
  limits: ListLimits;
  /** Texts of the snapshot before, which the marks of the resources to come refer to. */
  texts?: readonly string[];
  /** Gives each resource its version and date. `texts`: those of the new snapshot. */
  versions(texts: readonly string[]): Versions;
}

export interface TypeResult {
  count: number;
  changes: SnapshotSummary['changes'][ResourceType];
}

/** Resources from which the arrays of one field are worth collecting before those of the next are made. */
const LARGE = 200_000;

export type TypeBuilder = ReturnType<typeof createTypeBuilder>;

/** Takes the resources of one type into the tables of an open file. */
export function createTypeBuilder(database: BetterSqlite3.Database, type: ResourceType, options: TypeBuilderOptions) {
  const { limits } = options;
  const table = TABLE_OF[type];
  const numbers = (name: string) => createNumberSpool(`${options.file}.${table}.${name}`);
  const orderKeys = createByteSpool(`${options.file}.${table}.keys`);
  const keyLengths = numbers('lengths');
  const mostItems = numbers('items');
  const instantOf = numbers('instants');
  const instants = new Map<number, number>();
  const fields = FIELDS.filter((field) => field.type === type);
  const words = fields
    .filter(({ kind }) => kind === 'words')
    .map((field) => createWordSpool(field, numbers(field.name)));
  const keyed = fields
    .filter(({ kind }) => hasVocabulary(kind))
    .map((field) => ({ field, keys: new Map<string, number>(), spool: numbers(`${field.name}.keys`) }));
  const printed = fields
    .filter(({ kind }) => kind === 'fingerprint')
    .map((field) => ({ field, spool: numbers(field.name) }));
  // Bytes are bound as they are: making strings of them would cost more than storing them.
  const insert = database.prepare(
    `insert into ${table} (ordinal, id, version, updated, body) values (?, cast(? as text), ?, ?, cast(? as text))`,
  );
  const texts = [...(options.texts ?? [])];
  const versions = options.versions(texts);
  const reader = createBatchReader(type);
  let count = 0;

  /** Numbers of the keys of a batch's maker in the tables of this builder, by field. */
  type KeyNumbers = number[][];

  const takeKeys = (batch: Batch, numbersOf: KeyNumbers) => {
    for (const [at, { field, keys }] of keyed.entries()) {
      for (const key of batch.newKeys[field.number] ?? []) {
        const number = keys.get(key) ?? keys.size;
        keys.set(key, number);
        numbersOf[at]?.push(number);
      }
    }
  };

  const add = (arrival: Arrival, numbersOf: KeyNumbers) => {
    const { bytes, numbers: all, sortKey, id } = arrival;
    const ordinal = count++;
    const idBytes = bytes.subarray(id.start, id.end);
    const body = bytes.subarray(arrival.body.start, arrival.body.end);
    const { version, updated } = versions.of(idBytes, body);
    insert.run(ordinal, idBytes, version, updated, body);
    const instant = instants.get(updated) ?? instants.size;
    if (instant === instants.size) instants.set(updated, instant);
    instantOf.push(instant);
    // A zero byte sorts before everything else: the id settles only what the sort key leaves open.
    for (let at = sortKey.start; at < sortKey.end; at++) orderKeys.push(bytes[at] as number);
    orderKeys.push(0);
    for (let at = id.start; at < id.end; at++) orderKeys.push(bytes[at] as number);
    keyLengths.push(sortKey.end - sortKey.start + 1 + id.end - id.start);
    let most = 1;
    for (let at = 0, text = arrival.texts.start; at < words.length; at++) {
      const items = arrival.items[at] as number;
      text = (words[at] as (typeof words)[number]).add(bytes, text, items);
      if (items > most) most = items;
    }
    mostItems.push(most);
    for (let at = 0; at < keyed.length; at++) {
      const { field, spool } = keyed[at] as (typeof keyed)[number];
      const numberOf = numbersOf[at] as number[];
      const first = (arrival.keys[at] as number) + 1;
      const end = first + (all[first - 1] as number);
      if (field.kind === 'vocabulary') spool.push(end - first);
      for (let key = first; key < end; key++) {
        spool.push(numberOf[all[key] as number] as number);
        if (field.kind !== 'vocabulary') spool.push(ordinal);
      }
    }
    for (let at = 0; at < printed.length; at++) {
      const { spool } = printed[at] as (typeof printed)[number];
      const first = (arrival.fingerprints[at] as number) + 1;
      const end = first + (all[first - 1] as number);
      for (let half = first; half < end; half += 2) {
        spool.push(all[half] as number);
        spool.push(all[half + 1] as number);
        spool.push(ordinal);
      }
    }
  };

  const storeGone = () => {
    const gone = database.prepare('insert into gone (type, id, version, since) values (?, ?, ?, ?)');
    for (const { id, version, since } of versions.gone()) gone.run(type, id, version, since);
  };

  const storeIndexes = () => {
    const lists = { count: FIRST_LIST[type] };
    /** Lets go of the arrays of the step before. */
    const letGo = () => {
      if (count >= LARGE) releaseMemory();
    };
    letGo();
    const order = alphabeticalOrder(orderKeys.take(), keyLengths.take());
    const chunkStarts = cutIntoChunks(order, mostItems.take(), limits.chunk);
    const places: Places = { order, chunkStarts, placeOf: storeOrder(database, type, order, chunkStarts) };
    for (const { field, spool, vocabulary } of words) {
      letGo();
      const content = { order, chunkStarts, spool: spool.take(), keys: vocabulary() };
      buildLists(content, limits, listSink(database, field, lists));
    }
    for (const { field, keys, spool } of keyed) {
      const each = field.kind === 'vocabulary' ? keysOfAll(spool, count) : keysOfSome(spool);
      storeKeys(each, [...keys.keys()], places, limits, listSink(database, field, lists));
      spool.discard();
    }
    letGo();
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
  };

  return {
    /** A source of batches with tables of keys of its own; gives the function that takes them. */
    lane() {
      const numbersOf: KeyNumbers = keyed.map(() => []);
      return (batch: Batch) => {
        texts.push(...batch.newTexts);
        takeKeys(batch, numbersOf);
        reader.read(batch, (arrival) => add(arrival, numbersOf));
      };
    },
    /** Stores order, indexes, texts and what is gone; nothing can be added afterwards. */
    finish(): TypeResult {
      storeIndexes();
      storeGone();
      const text = database.prepare('insert into packed_text (type, number, text) values (?, ?, ?)');
      texts.forEach((value, number) => {
        text.run(type, number, value);
      });
      return { count, changes: versions.changes() };
    },
    discard() {
      const spools = [orderKeys, keyLengths, mostItems, instantOf];
      for (const spool of [...spools, ...[...words, ...keyed, ...printed].map((one) => one.spool)]) spool.discard();
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
