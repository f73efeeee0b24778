// Spill files hold the lines of an edition on disk while they are grouped, because all lines together would need too much memory. A record
// goes into a bucket by the hash of its key. The buckets are read back one by one.

import { closeSync, openSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ImportError, type SourceLocation } from '#import/collect/import-error.ts';

const { imul } = Math;

/**
 * A record of a bucket. `file` and `line` are the numbers of the source and the line from which the record came. `start` and `end` are the
 * bounds of its bytes in the bucket.
 */
export interface SpillRecord {
  kind: number;
  file: number;
  line: number;
  start: number;
  end: number;
}

/**
 * Maximum size of a bucket in bytes, because a whole bucket is held in memory. Buckets only become so large if many records have the same
 * key.
 */
const LARGEST_BUCKET = 1 << 28;

const HEAD = 12;
const BUFFER = 1 << 15;

/** The file of a bucket, and the buffer with the bytes that are still to be written to it. */
interface Bucket {
  descriptor: number;
  buffer: Buffer;
  /** Number of bytes in the buffer. */
  used: number;
  /** Number of bytes in the file. */
  written: number;
}

export type SpillFiles = ReturnType<typeof createSpillFiles>;

interface SpillOptions {
  /** Returns the name of a source by its number, for messages. Absent if the records come from sources without names. */
  nameOf?: (file: number) => string | undefined;
  /** Maximum size of a bucket in bytes. */
  largest?: number;
}

/** Creates the bucket files `<name>-<n>` in a folder. Only one writer at a time may use them. */
export function createSpillFiles(
  folder: string,
  name: string,
  buckets: number,
  { nameOf, largest = LARGEST_BUCKET }: SpillOptions = {},
) {
  const all = Array.from({ length: buckets }, (_, number): Bucket => {
    const descriptor = openSync(bucketPath(folder, name, number), 'w');
    return { descriptor, buffer: Buffer.allocUnsafe(BUFFER), used: 0, written: 0 };
  });

  function locationOf(file: number, line: number): SourceLocation {
    const name = nameOf?.(file);
    return name === undefined ? {} : { file: name, line };
  }

  function flush(bucket: Bucket): void {
    writeFileSync(bucket.descriptor, bucket.buffer.subarray(0, bucket.used));
    bucket.written += bucket.used;
    bucket.used = 0;
  }

  function closeAll(): void {
    for (const { descriptor } of all) closeSync(descriptor);
    all.length = 0;
  }

  /**
   * Reserves space for a record of `length` bytes in the buffer of a bucket, and writes the head of the record. Returns the buffer and the
   * index at which the caller must write these bytes.
   */
  function begin(number: number, kind: number, file: number, line: number, length: number): [Buffer, number] {
    const bucket = all[number] as Bucket;
    if (HEAD + length > BUFFER - bucket.used) flush(bucket);
    if (bucket.written > largest) throw tooManyLines('one and the same person or structure', locationOf(file, line));
    if (HEAD + length > bucket.buffer.length) bucket.buffer = Buffer.allocUnsafe(HEAD + length);
    const { buffer, used: at } = bucket;
    buffer.writeUInt32LE(length, at);
    buffer.writeUInt32LE(line, at + 4);
    buffer.writeUInt16LE(file, at + 8);
    buffer.writeUInt16LE(kind, at + 10);
    bucket.used = at + HEAD + length;
    return [buffer, at + HEAD];
  }

  return {
    buckets,
    /** Adds a record with the bytes from `start` to `end` of a source buffer. */
    add(bucket: number, kind: number, file: number, line: number, source: Buffer, start: number, end: number): void {
      const [buffer, at] = begin(bucket, kind, file, line, end - start);
      source.copy(buffer, at, start, end);
    },
    /** Adds a record with a text. */
    addText(bucket: number, kind: number, file: number, line: number, text: string): void {
      const [buffer, at] = begin(bucket, kind, file, line, Buffer.byteLength(text));
      buffer.write(text, at);
    },
    /** Writes the bytes that are still in the buffers, and closes the files. No record may be added afterwards. */
    seal(): void {
      all.forEach(flush);
      closeAll();
    },
    /** Returns the content of one bucket, and deletes its file. */
    take: (bucket: number): Buffer => createBucketMemory().take(folder, [name], bucket),
    /** Closes the files when an import ends early. They are deleted with their folder. */
    close: closeAll,
  };
}

function bucketPath(folder: string, name: string, bucket: number): string {
  return join(folder, `${name}-${bucket}`);
}

/**
 * Makes a buffer that is used for one bucket after another. If each bucket had a buffer of its own, the large buffers would pile up until
 * the garbage collector frees them.
 */
export function createBucketMemory() {
  let memory = Buffer.alloc(0);
  return {
    /**
     * Returns the content of a bucket from several sealed spills together, for `eachRecord`. Deletes the files. The content is only valid
     * until the next call, because that overwrites the buffer.
     */
    take(folder: string, names: readonly string[], bucket: number): Buffer {
      const paths = names.map((name) => bucketPath(folder, name, bucket));
      const sizes = paths.map((path) => statSync(path).size);
      const total = sizes.reduce((sum, size) => sum + size, 0);
      if (total > memory.length) memory = Buffer.allocUnsafeSlow(Math.ceil(total * 1.2));
      let end = 0;
      for (const [at, path] of paths.entries())
        end += readInto(path, memory.subarray(end, end + (sizes[at] as number)));
      return memory.subarray(0, end);
    },
  };
}

function readInto(path: string, target: Buffer): number {
  const file = openSync(path, 'r');
  try {
    for (let done = 0; done < target.length; ) {
      const count = readSync(file, target, done, target.length - done, done);
      if (count === 0) throw new Error(`${path} is shorter than what was written to it: is the disk full?`);
      done += count;
    }
  } finally {
    closeSync(file);
  }
  rmSync(path);
  return target.length;
}

/** Calls `onRecord` with every record in the content of a bucket. The record is always the same object, with new values. */
export function eachRecord(content: Buffer, onRecord: (record: SpillRecord) => void): void {
  const record = { kind: 0, file: 0, line: 0, start: 0, end: 0 };
  for (let at = 0; at < content.length; at = record.end) {
    readRecord(content, at + HEAD, record);
    onRecord(record);
  }
}

/**
 * Reads the record that begins at the byte `start` into the object `record`. Callers that need many records keep only their `start`,
 * because objects for all records would burden the garbage collector.
 */
export function readRecord(content: Buffer, start: number, record: SpillRecord): void {
  const at = start - HEAD;
  record.start = start;
  record.end = start + content.readUInt32LE(at);
  record.line = content.readUInt32LE(at + 4);
  record.file = content.readUInt16LE(at + 8);
  record.kind = content.readUInt16LE(at + 10);
}

/** Returns the bucket of a key: the FNV-1a hash of the bytes from `start` to `end`, modulo the number of buckets. */
export function bucketOf(bytes: Buffer, start: number, end: number, buckets: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return (hash >>> 0) % buckets;
}

/** Returns the bucket of a key that is a text. */
export function bucketOfText(text: string, buckets: number): number {
  const bytes = Buffer.from(text);
  return bucketOf(bytes, 0, bytes.length, buckets);
}

/** Maximum number of lines about one person or structure. In published files, it is a few hundred at most. */
export const MOST_LINES = 10_000;

/** Makes the error for too many lines about one person or structure. */
export function tooManyLines(about: string, location: SourceLocation): ImportError {
  return new ImportError(
    location,
    `too many lines are about ${about}.`,
    'Is an identifier repeated in place of many? Take the files as published.',
  );
}
