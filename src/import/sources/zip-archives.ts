// Lists and opens the inputs inside a zip archive.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { ImportError, isFileSystemError, readingFile, toReadError } from '#import/collect/import-error.ts';
import type { Warn } from '#import/collect/warnings.ts';
import { printable } from '#shared/log/printable.ts';
import { oncePromised } from '#shared/promises.ts';
import { CHUNK, DAMAGED, type Input, unpacked } from './input.ts';
import { isIncoming, namesOf } from './newest-editions.ts';
import { compareDigests, compareSize, isChecksumFile, type PublishedFile } from './published-checksums.ts';

/** Compression methods that can be read: stored and deflated (APPNOTE of the zip format, section 4.4.5). */
const READ_METHODS = [0, 8];
const UNPACK = 'Unpack the archive, and give the folder of its files.';
/** Maximum number of members of an archive. Archives of publishers have a dozen at most. */
const MOST_MEMBERS = 1000;
/** Number of bytes of a member's local header, without its name and extra field (APPNOTE, section 4.3.7). */
const LOCAL_HEADER = 30;

/** Lists the members of an archive that may be registers. Throws an `ImportError` if the archive cannot be listed. */
export async function zipInputs(
  path: string,
  published: PublishedFile,
  warn: Warn,
  { given, names }: Pick<Input, 'given' | 'names'>,
): Promise<Input[]> {
  const entries = await listEntries(path);
  const check = oncePromised(() => checkArchive(path, published, warn));
  return entries
    .filter(({ fileName }) => !isBystander(fileName))
    .map((entry) => {
      const name = printable(`${path}!${entry.fileName}`);
      return {
        name,
        named: false,
        given,
        names: [...namesOf(entry.fileName), ...names],
        size: entry.compressedSize,
        plainSize: entry.uncompressedSize,
        publishedIn: published.statedIn,
        check,
        open: async (onRead: (bytes: number) => void) => openEntry(path, entry, name, onRead),
      };
    });
}

async function listEntries(path: string): Promise<Entry[]> {
  const archive = await openArchive(path);
  const entries: Entry[] = [];
  try {
    for await (const entry of archive.eachEntry()) {
      entries.push(entry);
      if (entries.length > MOST_MEMBERS)
        throw new ImportError({ file: path }, `the zip archive holds more than ${MOST_MEMBERS} files.`, UNPACK);
    }
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof ImportError) throw error;
    if (isFileSystemError(error)) throw toReadError(error, path);
    // The archive is not damaged in these cases: a member has a name that leads out of the archive, or the headers are encrypted.
    if (/path: |encryption/.test(message))
      throw new ImportError({ file: path }, `the zip archive cannot be listed (${message}).`, UNPACK);
    throw new ImportError({ file: path }, `the zip archive is damaged (${message}).`, DAMAGED);
  } finally {
    archive.close();
  }
  refuseOverlap(path, entries);
  return entries;
}

/**
 * Refuses an archive if its members share bytes. No ordinary program packs files like that, but a small malicious archive can unpack to an
 * immense size in this way.
 */
function refuseOverlap(path: string, entries: readonly Entry[]): void {
  let end = 0;
  for (const entry of entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)) {
    const start = entry.relativeOffsetOfLocalHeader;
    if (start < end) {
      const problem = `the zip archive is damaged: ${entry.fileName} lies within another one of its files.`;
      throw new ImportError({ file: path }, problem, DAMAGED);
    }
    end = start + LOCAL_HEADER + entry.fileNameRaw.length + entry.compressedSize;
  }
}

/**
 * Recognises members that are no registers: folders, checksum files, files of macOS, and files that were incomplete when they were packed.
 */
function isBystander(member: string): boolean {
  const folders = member.split('/');
  const name = folders.pop() ?? '';
  return isIncoming(name) || isChecksumFile(name) || name === '' || folders.includes('__MACOSX');
}

/** Compares the archive file with the statements of its publisher. The members are compared later, with the checksums in the archive. */
async function checkArchive(path: string, published: PublishedFile, warn: Warn): Promise<void> {
  const { size } = await readingFile(path, () => stat(path));
  compareSize(path, size, published);
  const digests: string[] = [];
  for (const algorithm of published.algorithms) {
    const digest = createHash(algorithm);
    await readingFile(path, () => pipeline(createReadStream(path, { highWaterMark: CHUNK }), digest));
    digests.push(digest.digest('hex'));
  }
  compareDigests(path, digests, published, warn);
}

async function openArchive(path: string): Promise<ZipFile> {
  return openPromise(path, { lazyEntries: true, autoClose: false }).catch((error: Error) => {
    if (isFileSystemError(error)) throw toReadError(error, path);
    throw new ImportError({ file: path }, `the zip archive is damaged (${error.message}).`, DAMAGED);
  });
}

async function openEntry(
  path: string,
  entry: Entry,
  name: string,
  onRead: (bytes: number) => void,
): Promise<AsyncIterable<Buffer>> {
  if (entry.isEncrypted()) throw new ImportError({ file: name }, 'is encrypted.', UNPACK);
  if (!READ_METHODS.includes(entry.compressionMethod))
    throw new ImportError({ file: name }, `is packed by method ${entry.compressionMethod} of the zip format.`, UNPACK);
  const archive = await openArchive(path);
  const content = await archive.openReadStreamPromise(entry).catch((error: Error) => {
    archive.close();
    if (isFileSystemError(error)) throw toReadError(error, path);
    throw new ImportError({ file: name }, `cannot be unpacked (${error.message}).`, DAMAGED);
  });
  let sum = 0;
  const checked = new Transform({
    readableHighWaterMark: CHUNK,
    transform(chunk: Buffer, _encoding, done) {
      sum = crc32(chunk, sum);
      onRead((chunk.length * entry.compressedSize) / Math.max(1, entry.uncompressedSize));
      done(null, chunk);
    },
    flush(done) {
      done(sum === entry.crc32 ? null : new ImportError({ file: name }, 'its checksum is wrong.', DAMAGED));
    },
  });
  return unpacked(name, content, checked, () => archive.close());
}
