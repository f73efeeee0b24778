// Helpers for work that writes large files: a check of the free space, and a flush so that the names in a folder survive a power failure.
// An import estimates its space by itself (`import/sources/limits.ts`).

import { open, statfs } from 'node:fs/promises';
import { Refusal } from './operator-messages.ts';

/** Flushes the names in a folder to the disk. Call it after the contents of its files are flushed. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  try {
    await handle.sync();
  } catch (error) {
    // Windows cannot flush a folder, and some network file systems do not support it.
    if (!['EPERM', 'EINVAL', 'EISDIR', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Bytes that must stay free on the disk, because other files may grow at the same time. */
const RESERVE = 64 * 2 ** 20;

/** Throws a `Refusal` if the disk of a folder has no room for that many bytes. */
export async function requireSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const [free, needed] = [bavail * bsize, bytes + RESERVE];
  if (free >= needed) return;
  throw new Refusal([
    `The disk of ${folder} has ${mib(free)} free, and ${mib(needed)} are needed.`,
    'Remedy: make room there, or name a folder on a larger disk.',
  ]);
}

function mib(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}
