// Limits on the unpacked size of an edition (`directory.largestUnpacked`), and on the disk space of an import. With them, neither a damaged
// nor a malicious file fills the memory or the disk.

import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ImportError, MachineError } from '#import/collect/import-error.ts';
import type { Input } from './input.ts';

/** Maximum length of a line of a register, in bytes. The longest published lines have some kilobytes. */
export const LONGEST_LINE = 1 << 16;
export const TOO_LONG = `longer than ${LONGEST_LINE >> 10} KiB`;
/**
 * Maximum ratio of content to packed bytes. Registers are packed to between a fifth and a fifteenth of their size. A file that is packed to
 * less than a hundredth repeats one thing.
 */
const HIGHEST_RATIO = 100;
/** The ratio is checked from this number of bytes of content on. */
const RATIO_FROM = 64 << 20;
const DAMAGED_OR_RAISE =
  'Look at the file; if it is right, raise directory.largestUnpacked, and see that the disk is large enough.';

/** Bytes of content between two checks of the free space. */
const BETWEEN_CHECKS = 64 << 20;

type Packed = Pick<Input, 'name' | 'size' | 'plainSize'>;

/** Throws an `ImportError` if the inputs themselves state that they are too large. `largest` is in bytes, for all inputs together. */
export function refuseLarge(inputs: readonly Packed[], largest: number): void {
  for (const input of inputs) refuseRatio(input, input.plainSize);
  const total = inputs.reduce((sum, { plainSize }) => sum + plainSize, 0);
  const [first] = inputs.toSorted((a, b) => b.plainSize - a.plainSize);
  if (total > largest && first) throw tooLarge(first, total, largest);
}

export type ContentMeter = ReturnType<typeof createContentMeter>;

/**
 * Counts the content of all inputs while it is read, because a gzip file may hold more than it says. `checkSpace` is
 * called from time to time, and may throw.
 */
export function createContentMeter(largest: number, checkSpace: () => Promise<void>) {
  let total = 0;
  return {
    /** Counts a chunk. `own` is the size of this input so far, with the chunk. Throws an `ImportError`. */
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

/** Number of bytes that stay free for the database, which may be on the same volume. On a small volume, a tenth of it stays free. */
const RESERVE = 256 << 20;
/** Bytes on the disk that are needed for one byte of plain files: for the lines in buckets, and for the snapshot. */
const NEEDED = 1.5;

/**
 * Throws a `MachineError` if the volume of the temporary folder has no room for an import.
 * @param plain number of bytes of the plain files that are still to be read
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
