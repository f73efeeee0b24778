// Limits the decompressed size of an edition (`directory.largestUnpacked`) and the disk space of an import. So no damaged or malicious file
// can fill the memory or the disk.

import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ImportError, MachineError } from '#import/collect/import-error.ts';
import type { Input } from './input.ts';

/** Maximum length of a line of a register, in bytes. The longest published lines have a few kilobytes. */
export const LONGEST_LINE = 1 << 16;
export const TOO_LONG = `longer than ${LONGEST_LINE >> 10} KiB`;
/**
 * Maximum ratio of decompressed to packed bytes. For published registers, the ratio is between 5 and 15. A ratio above 100 means that the
 * file repeats the same bytes, as a malicious file would.
 */
const HIGHEST_RATIO = 100;
/** Minimum number of decompressed bytes from which the ratio is checked. */
const RATIO_FROM = 64 << 20;
const DAMAGED_OR_RAISE =
  'Look at the file; if it is right, raise directory.largestUnpacked, and see that the disk is large enough.';

/** Number of decompressed bytes after which the free disk space is checked again. */
const BETWEEN_CHECKS = 64 << 20;

type Packed = Pick<Input, 'name' | 'size' | 'plainSize'>;

/**
 * Throws an `ImportError` if the inputs are too large according to the sizes that they state. `largest` is the maximum number of
 * decompressed bytes of all inputs together.
 */
export function refuseLarge(inputs: readonly Packed[], largest: number): void {
  for (const input of inputs) refuseRatio(input, input.plainSize);
  const total = inputs.reduce((sum, { plainSize }) => sum + plainSize, 0);
  const [first] = inputs.toSorted((a, b) => b.plainSize - a.plainSize);
  if (total > largest && first) throw tooLarge(first, total, largest);
}

export type ContentMeter = ReturnType<typeof createContentMeter>;

/**
 * Counts the decompressed bytes of all inputs while they are read, because a gzip file may contain more than it states. `checkSpace` is
 * called from time to time, and may throw.
 */
export function createContentMeter(largest: number, checkSpace: () => Promise<void>) {
  let total = 0;
  return {
    /**
     * Counts a chunk. `own` is the number of bytes of this input so far, including the chunk. Throws an `ImportError` if the input or all
     * inputs together are too large.
     */
    async count(input: Packed, chunk: number, own: number): Promise<void> {
      const checks = Math.floor(total / BETWEEN_CHECKS);
      total += chunk;
      if (Math.floor(total / BETWEEN_CHECKS) > checks) await checkSpace();
      refuseRatio(input, own);
      if (total > largest) throw tooLarge(input, total, largest);
    },
  };
}

function refuseRatio({ name, size }: Packed, content: number): void {
  if (content <= RATIO_FROM || content <= HIGHEST_RATIO * size) return;
  const problem = `unpacks ${inWords(size)} to ${inWords(content)} or more, over ${HIGHEST_RATIO} times as much: no register does.`;
  throw new ImportError(
    { file: name },
    problem,
    'Download it again; if it is right, unpack it, and give the plain file.',
  );
}

function tooLarge({ name }: Packed, total: number, largest: number): ImportError {
  const problem = `with it, the files hold ${inWords(total)} or more, over the ${inWords(largest)} of directory.largestUnpacked.`;
  return new ImportError({ file: name }, problem, DAMAGED_OR_RAISE);
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** Formats a size such as `1.4 GB`, in powers of 1,000. */
export function inWords(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** power;
  return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[power]}`;
}

/**
 * Number of bytes of the volume that an import must leave free, because the database may be on the same volume. On a small volume, it is
 * only a tenth of the volume.
 */
const RESERVE = 256 << 20;
/**
 * Bytes on the disk that an import needs for each decompressed byte: for the buckets, to which it writes the lines first, and for the
 * snapshot.
 */
const NEEDED = 1.5;

/**
 * Throws a `MachineError` if the volume of the temporary folder has too little free space for an import.
 * @param plain number of decompressed bytes that are still to be read
 */
export async function requireImportSpace(folder: string, plain: number): Promise<void> {
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
