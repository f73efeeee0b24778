// Batches of bytes that carry resources from the writer to the builder, which may be in another thread. Resources travel as bytes, because
// sending millions of small objects and strings would take longer than making them.

import { hashedKey } from '#search-index/exact-keys.ts';
import { type Field, fieldsOf, isWideKey } from '#search-index/file-layout.ts';
import { hashedFrom, hashKey } from '#search-index/hash-buckets.ts';
import { MICRO, positionOfItem } from '#search-index/positions.ts';
import { INDEX_FIELDS, type IndexedResource, type ResourceType } from '#search-index/snapshot.ts';
import { isRepeated, refuseFaulty } from '#search-index/snapshot-writer.ts';
import { createDictionaryEncoder, type DictionaryEncoder } from './dictionary-encoder.ts';

/**
 * Resources of one type. The batch writer has tables of repeated texts and of keys, and `bytes` has only the numbers of their entries.
 * `newTexts` and `newKeys` are the entries that were added to these tables since the batch before.
 */
export interface RecordBatch {
  type: ResourceType;
  bytes: Uint8Array<ArrayBuffer>;
  count: number;
  newTexts: string[];
  /** New keys, by the number of their field. */
  newKeys: Record<number, string[]>;
}

/**
 * One resource of a batch, as offsets into the bytes. The same object is used for all resources, so its content is valid only until the
 * next resource is read. Texts are in UTF-8.
 */
export interface BatchRecord {
  bytes: Buffer;
  /** The same memory as `bytes`. */
  numbers: Uint32Array;
  sortKey: Span;
  id: Span;
  /** The encoded body. */
  body: Span;
  /** The number of items in each field of kind `words`, in the order of the fields. */
  items: number[];
  /** The texts of all items in these fields. A zero byte follows each text. */
  texts: Span;
  /**
   * One index into `numbers` for each field of the group `keyed` (`fieldsOf` in `file-layout.ts`). At this index, `numbers` has the count
   * of the field's keys, and then the keys.
   */
  keys: number[];
  /**
   * One index into `numbers` for each field of the group `paired`. At this index, `numbers` has twice the count of the field's pairs, and
   * then the pairs. A pair is the high and low half of a hash, or latitude and longitude in millionths of degrees.
   */
  pairs: number[];
}

/** The bounds of a text. */
interface Span {
  start: number;
  end: number;
}

const BATCH_BYTES = 2 ** 18;
/** A new hash is compared with at most 64 hashes, those just before it. This is their size in 32-bit numbers: each hash has two. */
const MOST_COMPARED = 128;

/** A field. `numbers` has the number of each of its keys, and `lists` the numbers of each list of keys that many resources share. */
interface KeyedField extends Field {
  numbers: Map<string, number>;
  lists: Map<readonly string[], Uint32Array>;
}

interface BatchWriter {
  /** Adds a resource. Returns a batch when it is full. Throws like `refuseFaulty`. */
  add(resource: IndexedResource): RecordBatch | undefined;
  /** Returns a batch of the remaining resources and new texts; undefined if there are neither. */
  rest(): RecordBatch | undefined;
  /**
   * Takes back the memory of a batch that was read, so that it is used again. Otherwise memory would pile up, because the garbage collector
   * would free it too late.
   */
  reuse(buffer: ArrayBuffer): void;
  encoder: Pick<DictionaryEncoder, 'texts' | 'freeze'>;
  /** Leaves all present texts out of the next batch, because its reader already has them. */
  forgetTexts(): void;
}

/**
 * Makes the writer of the batches of one type.
 * @param texts texts of the previous snapshot, see `createDictionaryEncoder`
 */
export function createBatchWriter(type: ResourceType, texts: readonly string[]): BatchWriter {
  const encoder = createDictionaryEncoder(texts);
  const fields = fieldsOf(type);
  const keyedFields = fields.keyed.map((field): KeyedField => ({ ...field, numbers: new Map(), lists: new Map() }));
  const known = new Set<string>(Object.keys(INDEX_FIELDS[type]));
  const spare: ArrayBuffer[] = [];
  const hash = new Uint32Array(2);
  let bytes = Buffer.allocUnsafeSlow(BATCH_BYTES);
  // The same memory as 32-bit numbers. This is possible because every number and text begins at a multiple of four bytes.
  let numbers = new Uint32Array(bytes.buffer);
  let end = 0;
  let count = 0;
  let sentTexts = texts.length;
  let newKeys: Record<number, string[]> = {};

  const flush = (): RecordBatch => {
    const batch = {
      type,
      bytes: new Uint8Array(bytes.buffer as ArrayBuffer, 0, end),
      count,
      newTexts: encoder.texts.slice(sentTexts),
      newKeys,
    };
    const used = spare.pop();
    bytes = used ? Buffer.from(used) : Buffer.allocUnsafeSlow(BATCH_BYTES);
    numbers = new Uint32Array(bytes.buffer);
    end = 0;
    count = 0;
    sentTexts = encoder.texts.length;
    newKeys = {};
    return batch;
  };
  const reserve = (wanted: number) => {
    if (end + wanted <= bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(roundedUp(Math.max(bytes.length * 2, end + wanted)));
    bytes.copy(larger, 0, 0, end);
    bytes = larger;
    numbers = new Uint32Array(bytes.buffer);
  };
  const putNumber = (value: number) => {
    reserve(4);
    numbers[end >>> 2] = value;
    end += 4;
  };
  const putText = (text: string) => {
    reserve(8 + text.length * 3);
    const size = bytes.write(text, end + 4, 'utf8');
    numbers[end >>> 2] = size;
    end += 4 + roundedUp(size);
  };
  const putBytes = (text: Buffer) => {
    reserve(8 + text.length);
    numbers[end >>> 2] = text.length;
    bytes.set(text, end + 4);
    end += 4 + roundedUp(text.length);
  };
  /** Writes at `at` how many numbers follow it. */
  const closeNumbers = (at: number) => {
    numbers[at >>> 2] = (end - at) / 4 - 1;
  };
  /**
   * Checks whether the resource already has this hash in the field. The hashes of the field begin after `at`, and only the last 64 are
   * compared. This is enough, because equal keys come close together, and only faulty data has more keys in a field.
   */
  const isNear = (at: number): boolean => {
    for (let pair = Math.max((at >>> 2) + 1, (end >>> 2) - MOST_COMPARED); pair < end >>> 2; pair += 2)
      if (numbers[pair] === hash[0] && numbers[pair + 1] === hash[1]) return true;
    return false;
  };
  const numberOf = (field: KeyedField, key: string): number => {
    let number = field.numbers.get(key);
    if (number === undefined) {
      number = field.numbers.size;
      field.numbers.set(key, number);
      newKeys[field.number] ??= [];
      newKeys[field.number]?.push(key);
    }
    return number;
  };
  const numbersOf = (field: KeyedField, keys: readonly string[]): Uint32Array => {
    const known = field.lists.get(keys);
    if (known) return known;
    const wanted = field.kind === 'keyword' ? keys : keys.filter(isWideKey);
    const made = Uint32Array.from(wanted, (key) => numberOf(field, key));
    field.lists.set(keys, made);
    return made;
  };

  const putItems = (index: IndexedResource['index']) => {
    let texts = '';
    for (const { name } of fields.words) {
      const items = index[name] ?? NONE;
      putNumber(items.length);
      for (const item of items) texts += `${item.includes('\0') ? item.replaceAll('\0', ' ') : item}\0`;
    }
    putText(texts);
  };
  const putKeys = (field: KeyedField, keys: readonly string[]) => {
    if (isRepeated(keys)) for (const number of numbersOf(field, keys)) putNumber(number);
    else for (const key of keys) if (field.kind === 'keyword' || isWideKey(key)) putNumber(numberOf(field, key));
  };
  const putPositions = (keys: readonly string[]) => {
    for (const key of keys) {
      const { latitude, longitude } = positionOfItem(key);
      putNumber(Math.round(latitude * MICRO));
      putNumber(Math.round(longitude * MICRO));
    }
  };
  const putHashes = ({ name, target }: Field, keys: readonly string[], at: number) => {
    for (const key of keys) {
      if (isWideKey(key) || hashedKey(name, key) !== key) continue;
      hashKey(key, hash, hashedFrom(key, target));
      if (isNear(at)) continue;
      putNumber(hash[0] as number);
      putNumber(hash[1] as number);
    }
  };

  return {
    rest: () => (count > 0 || encoder.texts.length > sentTexts ? flush() : undefined),
    reuse(buffer) {
      if (buffer.byteLength >= BATCH_BYTES) spare.push(buffer);
    },
    encoder,
    forgetTexts() {
      sentTexts = encoder.texts.length;
    },
    add(added) {
      refuseFaulty(added, type, known);
      const { id, sortKey, resource, index } = added;
      const start = end;
      putText(sortKey);
      putText(id);
      putBytes(encoder.encode(resource));
      putItems(index);
      for (const field of keyedFields) {
        const at = end;
        putNumber(0);
        putKeys(field, index[field.name] ?? NONE);
        closeNumbers(at);
      }
      for (const field of fields.paired) {
        const keys = field.name === 'id' ? [id] : (index[field.name] ?? NONE);
        const at = end;
        putNumber(0);
        if (field.kind === 'position') putPositions(keys);
        else putHashes(field, keys, at);
        closeNumbers(at);
      }
      count++;
      return end + (end - start) >= BATCH_BYTES ? flush() : undefined;
    },
  };
}

const NONE: readonly string[] = [];

function roundedUp(size: number): number {
  return (size + 3) & ~3;
}

interface BatchReader {
  /** Calls `each` with every resource of a batch, one after another. */
  read(batch: RecordBatch, each: (record: BatchRecord) => void): void;
}

export function createBatchReader(type: ResourceType): BatchReader {
  const { words, keyed, paired } = fieldsOf(type);
  return {
    read(batch, each) {
      const { buffer, byteOffset, byteLength } = batch.bytes;
      const span = (): Span => ({ start: 0, end: 0 });
      const record: BatchRecord = {
        bytes: Buffer.from(buffer, byteOffset, byteLength),
        numbers: new Uint32Array(buffer, byteOffset, byteLength / 4),
        sortKey: span(),
        id: span(),
        body: span(),
        texts: span(),
        items: words.map(() => 0),
        keys: keyed.map(() => 0),
        pairs: paired.map(() => 0),
      };
      const { numbers } = record;
      let at = 0;
      const takeSpan = (span: Span) => {
        span.start = at + 4;
        span.end = span.start + (numbers[at >>> 2] as number);
        at = span.start + roundedUp(span.end - span.start);
      };
      /**
       * Stores in `offsets` the index at which the list of each field begins, and skips the lists. A list begins with the count of its
       * numbers.
       */
      const takeNumbers = (offsets: number[]) => {
        for (let index = 0; index < offsets.length; index++) {
          offsets[index] = at >>> 2;
          at += 4 + (numbers[at >>> 2] as number) * 4;
        }
      };
      for (let left = batch.count; left > 0; left--) {
        takeSpan(record.sortKey);
        takeSpan(record.id);
        takeSpan(record.body);
        for (let index = 0; index < words.length; index++, at += 4) record.items[index] = numbers[at >>> 2] as number;
        takeSpan(record.texts);
        takeNumbers(record.keys);
        takeNumbers(record.pairs);
        each(record);
      }
    },
  };
}
