// Calculates the checksums of the files of a backup, and compares the files with the checksums in its manifest.

import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { chmod, copyFile, lstat, open, readdir, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { syncFolder } from '#shared/disk.ts';
import { Refusal } from '#shared/operator-messages.ts';
import { type BackupFile, MANIFEST } from './manifest.ts';

/** Called with the number of bytes that were read so far. */
type OnBytes = (bytes: number) => void;

/** Returns the size of these files together, in bytes. A missing file has the size 0. */
export async function sizeOf(...files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  return sizes.reduce((sum, one) => sum + (one?.size ?? 0), 0);
}

/** Makes the files below the folder private, flushes them to the disk, and returns their checksums. Leaves out the manifest. */
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

/** Returns a sentence for each fault of the files of a backup. Also checks that the folder has no other files. */
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

/** Copies a file of a backup and flushes the copy. Throws if the copy does not match the manifest. */
export async function copyVerified(source: string, target: string, { path, sha256 }: BackupFile): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  await chmod(target, 0o600);
  await sync(target);
  const copied = await digestOf(target, () => {});
  if (copied.sha256 !== sha256) throw new Refusal(`${path} was changed while it was copied: nothing was restored.`);
}

async function sync(file: string): Promise<void> {
  await using handle = await open(file, 'r+');
  await handle.sync();
}
