// Finds the inputs at the given paths. Searches folders with their sub-folders, follows links to files, and opens gzip and zip files, which
// are recognised by their first bytes.

import type { Stats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { ImportError, readingFile, toReadError } from '#import/collect/import-error.ts';
import type { Warn } from '#import/collect/warnings.ts';
import { printable } from '#shared/log/printable.ts';
import { type Input, packingOfFile, plainInput } from './input.ts';
import { isIncoming, namesOf, newestByName, warnOfPassedOver } from './newest-editions.ts';
import { readPublished, statedNames } from './published-checksums.ts';
import { zipInputs } from './zip-archives.ts';

interface ListOptions {
  /** The watched folder in which the paths were found. Set only if no operator chose the paths. */
  foundIn?: string;
  /** Takes warnings about files of a folder that are left out because of their date, and about unusable checksum files. */
  warn?: Warn;
  /** Called with the path of each file of a folder that is left out because it is still being written. */
  onIncoming?: (name: string) => void;
}

interface FoundFile {
  path: string;
  /** The real path of the file, and the path of the link by which it was found, if there is one. */
  paths: readonly string[];
  named: boolean;
  given: string;
  /** Path of the file, beginning with the name of the given folder. */
  name: string;
}

/**
 * Lists the inputs at the paths, sorted by path. Each file is listed once. Of the files in a folder, only the newest editions are taken.
 * The dates in the names of the files tell which these are. Throws an `ImportError` if a path does not exist.
 */
export async function listInputs(paths: readonly string[], options: ListOptions = {}): Promise<Input[]> {
  const { foundIn, warn = () => {} } = options;
  const found: FoundFile[] = [];
  const listed = await Promise.all(paths.map((path) => filesOf(path, options)));
  const all = listed.flat();
  const { isStatement, about } = await readPublished(await foldersOf(paths, all), pathsOf(all), warn);
  for (const together of foundIn === undefined ? listed : [all]) {
    const files = together.filter((file) => !file.paths.some(isStatement));
    const choice = newestByName(files.filter(({ named }) => !named));
    warnOfPassedOver(choice, ({ path }) => path, warn);
    found.push(...files.filter(({ named }) => named), ...choice.taken);
  }
  const byFile = new Map<string, FoundFile>();
  for (const file of found) {
    const [real = file.path] = file.paths;
    if (!byFile.get(real)?.named) byFile.set(real, file);
  }
  const inputs: Input[] = [];
  for (const [path, { named, given, name, paths: stated }] of [...byFile].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [own = '', ...folders] = namesOf(name);
    const origin = { given, names: [own, basename(path), ...folders] };
    const packing = await packingOfFile(path);
    if (packing === 'zip') inputs.push(...(await zipInputs(path, about(stated), warn, origin)));
    else inputs.push({ ...(await plainInput(path, packing, about(stated), warn)), ...origin, named });
  }
  return inputs;
}

function pathsOf(files: readonly FoundFile[]): Set<string> {
  return new Set(files.flatMap((file) => file.paths));
}

/** Returns the folders where checksum files may make statements about the files: the given folders, and the folders of the files. */
async function foldersOf(paths: readonly string[], files: readonly FoundFile[]): Promise<string[]> {
  const given = await Promise.all(paths.map((path) => readingFile(path, () => realpath(path))));
  return [...given, ...[...pathsOf(files)].map((path) => dirname(path))];
}

async function filesOf(path: string, { foundIn, onIncoming = () => {} }: ListOptions): Promise<FoundFile[]> {
  const full = resolve(path);
  const found = await statOf(path, 'there is no such file or folder.', 'Check the path.');
  if (found.isFile()) {
    const root = foundIn === undefined ? dirname(dirname(full)) : resolve(foundIn);
    const paths = await readingFile(path, () => statedNames(path));
    return [{ path, paths, named: foundIn === undefined, given: foundIn ?? full, name: relative(root, full) }];
  }
  // A pipe cannot be imported, because each file is read twice. It cannot even be opened as long as no program writes to it.
  if (!found.isDirectory())
    throw new ImportError({ file: path }, 'is not a regular file.', 'Write its content to a file, and give that file.');
  const files: FoundFile[] = [];
  for (const entry of await entriesOf(path)) {
    const inner = join(entry.parentPath, entry.name);
    if (isIncoming(entry.name)) {
      onIncoming(printable(inner));
      continue;
    }
    if (entry.isFile() || (entry.isSymbolicLink() && (await leadsToFile(inner)))) {
      const paths = await readingFile(inner, () => statedNames(inner));
      files.push({ path: inner, paths, named: false, given: full, name: relative(dirname(full), resolve(inner)) });
    }
  }
  return files;
}

/** Lists all entries of a folder and its sub-folders. */
async function entriesOf(folder: string) {
  return readdir(folder, { withFileTypes: true, recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw toReadError(error, error.path ?? folder);
  });
}

/**
 * Tells whether a link leads to a file. Returns false if it leads to a folder or a device. Throws an `ImportError` if its target does not
 * exist.
 */
async function leadsToFile(link: string): Promise<boolean> {
  const remedy = 'Repair it, or remove it from the folder.';
  return (await statOf(link, 'is a link that leads to no file.', remedy)).isFile();
}

/** Looks at a file or folder. Throws an `ImportError` with the problem and the remedy if it does not exist. */
async function statOf(path: string, problem: string, remedy: string): Promise<Stats> {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new ImportError({ file: path }, problem, remedy) : toReadError(error, path);
  });
}
