// Builds one resource type of a snapshot file. It stores resources in the order of their arrival. At the end it builds the alphabetical
// order and the index.

import type BetterSqlite3 from 'better-sqlite3';
import { FIRST_LIST, type Field, fieldsOf, type ListLimits, TABLE_OF } from '#search-index/file-layout.ts';
import { storeInstants } from '#search-index/last-updated-index.ts';
import { storePositions } from '#search-index/read/position-index.ts';
import { releaseMemory } from '#search-index/release-memory.ts';
import { type ResourceType, SORT_FIELDS } from '#search-index/snapshot.ts';
import type { ChangeSamples, SnapshotSummary } from '#search-index/snapshot-writer.ts';
import { type DocOrder, type EachKey, listSinks, storeKeyHashes, storeKeys, storeOrder } from './index-tables.ts';
import { alphabeticalOrder, cutIntoSegments, storeTextOrder } from './orders.ts';
import { createTokenSpill } from './postings-collector.ts';
import { buildLists } from './postings-writer.ts';
import { type BatchRecord, createBatchReader, type RecordBatch } from './record-batch.ts';
import { createByteSpill, createNumberSpill, type SpillFile } from './spill-file.ts';
import type { Versions } from './versions.ts';

interface TypeBuilderOptions {
  /** The unfinished file. Spill files are beside it, with its name and a suffix. */
  file: string;
  limits: ListLimits;
  /** Texts of the previous snapshot. Marks in the new resources may replace these texts too. */
  texts?: readonly string[];
  /** Makes the object that gives each resource its version and date. `texts` are those of the new snapshot. */
  versions(texts: readonly string[]): Versions;
}

export interface TypeResult {
  count: number;
  changes: SnapshotSummary['changes'][ResourceType];
  samples: ChangeSamples;
}

/**
 * A type with at least this many resources is large. To limit memory, the arrays for one field of a large type are freed before those for
 * the next field are made.
 */
const LARGE = 200_000;

export type TypeBuilder = ReturnType<typeof createTypeBuilder>;

type SinkOf = ReturnType<typeof listSinks>;

/** Makes the builder of one type. It stores resources into the tables of an open file. */
export function createTypeBuilder(database: BetterSqlite3.Database, type: ResourceType, options: TypeBuilderOptions) {
  const { limits } = options;
  const table = TABLE_OF[type];
  const numbers = (name: string) => createNumberSpill(`${options.file}.${table}.${name}`);
  const orderKeys = createByteSpill(`${options.file}.${table}.keys`);
  const keyLengths = numbers('lengths');
  const mostItems = numbers('items');
  const instantOf = numbers('instants');
  const instants = new Map<number, number>();
  const fields = fieldsOf(type);
  const words = fields.words.map((field) => createTokenSpill(field, numbers(field.name)));
  const keyed = fields.keyed.map((field) => ({
    field,
    keys: new Map<string, number>(),
    spill: numbers(`${field.name}.keys`),
  }));
  const paired = fields.paired.map((field) => ({ field, spill: numbers(field.name) }));
  // Texts are bound as bytes, because making strings of them would take longer than storing them.
  const insert = database.prepare(
    `insert into ${table} (ordinal, id, version, updated, body) values (?, cast(? as text), ?, ?, cast(? as text))`,
  );
  const texts = [...(options.texts ?? [])];
  const versions = options.versions(texts);
  const reader = createBatchReader(type);
  let count = 0;

  /** For each field, the numbers that its keys have in this builder. The index of a key is the number that it has in a batch writer. */
  type KeyNumbers = number[][];

  const takeKeys = (batch: RecordBatch, numbersOf: KeyNumbers) => {
    for (const [at, { field, keys }] of keyed.entries()) {
      for (const key of batch.newKeys[field.number] ?? []) {
        const number = keys.get(key) ?? keys.size;
        keys.set(key, number);
        numbersOf[at]?.push(number);
      }
    }
  };

  const addOrderKey = ({ bytes, sortKey, id }: BatchRecord) => {
    // A zero byte separates the sort key from the id. It sorts before every other byte, so the id decides only if the sort keys are equal.
    for (let at = sortKey.start; at < sortKey.end; at++) orderKeys.push(bytes[at] as number);
    orderKeys.push(0);
    for (let at = id.start; at < id.end; at++) orderKeys.push(bytes[at] as number);
    keyLengths.push(sortKey.end - sortKey.start + 1 + id.end - id.start);
  };

  const addItems = ({ bytes, texts, items }: BatchRecord) => {
    let most = 1;
    for (let at = 0, text = texts.start; at < words.length; at++) {
      const itemCount = items[at] as number;
      text = (words[at] as (typeof words)[number]).add(bytes, text, itemCount);
      if (itemCount > most) most = itemCount;
    }
    mostItems.push(most);
  };

  const addKeys = ({ numbers: all, keys }: BatchRecord, ordinal: number, numbersOf: KeyNumbers) => {
    for (let at = 0; at < keyed.length; at++) {
      const { field, spill } = keyed[at] as (typeof keyed)[number];
      const numberOf = numbersOf[at] as number[];
      const first = (keys[at] as number) + 1;
      const end = first + (all[first - 1] as number);
      if (field.kind === 'keyword') spill.push(end - first);
      for (let key = first; key < end; key++) {
        spill.push(numberOf[all[key] as number] as number);
        if (field.kind !== 'keyword') spill.push(ordinal);
      }
    }
  };

  const addPairs = ({ numbers: all, pairs }: BatchRecord, ordinal: number) => {
    for (let at = 0; at < paired.length; at++) {
      const { spill } = paired[at] as (typeof paired)[number];
      const first = (pairs[at] as number) + 1;
      const end = first + (all[first - 1] as number);
      for (let half = first; half < end; half += 2) {
        spill.push(all[half] as number);
        spill.push(all[half + 1] as number);
        spill.push(ordinal);
      }
    }
  };

  const add = (record: BatchRecord, numbersOf: KeyNumbers) => {
    const { bytes, id } = record;
    const ordinal = count++;
    const idBytes = bytes.subarray(id.start, id.end);
    const body = bytes.subarray(record.body.start, record.body.end);
    const { version, updated } = versions.of(idBytes, body);
    insert.run(ordinal, idBytes, version, updated, body);
    const instant = instants.get(updated) ?? instants.size;
    if (instant === instants.size) instants.set(updated, instant);
    instantOf.push(instant);
    addOrderKey(record);
    addItems(record);
    addKeys(record, ordinal, numbersOf);
    addPairs(record, ordinal);
  };

  const storeGone = () => {
    const gone = database.prepare('insert into gone (type, id, version, since) values (?, ?, ?, ?)');
    for (const { id, version, since } of versions.gone()) gone.run(type, id, version, since);
  };

  /** Frees the arrays of the step before, if the type is large. */
  const collectGarbage = () => {
    if (count >= LARGE) releaseMemory();
  };

  const storeWords = ({ order, segmentStarts }: DocOrder, sinkOf: SinkOf) => {
    for (const { field, spill, terms } of words) {
      collectGarbage();
      const content = { order, segmentStarts, spill: spill.take(), keys: terms() };
      if (SORT_FIELDS[type].includes(field.name)) storeTextOrder(database, field.number, content);
      buildLists(content, limits, sinkOf(field));
    }
  };

  const storeAllKeys = (docOrder: DocOrder, sinkOf: SinkOf) => {
    for (const { field, keys, spill } of keyed) {
      const each = field.kind === 'keyword' ? keysOfAll(spill, count) : keysOfSome(spill);
      storeKeys(each, [...keys.keys()], docOrder, limits, sinkOf(field));
      spill.discard();
    }
  };

  /** Stores positions and hashes. Returns, for each field of hashes, the number of bits of a hash that choose its bucket. */
  const storePairs = (docOrder: DocOrder, sinkOf: SinkOf): Map<Field, number> => {
    const bits = new Map<Field, number>();
    for (const { field, spill } of paired) {
      if (field.kind === 'position') storePositions(database, field.number, spill.take(), docOrder.docIdOf);
      else bits.set(field, storeKeyHashes(database, field, spill.take(), docOrder, limits, sinkOf(field)));
    }
    return bits;
  };

  const storeIndexes = () => {
    const sinkOf = listSinks(database, { count: FIRST_LIST[type] });
    collectGarbage();
    const order = alphabeticalOrder(orderKeys.take(), keyLengths.take());
    const segmentStarts = cutIntoSegments(order, mostItems.take(), limits.segment);
    const docOrder: DocOrder = { order, segmentStarts, docIdOf: storeOrder(database, type, order, segmentStarts) };
    storeWords(docOrder, sinkOf);
    storeAllKeys(docOrder, sinkOf);
    collectGarbage();
    const bits = storePairs(docOrder, sinkOf);
    const dated = { instantOf: instantOf.take(), instants: [...instants.keys()] };
    for (const { kind, number } of fields.all) if (kind === 'instant') storeInstants(database, number, dated, docOrder);
    const insertField = database.prepare('insert into field (number, type, name, kind, bits) values (?, ?, ?, ?, ?)');
    for (const field of fields.all) insertField.run(field.number, type, field.name, field.kind, bits.get(field) ?? 0);
  };

  return {
    /** Registers a source of batches, which numbers its keys in its own way. Returns the function that takes the batches of this source. */
    queue() {
      const numbersOf: KeyNumbers = keyed.map(() => []);
      return (batch: RecordBatch) => {
        texts.push(...batch.newTexts);
        takeKeys(batch, numbersOf);
        reader.read(batch, (record) => add(record, numbersOf));
      };
    },
    /** Stores the order, the index, the texts and the removed resources. Nothing can be added afterwards. */
    finish(): TypeResult {
      storeIndexes();
      storeGone();
      const text = database.prepare('insert into dictionary (type, number, text) values (?, ?, ?)');
      for (const [number, value] of texts.entries()) text.run(type, number, value);
      return { count, changes: versions.changes(), samples: versions.samples() };
    },
    discard() {
      const spills = [orderKeys, keyLengths, mostItems, instantOf];
      for (const spill of [...spills, ...[...words, ...keyed, ...paired].map((one) => one.spill)]) spill.discard();
    },
  };
}

/** Reads spilled keys of a field in which every resource has an entry: the number of its keys, and then the keys. */
function keysOfAll(spill: SpillFile<Uint32Array>, resources: number): EachKey {
  return (take) => {
    const next = spill.reader();
    for (let ordinal = 0; ordinal < resources; ordinal++)
      for (let left = next(); left > 0; left--) take(next(), ordinal);
  };
}

/** Reads spilled keys of a field in which each key was written together with its ordinal. */
function keysOfSome(spill: SpillFile<Uint32Array>): EachKey {
  return (take) => {
    const next = spill.reader();
    for (let left = spill.length() / 2; left > 0; left--) {
      const key = next();
      take(key, next());
    }
  };
}
