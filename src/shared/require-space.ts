// Checks before much is written whether the disk has room for it.

import { statfs } from 'node:fs/promises';
import { Refusal } from './operator-errors.ts';

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
