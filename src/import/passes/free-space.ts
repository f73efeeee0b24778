// Sees that an import leaves room on the volume of the data folder, where the accounts may be as well.

import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MachineError } from '../import-error.ts';
import { inWords } from '../sources/limits.ts';

/** Bytes that stay free for the accounts, or a tenth of a small volume. */
const RESERVE = 256 << 20;
/** Bytes on the disk, for one byte of plain files: their lines in buckets, and the snapshot made of them. */
const NEEDED = 1.5;

/**
 * Throws a `MachineError` when the volume of the temporary folder has no room for an import.
 * @param plain bytes of the plain files that are still to be read
 */
export async function requireSpace(folder: string, plain: number): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const needed = NEEDED * plain + Math.min(RESERVE, (blocks * bsize) / 10);
  if (free >= needed) return;
  throw new MachineError(
    { file: dirname(folder) },
    `the disk has ${inWords(free)} free, and the import needs up to ${inWords(needed)}.`,
    'Make room, or set HYGIE_DATA to a larger disk; the directory is unchanged.',
  );
}
