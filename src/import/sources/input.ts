// An input of an import: a plain file, a gzip file, or a member of a zip archive (`zip-archives.ts`).

import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ImportError, isFileSystemError, readingFile, toReadError } from '#import/collect/import-error.ts';
import type { Warn } from '#import/collect/warnings.ts';
import { printable } from '#shared/log/printable.ts';
import { compareDigests, compareSize, type PublishedFile } from './published-checksums.ts';

/** A stream of bytes that can be opened: the content of a file, or of a file inside an archive. */
export interface Input {
  /** The path of the file, for messages. For a member of a zip archive, it ends with `!` and the name of the member. */
  name: string;
  /** True if the operator gave the path of the file itself. False if the file was found in a folder or archive. */
  named: boolean;
  /** The path that the operator gave and that led to this file. If no operator chose the file, it is the watched folder. */
  given: string;
  /** Names that may contain the date of the file: its own names, then those of its archive and folders, the nearest first. */
  names: readonly string[];
  /** Number of bytes on the disk, for the progress bar. */
  size: number;
  /**
   * Number of bytes of the decompressed content. For a packed file, it is what the file states, or an estimate. The content of a gzip file
   * may be larger.
   */
  plainSize: number;
  /** Names of the checksum files and manifests that make statements about this file. */
  publishedIn: readonly string[];
  /**
   * Makes the comparisons with the statements of the publisher that are possible before the content is read, such as that of the size.
   * Throws an `ImportError` if the file differs from a statement.
   */
  check(): Promise<void>;
  /**
   * Opens the decompressed content. `onRead` is called with the number of bytes that were read from the disk. At the end of the content,
   * the file is compared with the checksums of its publisher, unless `compare` is false.
   */
  open(onRead: (bytes: number) => void, compare?: boolean): Promise<AsyncIterable<Buffer>>;
}

/** The properties of an input that do not depend on the path by which it was found. */
type Opening = Omit<Input, 'named' | 'given' | 'names'>;

/** Number of bytes that are read from the disk at once. */
export const CHUNK = 1 << 20;
export const DAMAGED = 'Download the file again and compare its size or checksum with the publisher’s.';

/** Yields the content of `from`, decompressed by `through`. Any error of the file or of the decompression becomes an `ImportError`. */
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
 * `COMPRESSION` is the assumed ratio of decompressed bytes to bytes of a gzip file. It is used if the ratio that the file states is below 1
 * or above `HIGHEST_COMPRESSION`. Such a statement is not trusted, because the file may be cut off, so that its last bytes are not the
 * size.
 */
const COMPRESSION = 9;
const HIGHEST_COMPRESSION = 30;

/** Returns how a file is packed, which its first bytes show. Throws an `ImportError` if the file cannot be read. */
export async function packingOfFile(path: string): Promise<Packing> {
  return readingFile(path, async () => {
    await using handle = await open(path);
    const head = await bytesAt(handle, 0);
    if (head.length >= 2 && head.readUInt16BE(0) === 0x1f8b) return 'gzip';
    if (head.length === 4 && [0x504b0304, 0x504b0506].includes(head.readUInt32BE(0))) return 'zip';
    return 'none';
  });
}

/** Reads four bytes from a position, or fewer if the file ends before. */
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
        const found = digests.map((digest) => digest.digest('hex'));
        if (compare) compareDigests(name, found, published, warn);
      });
    },
  };
}

/**
 * Returns the number of decompressed bytes of a gzip file, or an estimate. The last four bytes of the file state the number modulo 4 GiB
 * (RFC 1952, section 2.3.1). The estimate is used if their value is implausible.
 */
async function gzipContentSize(path: string, size: number): Promise<number> {
  return readingFile(path, async () => {
    await using handle = await open(path);
    const end = await bytesAt(handle, Math.max(0, size - 4));
    const stated = end.length === 4 ? end.readUInt32LE(0) : 0;
    return stated >= size && stated <= HIGHEST_COMPRESSION * size ? stated : COMPRESSION * size;
  });
}

/**
 * Yields the content of a file. Throws an `ImportError` if the file was changed while it was read, because somebody may still be writing
 * it.
 */
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
