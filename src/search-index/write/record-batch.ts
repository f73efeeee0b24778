// Owns the form in which resources travel from the writer to the builder, perhaps to another thread: batches of bytes,
// because millions of small objects and strings cost more to hand over than to make.
// Does not own the packing of their text (`sqlite-packer.ts`) nor what is done with them (`sqlite-type-builder.ts`).

import { FIELDS, type Field, hasVocabulary, isWideKey } from '../file-layout.ts';
import { hashKey, highHalf } from '../hash-key.ts';
import { INDEX_FIELDS, type IndexedResource, type ResourceType } from '../snapshot.ts';
import { createTextPacker, type TextPacker } from './dictionary-encoder.ts';

/** Resources of one type; `newTexts` and `newKeys` continue the tables of its maker that its bytes refer to. */
export interface Batch {
  type: ResourceType;
  bytes: Uint8Array<ArrayBuffer>;
  count: number;
  newTexts: string[];
  /** By field number. */
  newKeys: Record<number, string[]>;
}

/**
 * A resource out of a batch, as places in it: one object serves for all, and is valid until the next one is read.
 * What is text stands in UTF-8.
 */
export interface Arrival {
  bytes: Buffer;
  /** The same memory. */
  numbers: Uint32Array;
  sortKey: Span;
  id: Span;
  /** Packed. */
  body: Span;
  /** Items of each field of kind `words`, in their order. */
  items: number[];
  /** Those items one after another, each followed by a zero byte. */
  texts: Span;
  /** For the other fields, in their order: where in `numbers` the count of keys stands, before their numbers. */
  keys: number[];
  /** For the fields of kind `fingerprint`, in their order: the same, with high and low halves in turn. */
  fingerprints: number[];
}

/** Places of bytes. */
export interface Span {
  start: number;
  end: number;
}

const BATCH_BYTES = 2 ** 18;

interface TypeFields {
  words: readonly Field[];
  /** With a vocabulary: the kind of that name, and fingerprints for their keys of whole systems. */
  keyed: readonly (Field & { numbers: Map<string, number> })[];
  printed: readonly Field[];
}

function fieldsOf(type: ResourceType): TypeFields {
  const fields = FIELDS.filter((field) => field.type === type);
  return {
    words: fields.filter(({ kind }) => kind === 'words'),
    keyed: fields.filter(({ kind }) => hasVocabulary(kind)).map((field) => ({ ...field, numbers: new Map() })),
    printed: fields.filter(({ kind }) => kind === 'fingerprint'),
  };
}

export interface BatchMaker {
  /** Returns a batch when one is full. Throws for a resource that breaks the contract of `SnapshotWriter.add`. */
  add(resource: IndexedResource): Batch | undefined;
  /** The rest, if any. */
  rest(): Batch | undefined;
  /** Takes back the memory of a batch that was read: left to the garbage collector it would pile up. */
  reuse(buffer: ArrayBuffer): void;
  packer: Pick<TextPacker, 'texts' | 'settle'>;
  /** The texts so far are known to who reads the batches. */
  forgetTexts(): void;
}

/** @param texts table of the snapshot before, see `createTextPacker` */
export function createBatchMaker(type: ResourceType, texts: readonly string[]): BatchMaker {
  const packer = createTextPacker(texts);
  const fields = fieldsOf(type);
  const known = new Set<string>(Object.keys(INDEX_FIELDS[type]));
  const spare: ArrayBuffer[] = [];
  let bytes = Buffer.allocUnsafeSlow(BATCH_BYTES);
  // The same memory: everything begins at a multiple of four bytes.
  let numbers = new Uint32Array(bytes.buffer);
  let end = 0;
  let count = 0;
  let sentTexts = texts.length;
  let newKeys: Record<number, string[]> = {};

  const flush = (): Batch => {
    const batch = {
      type,
      bytes: new Uint8Array(bytes.buffer as ArrayBuffer, 0, end),
      count,
      newTexts: packer.texts.slice(sentTexts),
      newKeys,
    };
    const used = spare.pop();
    bytes = used ? Buffer.from(used) : Buffer.allocUnsafeSlow(BATCH_BYTES);
    numbers = new Uint32Array(bytes.buffer);
    end = 0;
    count = 0;
    sentTexts = packer.texts.length;
    newKeys = {};
    return batch;
  };
  const room = (wanted: number) => {
    if (end + wanted <= bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(roundedUp(Math.max(bytes.length * 2, end + wanted)));
    bytes.copy(larger, 0, 0, end);
    bytes = larger;
    numbers = new Uint32Array(bytes.buffer);
  };
  const putNumber = (value: number) => {
    room(4);
    numbers[end >>> 2] = value;
    end += 4;
  };
  const putText = (text: string) => {
    room(8 + text.length * 3);
    const size = bytes.write(text, end + 4, 'utf8');
    numbers[end >>> 2] = size;
    end += 4 + roundedUp(size);
  };
  const putBytes = (text: Buffer) => {
    room(8 + text.length);
    numbers[end >>> 2] = text.length;
    bytes.set(text, end + 4);
    end += 4 + roundedUp(text.length);
  };
  /** Numbers behind `at`, where their count is to stand. */
  const closeNumbers = (at: number) => {
    numbers[at >>> 2] = (end - at) / 4 - 1;
  };
  const numberOf = (field: Field & { numbers: Map<string, number> }, key: string): number => {
    let number = field.numbers.get(key);
    if (number === undefined) {
      number = field.numbers.size;
      field.numbers.set(key, number);
      newKeys[field.number] ??= [];
      newKeys[field.number]?.push(key);
    }
    return number;
  };

  return {
    rest: () => (count > 0 || packer.texts.length > sentTexts ? flush() : undefined),
    reuse(buffer) {
      if (buffer.byteLength >= BATCH_BYTES) spare.push(buffer);
    },
    packer,
    forgetTexts() {
      sentTexts = packer.texts.length;
    },
    add({ id, sortKey, resource, index }) {
      for (const name in index) {
        if (!known.has(name)) throw new Error(`${type} has no field ${name} to index: see INDEX_FIELDS`);
      }
      if (resource.resourceType !== type || resource.id !== id) {
        throw new Error(`${type}/${id} holds a resource that calls itself ${resource.resourceType}/${resource.id}`);
      }
      if ('meta' in resource) throw new Error(`${type}/${id} brings its own meta: the snapshot gives version and date`);
      const start = end;
      putText(sortKey);
      putText(id);
      putBytes(packer.pack(resource));
      let texts = '';
      for (const { name } of fields.words) {
        const items = index[name] ?? NONE;
        putNumber(items.length);
        for (const item of items) texts += `${item.includes('\0') ? item.replaceAll('\0', ' ') : item}\0`;
      }
      putText(texts);
      for (const field of fields.keyed) {
        const keys = index[field.name] ?? NONE;
        const at = end;
        putNumber(0);
        for (const key of keys) if (field.kind === 'vocabulary' || isWideKey(key)) putNumber(numberOf(field, key));
        closeNumbers(at);
      }
      for (const { name } of fields.printed) {
        const keys = name === 'id' ? [id] : (index[name] ?? NONE);
        const at = end;
        putNumber(0);
        for (const key of keys) {
          if (isWideKey(key)) continue;
          const low = hashKey(key);
          putNumber(highHalf());
          putNumber(low);
        }
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

export interface BatchReader {
  /** All resources of a batch, one after another. */
  read(batch: Batch, each: (arrival: Arrival) => void): void;
}

export function createBatchReader(type: ResourceType): BatchReader {
  const { words, keyed, printed } = fieldsOf(type);
  return {
    read(batch, each) {
      const { buffer, byteOffset, byteLength } = batch.bytes;
      const span = (): Span => ({ start: 0, end: 0 });
      const arrival: Arrival = {
        bytes: Buffer.from(buffer, byteOffset, byteLength),
        numbers: new Uint32Array(buffer, byteOffset, byteLength / 4),
        ...{ sortKey: span(), id: span(), body: span(), texts: span() },
        ...{ items: words.map(() => 0), keys: keyed.map(() => 0), fingerprints: printed.map(() => 0) },
      };
      const { numbers } = arrival;
      let at = 0;
      const takeSpan = (place: Span) => {
        place.start = at + 4;
        place.end = place.start + (numbers[at >>> 2] as number);
        at = place.start + roundedUp(place.end - place.start);
      };
      /** Stands before numbers that are their count. */
      const takeNumbers = (places: number[]) => {
        for (let index = 0; index < places.length; index++) {
          places[index] = at >>> 2;
          at += 4 + (numbers[at >>> 2] as number) * 4;
        }
      };
      for (let left = batch.count; left > 0; left--) {
        takeSpan(arrival.sortKey);
        takeSpan(arrival.id);
        takeSpan(arrival.body);
        for (let index = 0; index < words.length; index++, at += 4) arrival.items[index] = numbers[at >>> 2] as number;
        takeSpan(arrival.texts);
        takeNumbers(arrival.keys);
        takeNumbers(arrival.fingerprints);
        each(arrival);
      }
    },
  };
}
