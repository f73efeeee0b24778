// Spill files group the unsorted lines of an edition, so that they need not be held in memory. Records go into buckets by a hash of their
// key, and are read back bucket by bucket.

import { closeSync, openSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ImportError, type SourceLocation } from '#import/collect/import-error.ts';

const { imul } = Math;

/** A record that is read back. `file` and `line` say from where it came. */
export interface SpillRecord {
  kind: number;
  file: number;
  line: number;
  start: number;
  end: number;
}

/** Maximum size of a bucket in bytes. A whole bucket is held in memory. If the keys differ, buckets are far smaller. */
const LARGEST_BUCKET = 1 << 28;

const HEAD = 12;
const BUFFER = 1 << 15;

/** The file of a bucket, and the bytes that are not written to it yet. */
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
  /** Returns the name of a file by its number, for messages. Absent if the records come from files without names. */
  nameOf?: (file: number) => string | undefined;
  /** Maximum size of a bucket in bytes. */
  largest?: number;
}

/** Creates a set of bucket files `<name>-<n>` in a folder. Only one writer may use it at a time. */
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

  /** Reserves space for a record in the bucket's buffer, and writes the head of the record. The caller then writes `length` bytes. */
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
    /** Adds a record with bytes of a source buffer. */
    add(bucket: number, kind: number, file: number, line: number, source: Buffer, start: number, end: number): void {
      const [buffer, at] = begin(bucket, kind, file, line, end - start);
      source.copy(buffer, at, start, end);
    },
    /** Adds a record with a text. */
    addText(bucket: number, kind: number, file: number, line: number, text: string): void {
      const [buffer, at] = begin(bucket, kind, file, line, Buffer.byteLength(text));
      buffer.write(text, at);
    },
    /** Writes what is left in the buffers. Nothing may be added afterwards. */
    seal(): void {
      all.forEach(flush);
      closeAll();
    },
    /** Returns the content of one bucket, and deletes its file. */
    take: (bucket: number): Buffer => createBucketMemory().take(folder, [name], bucket),
    /** Closes the files if an import ends early. The owner of the folder deletes them. */
    close: closeAll,
  };
}

function bucketPath(folder: string, name: string, bucket: number): string {
  return join(folder, `${name}-${bucket}`);
}

/**
 * Makes memory that one bucket after another uses. If each bucket had memory of its own, large buckets would pile up until they are
 * collected.
 */
export function createBucketMemory() {
  let memory = Buffer.alloc(0);
  return {
    /**
     * Returns the content of one bucket of several sealed spills, for `eachRecord`. It is valid until the next call. The files are deleted.
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

/** Calls `onRecord` with every record in the content of a bucket. The record is the same object each time. */
export function eachRecord(content: Buffer, onRecord: (record: SpillRecord) => void): void {
  const record = { kind: 0, file: 0, line: 0, start: 0, end: 0 };
  for (let at = 0; at < content.length; at = record.end) {
    readRecord(content, at + HEAD, record);
    onRecord(record);
  }
}

/**
 * Reads the record that begins at `start`. Callers keep only `start` to find a record again, because objects of all records would be
 * garbage that lives long.
 */
export function readRecord(content: Buffer, start: number, record: SpillRecord): void {
  const at = start - HEAD;
  record.start = start;
  record.end = start + content.readUInt32LE(at);
  record.line = content.readUInt32LE(at + 4);
  record.file = content.readUInt16LE(at + 8);
  record.kind = content.readUInt16LE(at + 10);
}

/** Returns the bucket of a key, which is given as bytes (FNV-1a). */
export function bucketOf(bytes: Buffer, start: number, end: number, buckets: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return (hash >>> 0) % buckets;
}

/** Returns the bucket of a key, which is given as text. */
export function bucketOfText(text: string, buckets: number): number {
  const bytes = Buffer.from(text);
  return bucketOf(bytes, 0, bytes.length, buckets);
}

/** Maximum number of lines about one person or structure. Published files have some hundred at most. */
export const MOST_LINES = 10_000;

/** Makes the error for too many lines about one person or structure. */
export function tooManyLines(about: string, location: SourceLocation): ImportError {
  return new ImportError(
    location,
    `too many lines are about ${about}.`,
    'Is an identifier repeated in place of many? Take the files as published.',
  );
}
