// From paths to inputs: walks folders, follows links to files, opens gzip and zip, both recognised by their first bytes.

import { createReadStream } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pipeline, type Readable, Transform } from 'node:stream';
import { crc32, createGunzip } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { printable } from '../../shared/log/printable.ts';
import { namesOf, newestByName, warnOfPassedOver } from '../editions/newest-editions.ts';
import { ImportError } from '../import-error.ts';
import type { Warn } from '../publish/report.ts';

/** One stream of text lines: a file, or one file inside an archive. */
export interface Input {
  /** For messages: the path as given, with `!name` behind it for a file inside a zip archive. */
  name: string;
  /** Whether the operator named it; the files of a named folder or archive were not. */
  named: boolean;
  /** The path under which it was given; one for all files that a program found in a folder. */
  given: string;
  /** Names that may say its date: its own, then those of its archive and folders, the nearest first. */
  names: readonly string[];
  /** Bytes on disk, for the progress bar. */
  size: number;
  /** Opens the decompressed content. `onRead` is called with the bytes on disk that were consumed. */
  open(onRead: (bytes: number) => void): Promise<AsyncIterable<Buffer>>;
}

const CHUNK = 1 << 20;
const DAMAGED = 'Download the file again and compare its size or checksum with the publisher’s.';
/** Stored and deflated (APPNOTE of the zip format, section 4.4.5). */
const READ_METHODS = [0, 8];
const UNPACK = 'Unpack the archive, and give the folder of its files.';

/** Names that programs give to files which they have not written to the end: downloads, rsync, editors. */
export function isIncoming(name: string): boolean {
  return /^\.|\.(part|partial|tmp|temp|crdownload|filepart|download|aria2|!ut|swp)$|~$/i.test(name);
}

interface ListOptions {
  /** The paths were not chosen by the operator, but found by a program in this folder. */
  foundIn?: string;
  /** Told of the files of a folder that are left unopened. */
  warn?: Warn;
  /** Told of the files of a folder that are left out because they are still being written. */
  onIncoming?: (name: string) => void;
}

interface FoundFile {
  path: string;
  named: boolean;
  given: string;
  /** Path within what was given, with the name of the folder that was given in front. */
  name: string;
}

/**
 * Inputs behind the paths, each file once, in the order of their names; of a folder, the newest editions by name. Throws an
 * `ImportError` for what is not there.
 */
export async function listInputs(paths: readonly string[], options: ListOptions = {}): Promise<Input[]> {
  const { foundIn, warn = () => {} } = options;
  const found: FoundFile[] = [];
  const givens = foundIn === undefined ? paths.map((path) => [path]) : [paths];
  for (const given of givens) {
    const files = (await Promise.all(given.map((path) => filesOf(path, options)))).flat();
    const choice = newestByName(files.filter(({ named }) => !named));
    warnOfPassedOver(choice, ({ path }) => path, warn);
    found.push(...files.filter(({ named }) => named), ...choice.taken);
  }
  const byFile = new Map<string, FoundFile>();
  for (const file of found) {
    const real = await realpath(file.path);
    if (!byFile.get(real)?.named) byFile.set(real, file);
  }
  const inputs: Input[] = [];
  for (const [path, { named, given, name }] of [...byFile].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [own = '', ...folders] = namesOf(name);
    const origin = { given, names: [own, basename(path), ...folders] };
    const format = await compressionOf(path);
    if (format === 'zip') inputs.push(...(await zipInputs(path, origin)));
    else inputs.push({ ...(await plainInput(path, format === 'gzip')), ...origin, named });
  }
  return inputs;
}

async function filesOf(path: string, { foundIn, onIncoming = () => {} }: ListOptions): Promise<FoundFile[]> {
  const full = resolve(path);
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new ImportError({ file: path }, 'there is no such file or folder.', 'Check the path.');
  if (found.isFile()) {
    const root = foundIn === undefined ? dirname(dirname(full)) : resolve(foundIn);
    return [{ path, named: foundIn === undefined, given: foundIn ?? full, name: relative(root, full) }];
  }
  // A pipe gives its bytes once, and files are read twice; without a writer, it is not even opened.
  if (!found.isDirectory())
    throw new ImportError({ file: path }, 'is no regular file: write it to a file first.', 'Then give that file.');
  const files: FoundFile[] = [];
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    const inner = join(entry.parentPath, entry.name);
    if (isIncoming(entry.name)) {
      onIncoming(printable(inner));
      continue;
    }
    if (entry.isFile() || (entry.isSymbolicLink() && (await leadsToFile(inner))))
      files.push({ path: inner, named: false, given: full, name: relative(dirname(full), resolve(inner)) });
  }
  return files;
}

/** Whether a link leads to a file, rather than to a folder or a device. Throws an `ImportError` when it leads nowhere. */
async function leadsToFile(link: string): Promise<boolean> {
  const found = await stat(link).catch((error: Error) => {
    throw new ImportError(
      { file: link },
      `is a link that leads to no file (${error.message}).`,
      'Mend it, or take it out of the folder.',
    );
  });
  return found.isFile();
}

async function compressionOf(path: string): Promise<'gzip' | 'zip' | 'none'> {
  const handle = await open(path).catch((error: Error) => {
    throw new ImportError({ file: path }, `cannot be read (${error.message}).`, 'Check its permissions.');
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    if (bytesRead >= 2 && buffer.readUInt16BE(0) === 0x1f8b) return 'gzip';
    if (bytesRead === 4 && [0x504b0304, 0x504b0506].includes(buffer.readUInt32BE(0))) return 'zip';
    return 'none';
  } finally {
    await handle.close();
  }
}

/** What a file is opened by, wherever it was found. */
type Opening = Omit<Input, 'named' | 'given' | 'names'>;

async function plainInput(path: string, gzip: boolean): Promise<Opening> {
  const { size, mtimeMs } = await stat(path);
  return {
    name: printable(path),
    size,
    open: async (onRead) => {
      const file = createReadStream(path, { highWaterMark: CHUNK });
      file.on('data', (chunk) => onRead(chunk.length));
      const content = gzip ? unpacked(path, file, createGunzip({ chunkSize: CHUNK }), () => {}) : file;
      return unchanged(path, { size, mtimeMs }, content);
    },
  };
}

/** Content of a file, which at its end must still be as it was listed: somebody may be writing it while it is read. */
async function* unchanged(
  path: string,
  before: { size: number; mtimeMs: number },
  content: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  yield* content;
  const { size, mtimeMs } = await stat(path);
  if (size === before.size && mtimeMs === before.mtimeMs) return;
  throw new ImportError({ file: path }, 'was changed while it was read.', 'Wait until it is complete, then try again.');
}

async function zipInputs(path: string, { given, names }: Pick<Input, 'given' | 'names'>): Promise<Input[]> {
  const archive = await openArchive(path);
  const inputs: Input[] = [];
  try {
    for await (const entry of archive.eachEntry()) {
      if (isBystander(entry.fileName)) continue;
      const name = printable(`${path}!${entry.fileName}`);
      inputs.push({
        name,
        named: false,
        given,
        names: [...namesOf(entry.fileName), ...names],
        size: entry.compressedSize,
        open: async (onRead) => openEntry(path, entry, name, onRead),
      });
    }
    return inputs;
  } catch (error) {
    const { message } = error as Error;
    // Names that lead out of the archive, and headers that are encrypted as well.
    if (/path: |encryption/.test(message))
      throw new ImportError({ file: path }, `the zip archive cannot be listed (${message}).`, UNPACK);
    throw new ImportError({ file: path }, `the zip archive is damaged (${message}).`, DAMAGED);
  } finally {
    archive.close();
  }
}

/** Folders, files that were not complete when they were packed, and what macOS adds for itself, under the names of the others. */
function isBystander(member: string): boolean {
  const folders = member.split('/');
  return isIncoming(folders.pop() ?? '') || member.endsWith('/') || folders.includes('__MACOSX');
}

async function openArchive(path: string): Promise<ZipFile> {
  return openPromise(path, { lazyEntries: true, autoClose: false }).catch((error: Error) => {
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

/** Content of a file that a transformation unpacks; any error of either becomes an `ImportError`. */
async function* unpacked(name: string, from: Readable, through: Transform, onEnd: () => void): AsyncGenerator<Buffer> {
  pipeline(from, through, () => {});
  try {
    yield* through as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof ImportError) throw error;
    throw new ImportError({ file: name }, `is truncated or damaged (${(error as Error).message}).`, DAMAGED);
  } finally {
    from.destroy();
    through.destroy();
    onEnd();
  }
}
