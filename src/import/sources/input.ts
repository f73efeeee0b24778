// An input: a plain file, a file that is packed by gzip, or a member of a zip archive (`zip-archives.ts`).

import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ImportError, isFileSystemError, readingFile, toReadError } from '#import/collect/import-error.ts';
import type { Warn } from '#import/collect/warnings.ts';
import { printable } from '#shared/log/printable.ts';
import { compareDigests, compareSize, type PublishedFile } from './published-checksums.ts';

/** One stream of bytes to read: a file, or a file inside an archive. */
export interface Input {
  /** The path as given, for messages. For a file inside a zip archive, `!name` follows it. */
  name: string;
  /** True if the operator named the file itself, and not its folder or archive. */
  named: boolean;
  /** The path that was given and led to this file, or the watched folder. */
  given: string;
  /** Names that may contain the date of the file: its own, then those of its archive and folders, the nearest first. */
  names: readonly string[];
  /** Bytes on disk, for the progress bar. */
  size: number;
  /** Bytes of the content, as far as the packing states it. A gzip file may hold more than it states. */
  plainSize: number;
  /** Names of the accompanying files that state the size or checksum of this one. */
  publishedIn: readonly string[];
  /** Compares the file with the publisher's statements, as far as this is possible before reading. Throws an `ImportError`. */
  check(): Promise<void>;
  /**
   * Opens the decompressed content. `onRead` is called with the number of bytes on the disk that were read. At the end, the file is
   * compared with the publisher's checksums, unless `compare` is false.
   */
  open(onRead: (bytes: number) => void, compare?: boolean): Promise<AsyncIterable<Buffer>>;
}

/** Properties of an input that do not depend on the place where it was found. */
type Opening = Omit<Input, 'named' | 'given' | 'names'>;

/** Number of bytes that are read at a time. */
export const CHUNK = 1 << 20;
export const DAMAGED = 'Download the file again and compare its size or checksum with the publisher’s.';

/** Unpacks the content of a file. Any error of the file or the transformation becomes an `ImportError`. */
export async function* unpacked(
  name: string,
  from: Readable,
  through: Transform,
  onEnd: () => void = () => {},
): AsyncGenerator<Buffer> {
  pipeline(from, through, () => {});
  try {
    yield* through as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof ImportError) throw error;
    if (isFileSystemError(error)) throw toReadError(error, name);
    throw new ImportError({ file: name }, `is truncated or damaged (${(error as Error).message}).`, DAMAGED);
  } finally {
    from.destroy();
    through.destroy();
    onEnd();
  }
}

type Packing = 'gzip' | 'zip' | 'none';

/**
 * Expected ratio of plain bytes to bytes of a gzip file, and the highest ratio that is believed. Above it, the stated size is not trusted,
 * because the file may be cut off.
 */
const COMPRESSION = 9;
const HIGHEST_COMPRESSION = 30;

/** Returns how a file is packed, by its first bytes. Throws an `ImportError` for a file that cannot be read. */
export async function packingOfFile(path: string): Promise<Packing> {
  return readingFile(path, async () => {
    await using handle = await open(path);
    const head = await bytesAt(handle, 0);
    if (head.length >= 2 && head.readUInt16BE(0) === 0x1f8b) return 'gzip';
    if (head.length === 4 && [0x504b0304, 0x504b0506].includes(head.readUInt32BE(0))) return 'zip';
    return 'none';
  });
}

/** Reads four bytes, or fewer at the end of the file. */
async function bytesAt(handle: FileHandle, position: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, position);
  return buffer.subarray(0, bytesRead);
}

export async function plainInput(
  path: string,
  packing: 'gzip' | 'none',
  published: PublishedFile,
  warn: Warn,
): Promise<Opening> {
  const before = await readingFile(path, () => stat(path));
  const name = printable(path);
  return {
    name,
    size: before.size,
    plainSize: packing === 'gzip' ? await gzipContentSize(path, before.size) : before.size,
    publishedIn: published.statedIn,
    check: async () => compareSize(name, before.size, published),
    async open(onRead, compare = true) {
      const file = createReadStream(path, { highWaterMark: CHUNK });
      const digests = (compare ? published.algorithms : []).map((algorithm) => createHash(algorithm));
      file.on('data', (chunk) => {
        onRead(chunk.length);
        for (const digest of digests) digest.update(chunk);
      });
      const content = packing === 'gzip' ? unpacked(path, file, createGunzip({ chunkSize: CHUNK })) : file;
      return complete(path, before, content, () => {
        if (!compare) return;
        compareDigests(
          name,
          digests.map((digest) => digest.digest('hex')),
          published,
          warn,
        );
      });
    },
  };
}

/** Reads the size of the content, modulo 4 GiB. It is in the last four bytes of a gzip file (RFC 1952, section 2.3.1). */
async function gzipContentSize(path: string, size: number): Promise<number> {
  return readingFile(path, async () => {
    await using handle = await open(path);
    const end = await bytesAt(handle, Math.max(0, size - 4));
    const stated = end.length === 4 ? end.readUInt32LE(0) : 0;
    return stated >= size && stated <= HIGHEST_COMPRESSION * size ? stated : COMPRESSION * size;
  });
}

/** Reads a file, and checks that it does not change meanwhile: somebody may still be writing it. */
async function* complete(
  path: string,
  before: Stats,
  content: AsyncIterable<Buffer>,
  onEnd: () => void,
): AsyncGenerator<Buffer> {
  try {
    yield* content;
    const { size, mtimeMs } = await stat(path);
    if (size === before.size && mtimeMs === before.mtimeMs) return onEnd();
  } catch (error) {
    throw toReadError(error, path);
  }
  throw new ImportError({ file: path }, 'was changed while it was read.', 'Wait until it is complete, then try again.');
}
