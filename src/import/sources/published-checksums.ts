// Finds the checksums and sizes that publishers state about the files of a folder, and compares the files with these statements.

import { access, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ImportError } from '#import/collect/import-error.ts';
import type { Warn } from '#import/collect/warnings.ts';
import { type Algorithm, readChecksumText, readManifest, type Statement } from './checksum-files.ts';

/** All statements about one file. */
export interface PublishedFile {
  statements: readonly Stated[];
  /** The algorithms of the digests in the statements. */
  algorithms: readonly Algorithm[];
  /** Names of the files that contain the statements. */
  statedIn: readonly string[];
}

/** Matches the name of a checksum file about a single file: `NAME.sha256` is about NAME. */
const OF_ONE = /\.(?:md5|sha(?:1|256|384|512))(?:sums?)?(?:\.txt)?$/i;
/** Matches the name of a checksum file about several files, such as `SHA256SUMS`, `md5sums.txt` or `checksums.txt`. */
const OF_SEVERAL = /^(?:(?:md5|sha\d*)sums?|checksums?)(?:\.(?:txt|asc|md5|sha\d+))?$/i;
const MANIFEST = /^(?:manifest|metadata|dataset|resources?)\.json$/i;
/** Maximum size of a checksum file in bytes. A larger file is not read. */
const LARGEST = 4 << 20;
/**
 * Maximum size of all checksum files together, in bytes, because all statements are held in memory and each name is looked up on the disk.
 */
const LARGEST_IN_ALL = 2 * LARGEST;

/** Tells whether a file with this name contains checksums. */
export function isChecksumFile(name: string): boolean {
  return OF_ONE.test(name) || OF_SEVERAL.test(name);
}

const TOO_MANY = `its checksum files have more than ${LARGEST_IN_ALL >> 20} MiB in all: no publisher needs as much.`;

interface Published {
  /** Returns the statements about a file. `paths` are the path of the file and the paths of links to it. */
  about(paths: readonly string[]): PublishedFile;
  /** Tells whether a file contains statements about other files, and so is no input. */
  isStatement(path: string): boolean;
}

/** Reads the checksum files and manifests in some folders. `files` are the paths of the files that are imported. */
export async function readPublished(
  folders: Iterable<string>,
  files: ReadonlySet<string>,
  warn: Warn,
): Promise<Published> {
  const byFile = new Map<string, Stated[]>();
  const sources = new Set<string>();
  let left = LARGEST_IN_ALL;
  for (const folder of new Set(folders)) {
    // If a folder cannot be listed, its checksum files remain unknown, which is no error. The service may be allowed to read the files in a
    // folder, but not to list it.
    for (const name of (await readdir(folder).catch(() => [])).sort()) {
      const path = join(folder, name);
      const bytes = await contentOf(path, files);
      if (bytes === undefined) continue;
      left -= bytes.length;
      if (left < 0) throw new ImportError({ file: folder }, TOO_MANY, 'Remove those that are not needed.');
      await keepStatements(path, bytes);
    }
  }
  return {
    about: (paths) => publishedFile([...new Set(paths)].flatMap((path) => byFile.get(path) ?? [])),
    isStatement: (path) => sources.has(path),
  };

  /** Keeps the statements of a checksum file or manifest. Warns of a checksum file without statements, and of a statement about no file. */
  async function keepStatements(path: string, bytes: Buffer): Promise<void> {
    const name = basename(path);
    const hasChecksums = isChecksumFile(name);
    const statements = hasChecksums ? readChecksumText(bytes) : readManifest(bytes);
    if (hasChecksums || statements.length > 0) sources.add(path);
    if (hasChecksums && statements.length === 0) warn('checksum-unread', path);
    for (const statement of statements) {
      const file = await fileOf(statement, path, statements.length === 1, files);
      if (file !== undefined) keep(byFile, file, { ...statement, statedIn: name });
      else if (!statement.ofPlatform) warn('checksum-without-file', `${path}: ${statement.file ?? 'no name'}`);
    }
  }
}

/**
 * Returns the content of a file if the name suggests that the file contains statements about other files. Undefined for any other file, and
 * for a file that is too large.
 */
async function contentOf(path: string, files: ReadonlySet<string>): Promise<Buffer | undefined> {
  const name = basename(path);
  if (!isChecksumFile(name) && !MANIFEST.test(name) && !(name.endsWith('.json') && files.has(path.slice(0, -5))))
    return undefined;
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile() || found.size > LARGEST) return undefined;
  return readFile(path).catch(() => Buffer.alloc(0));
}

type Stated = Statement & { statedIn: string };

function keep(byFile: Map<string, Stated[]>, file: string, statement: Stated): void {
  const known = byFile.get(file);
  if (known) known.push(statement);
  else byFile.set(file, [statement]);
}

/**
 * Returns the path of the file that a statement is about. Either the statement names the file, or the checksum file is named after the
 * file, such as `NAME.sha256`. Undefined if there is no such file.
 */
async function fileOf(
  { file }: Statement,
  statedIn: string,
  isOnly: boolean,
  files: ReadonlySet<string>,
): Promise<string | undefined> {
  const folder = dirname(statedIn);
  const own = statedIn.replace(OF_ONE, '').replace(/\.json$/i, '');
  const named = file === undefined ? [] : [resolve(folder, file), join(folder, basename(file.replaceAll('\\', '/')))];
  for (const path of isOnly ? [...named, own] : named) {
    if (path !== statedIn && (files.has(path) || (await exists(path)))) return path;
  }
  return undefined;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function publishedFile(statements: PublishedFile['statements']): PublishedFile {
  return {
    statements,
    algorithms: [...new Set(statements.flatMap(({ algorithm }) => algorithm ?? []))],
    statedIn: [...new Set(statements.map(({ statedIn }) => statedIn))],
  };
}

/** Returns the paths by which a statement may name a file: its real path, and the path of the link by which it was found. */
export async function statedNames(path: string): Promise<string[]> {
  return [...new Set([await realpath(path), join(await realpath(dirname(path)), basename(path))])];
}

/** Throws an `ImportError` if the size of a file is not the stated one. */
export function compareSize(file: string, size: number, { statements }: PublishedFile): void {
  const other = statements.find(({ bytes }) => bytes !== undefined && bytes !== size);
  if (!other) return;
  const problem = `has ${size} bytes, and ${other.statedIn} states ${other.bytes}: it is not the file that was published.`;
  throw new ImportError({ file }, problem, remedy(other.statedIn));
}

/**
 * Throws an `ImportError` if a digest of a file is not the stated one. `digests` are the digests of the file, in the order of
 * `published.algorithms`. A different digest from data.gouv.fr only gives a warning, because it may be outdated.
 */
export function compareDigests(
  file: string,
  digests: readonly string[],
  { statements, algorithms }: PublishedFile,
  warn: Warn,
): void {
  for (const { algorithm, digest, statedIn, ofPlatform } of statements) {
    const own = algorithm && digests[algorithms.indexOf(algorithm)];
    if (own === undefined || own === digest) continue;
    const problem = `its ${algorithm} is ${own}, and ${statedIn} states ${digest}`;
    if (ofPlatform) warn('checksum-of-platform', `${file}: ${problem}`);
    else throw new ImportError({ file }, `${problem}: it is not the file that was published.`, remedy(statedIn));
  }
}

function remedy(statedIn: string): string {
  return `Download it again, and ${statedIn} with it; both must be of one edition.`;
}
