// Puts the errors of reading files into words: which file, what is wrong, and what to do.

import { ImportError, MachineError } from '#import/collect/import-error.ts';

/** Faults of what is there: they last until somebody changes it. */
const MISSING: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
  ENOENT: [
    'is not there any more, or has a name that is not UTF-8.',
    'Import again once all files are in their place.',
  ],
  ENOTDIR: ['is not there: a part of its path is a file.', 'Check the path.'],
  EISDIR: ['is a folder now.', 'Import again once all files are in their place.'],
  ELOOP: ['is a link that leads back to itself.', 'Mend it, or take it out of the folder.'],
  ENAMETOOLONG: ['has a name that is too long.', 'Shorten it.'],
};

const RIGHTS = 'Give the user who runs Hygie the right to read it.';
const TRY_AGAIN = 'Look at the disk or network folder and at the machine’s log, then import again.';

/** Faults that go without the file being changed. */
const MACHINE: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
  EACCES: ['may not be read.', RIGHTS],
  EPERM: ['may not be read.', RIGHTS],
  EMFILE: ['cannot be opened: the process has too many open files.', 'Raise its limit (ulimit -n), then import again.'],
  ENFILE: ['cannot be opened: the machine has too many open files.', 'Close some, then import again.'],
  ESTALE: ['is gone from its network folder.', TRY_AGAIN],
  EIO: ['cannot be read: its disk fails.', TRY_AGAIN],
};

/** Whether an error comes from the file system, and not from what a file holds. */
export function isFileSystemError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException | null)?.syscall === 'string';
}

/**
 * What an error of the file system means for a file: a `MachineError` when it may go without the file being changed. Every
 * other error as it is.
 */
export function toReadError(error: unknown, file: string): unknown {
  if (error instanceof ImportError || !isFileSystemError(error)) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  const missing = MISSING[code];
  if (missing) return new ImportError({ file }, ...missing);
  return new MachineError({ file }, ...(MACHINE[code] ?? ([`cannot be read (${code}).`, TRY_AGAIN] as const)));
}

/** The result of `work` on a file, whose errors of the file system are put into words. */
export async function readingFile<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toReadError(error, file);
  }
}
