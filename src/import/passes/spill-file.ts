// Spill files group the unsorted lines of an edition without holding them in memory. Records are distributed to buckets by a hash of their
// key, and read back bucket by bucket.

import { closeSync, openSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ImportError, type SourceLocation } from '#import/collect/import-error.ts';

const { imul } = Math;

/** A record that is read back. `file` and `line` say where it came from. */
export interface SpillRecord {
  kind: number;
  file: number;
  line: number;
  start: number;
  end: number;
}

/** Largest bucket in bytes. A bucket is held in memory as a whole, and is far smaller if its keys differ. */
const LARGEST_BUCKET = 1 << 28;

const HEAD = 12;
const BUFFER = 1 << 15;

/** The file of a bucket, with what is not written to it yet. */
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
  /** Name of a file by its number, for messages; absent if records come from no file with a name. */
  nameOf?: (file: number) => string | undefined;
  /** Largest bucket in bytes. */
  largest?: number;
}

/** A set of bucket files `<name>-<n>` in a folder. Not safe for two writers. */
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

  /** Reserves room for a record in the bucket's buffer and writes its head; the caller fills in `length` bytes. */
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
    /** Adds bytes of a source buffer. */
    add(bucket: number, kind: number, file: number, line: number, source: Buffer, start: number, end: number): void {
      const [buffer, at] = begin(bucket, kind, file, line, end - start);
      source.copy(buffer, at, start, end);
    },
    /** Adds text. */
    addText(bucket: number, kind: number, file: number, line: number, text: string): void {
      const [buffer, at] = begin(bucket, kind, file, line, Buffer.byteLength(text));
      buffer.write(text, at);
    },
    /** Writes the rest of the buffers. Nothing may be added afterwards. */
    seal(): void {
      all.forEach(flush);
      closeAll();
    },
    /** The content of one bucket, as `createBucketMemory` gives it. */
    take: (bucket: number): Buffer => createBucketMemory().take(folder, [name], bucket),
    /** Closes the files if an import ends early. The folder is deleted by its owner. */
    close: closeAll,
  };
}

function bucketPath(folder: string, name: string, bucket: number): string {
  return join(folder, `${name}-${bucket}`);
}

/** Memory that one bucket after another uses. Buckets are large, and would pile up until they are collected. */
export function createBucketMemory() {
  let memory = Buffer.alloc(0);
  return {
    /** Content of one bucket of several sealed spills, for `eachRecord`, until the next call. The files are deleted. */
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

/** Calls back with every record of a bucket's content. One record object is reused. */
export function eachRecord(content: Buffer, onRecord: (record: SpillRecord) => void): void {
  const record = { kind: 0, file: 0, line: 0, start: 0, end: 0 };
  for (let at = 0; at < content.length; at = record.end) {
    readRecord(content, at + HEAD, record);
    onRecord(record);
  }
}

/** Reads the record that begins at `start`. That place is enough to find it again: objects of all records would be garbage that lives long. */
export function readRecord(content: Buffer, start: number, record: SpillRecord): void {
  const at = start - HEAD;
  record.start = start;
  record.end = start + content.readUInt32LE(at);
  record.line = content.readUInt32LE(at + 4);
  record.file = content.readUInt16LE(at + 8);
  record.kind = content.readUInt16LE(at + 10);
}

/** The bucket of a key given as bytes (FNV-1a). */
export function bucketOf(bytes: Buffer, start: number, end: number, buckets: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return (hash >>> 0) % buckets;
}

/** The bucket of a key given as text. */
export function bucketOfText(text: string, buckets: number): number {
  const bytes = Buffer.from(text);
  return bucketOf(bytes, 0, bytes.length, buckets);
}

/** Most lines about one person or structure. They have up to some hundred different lines. */
export const MOST_LINES = 10_000;

/** Refuses an edition if too many lines are about one person or structure. */
export function tooManyLines(about: string, location: SourceLocation): ImportError {
  return new ImportError(
    location,
    `too many lines are about ${about}.`,
    'Is an identifier repeated in place of many? Take the files as published.',
  );
}
