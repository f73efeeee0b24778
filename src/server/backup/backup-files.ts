// The files of a backup: made in a folder beside the one that was named, which gets its name when everything is on the disk.

import { createHash } from 'node:crypto';
import { constants, createReadStream, rmSync } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
} from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { Refusal } from '../../shared/operator-errors.ts';
import { type BackupFile, MANIFEST } from './manifest.ts';

const UNFINISHED = '.hygie-backup-';
/** Milliseconds without any change after which nobody is at work on an unfinished one any more. */
const FORGOTTEN_AFTER = 3_600_000;
/** Bytes that stay free on the disk, for files that grow while they are copied. */
const RESERVE = 64 * 2 ** 20;

/** Called with the bytes that were read so far. */
type OnBytes = (bytes: number) => void;

export interface StagingFolder {
  folder: string;
  /** Gives it its name, in one step. */
  finish(): Promise<void>;
  /** Removes it, unless it is finished. */
  discard(): Promise<void>;
}

/** A private folder beside `target`, which must not be there or be empty. It goes with the process, unless that is killed. */
export async function openStaging(target: string, bytes: number): Promise<StagingFolder> {
  // Where it is a link, such as to another disk, what it leads to.
  const wanted = await realpath(target).catch(() => resolve(target));
  const parent = dirname(wanted);
  const there = await readdir(wanted).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Refusal(`${wanted} cannot be used (${error.code}): name a folder that is not there yet.`);
  });
  if (there && there.length > 0) {
    throw new Refusal([
      `${wanted} is not empty.`,
      'Remedy: name a folder of its own for each backup, such as one with the date.',
    ]);
  }
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeForgotten(parent);
  await requireSpace(parent, bytes);
  const folder = await mkdtemp(join(parent, UNFINISHED));
  await chmod(folder, 0o700);
  const onExit = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', onExit);
  return {
    folder,
    async finish() {
      await syncFolder(folder);
      // Not every system replaces an empty folder.
      if (there) await rmdir(wanted);
      await rename(folder, wanted);
      process.off('exit', onExit);
      await syncFolder(parent);
    },
    async discard() {
      process.off('exit', onExit);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Those of processes that were killed. */
async function removeForgotten(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(UNFINISHED)) continue;
    const folder = join(parent, name);
    const inside = await readdir(folder, { recursive: true }).catch(() => []);
    const changes = await Promise.all(['.', ...inside].map((path) => stat(join(folder, path)).catch(() => undefined)));
    const last = Math.max(0, ...changes.map((change) => change?.mtimeMs ?? 0));
    // One of another account stays: in a folder that several use, anybody could make one.
    if (Date.now() - last > FORGOTTEN_AFTER) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

/** Throws a `Refusal` where the disk of a folder has no room for so many bytes. */
export async function requireSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const [free, needed] = [bavail * bsize, bytes + RESERVE];
  if (free >= needed) return;
  throw new Refusal([
    `The disk of ${folder} has ${mib(free)} free, and ${mib(needed)} are needed.`,
    'Remedy: make room there, or name a folder on a larger disk.',
  ]);
}

/** Bytes of a file with what its write-ahead log may hold; 0 of one that is not there. */
export async function sizeOf(...files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  return sizes.reduce((sum, one) => sum + (one?.size ?? 0), 0);
}

/** All files below the folder but the manifest, private and on the disk, with their checksums. */
export async function sealFiles(folder: string, onBytes: OnBytes): Promise<BackupFile[]> {
  const files: BackupFile[] = [];
  let before = 0;
  for (const path of await pathsIn(folder)) {
    const file = join(folder, path);
    await chmod(file, 0o600);
    await sync(file);
    const digest = await digestOf(file, (bytes) => onBytes(before + bytes));
    files.push({ path, ...digest });
    before += digest.bytes;
  }
  const folders = new Set(files.map(({ path }) => dirname(path)).filter((path) => path !== '.'));
  for (const path of folders) {
    await chmod(join(folder, path), 0o700);
    await syncFolder(join(folder, path));
  }
  return files;
}

/** What is wrong with the files of a backup, a sentence for each. */
export async function fileFaults(folder: string, files: readonly BackupFile[], onBytes: OnBytes): Promise<string[]> {
  const faults: string[] = [];
  let before = 0;
  for (const { path, bytes, sha256 } of files) {
    const file = join(folder, path);
    const found = await lstat(file).catch(() => undefined);
    if (!found) faults.push(`${path} is missing`);
    else if (!found.isFile()) faults.push(`${path} is no file`);
    else if (found.size < bytes) faults.push(`${path} is truncated: ${found.size} bytes of ${bytes}`);
    else if (found.size > bytes) faults.push(`${path} was changed: ${found.size} bytes, and not ${bytes}`);
    else {
      const digest = await digestOf(file, (read) => onBytes(before + read)).catch(
        (error: NodeJS.ErrnoException) => error,
      );
      if (digest instanceof Error) faults.push(`${path} cannot be read: ${digest.message}`);
      else if (digest.sha256 !== sha256) faults.push(`${path} was changed: its checksum is not that of the manifest`);
    }
    before += bytes;
  }
  const known = new Set(files.map(({ path }) => path));
  for (const path of await pathsIn(folder)) if (!known.has(path)) faults.push(`${path} is no part of the backup`);
  return faults;
}

async function pathsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  return paths
    .map((path) => path.slice(folder.length + 1).replaceAll(sep, '/'))
    .filter((path) => path !== MANIFEST)
    .sort();
}

async function digestOf(file: string, onBytes: OnBytes): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const block of createReadStream(file, { highWaterMark: 2 ** 20 })) {
    hash.update(block);
    bytes += block.length;
    onBytes(bytes);
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Copies a file of a backup onto the disk. Throws where the copy is not what the manifest says. */
export async function copyVerified(source: string, target: string, { path, sha256 }: BackupFile): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  await chmod(target, 0o600);
  await sync(target);
  const copied = await digestOf(target, () => {});
  if (copied.sha256 !== sha256) throw new Refusal(`${path} was changed while it was copied: nothing was restored.`);
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Brings the names in a folder to the disk. Windows cannot, and some network file systems need not. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } catch (error) {
    if (!['EPERM', 'EINVAL', 'EISDIR', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}

const FULL = /ENOSPC|EDQUOT|SQLITE_FULL|No space left/;

/** A disk that is full, or cannot be written, as a `Refusal`; every other error as it is. */
export function explainDisk(error: unknown, folder: string): unknown {
  const { code = '', message = '', path } = error as NodeJS.ErrnoException;
  const text = `${code} ${message}`;
  if (FULL.test(text)) {
    return new Refusal([
      `The disk of ${folder} is full: nothing of ${basename(folder)} is left behind.`,
      'Remedy: make room there, or name a folder on a larger disk.',
    ]);
  }
  if (!/^(EACCES|EROFS|EPERM|ENOTDIR)$/.test(code) || !path?.startsWith(dirname(resolve(folder)))) return error;
  return new Refusal(`${folder} cannot be written (${code}): give the account of this command the right to it.`);
}

function mib(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}
