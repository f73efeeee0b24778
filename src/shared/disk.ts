// What a long writer asks of the disk: room for its files, and that a folder's entries survive a power failure.
// An import has an estimate of its own (`import/sources/limits.ts`).

import { open, statfs } from 'node:fs/promises';
import { Refusal } from './operator-errors.ts';

/** Writes the names in a folder to the disk, after the contents of its files. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } catch (error) {
    // Windows cannot do this, and some network file systems need not.
    if (!['EPERM', 'EINVAL', 'EISDIR', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}

/** Bytes that stay free on the disk, for files that grow while it is written. */
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
