// Errors of an import. Each error names the file, line or column, then the problem, and then the remedy.

import { printable } from '#shared/log/printable.ts';

export interface SourceLocation {
  file?: string;
  /** Number of the line, counted from 1. */
  line?: number;
  column?: string;
}

/**
 * An error that says why the input cannot be used. `message` names the file, line or column, then the problem, then the remedy. Unprintable
 * characters in quotations from the file are replaced.
 */
export class ImportError extends Error {
  override name = 'ImportError';

  constructor({ file, line, column }: SourceLocation, problem: string, remedy: string) {
    const where = [
      ...(file === undefined ? [] : [file]),
      ...(line === undefined ? [] : [`line ${line}`]),
      ...(column === undefined ? [] : [`column "${column}"`]),
    ];
    super(printable(`${where.length > 0 ? `${where.join(', ')}: ` : ''}${problem} ${remedy}`));
  }
}

/** Gives an `ImportError` from another thread its class back, which was lost on the way. Any other error is returned unchanged. */
export function fromThread(error: unknown): unknown {
  return (error as Error).name === 'ImportError' ? Object.setPrototypeOf(error, ImportError.prototype) : error;
}

/** Thrown if another import holds the lock. */
export class ImportAlreadyRunning extends ImportError {
  override name = 'ImportAlreadyRunning';
  readonly holder: string;

  /** @param holder a text such as `process 4711 on myhost` */
  constructor(holder: string) {
    super({}, `Another import is running (${holder}).`, 'Wait for it to end.');
    this.holder = holder;
  }
}

/** An error of the machine and not of the input: a later import of the same input may succeed. */
export class MachineError extends ImportError {
  override name = 'MachineError';
}

const ROOM = 'An import needs free space of about three times the size of its plain files; the directory is unchanged.';

/**
 * Problem and remedy for errors of the disk. The pattern is compared with the code and the message of the error. The message is compared as
 * well, because an error from another thread may have lost its code.
 */
const UNWRITABLE: readonly [RegExp, problem: string, remedy: string][] = [
  [/ENOSPC|SQLITE_FULL|database or disk is full/, 'the disk is full.', ROOM],
  [/EDQUOT|EFBIG/, 'the quota of the disk, or the limit of file sizes (ulimit -f), is reached.', ROOM],
  [
    /EROFS|EACCES|EPERM|SQLITE_READONLY|SQLITE_CANTOPEN|readonly database|unable to open database file/,
    'cannot be written.',
    'Give the user who runs Hygie the right to write there (HYGIE_DATA); the directory is unchanged.',
  ],
  [
    /\bEIO\b|SQLITE_IOERR|disk I\/O error/,
    'the disk cannot be written or read.',
    'Look at the limits of the user (ulimit -f) and at the machine’s log; the directory is unchanged.',
  ],
];

/** Turns an error of the disk into a `MachineError` with its remedy. Any other error is returned unchanged. */
export function toMachineError(error: unknown, dataFolder: string): unknown {
  if (error instanceof ImportError) return error;
  const { code = '', path, message = '' } = error as NodeJS.ErrnoException;
  const [, problem, remedy] = UNWRITABLE.find(([pattern]) => pattern.test(`${code} ${message}`)) ?? [];
  if (problem === undefined || remedy === undefined) return error;
  return new MachineError({ file: path?.startsWith(dataFolder) ? path : dataFolder }, problem, remedy);
}

// The rest of the file is about errors of reading the files of an edition.

/** Faults of the files themselves. They stay until somebody changes the files. */
const MISSING: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
  ENOENT: [
    'is not there any more, or has a name that is not UTF-8.',
    'Import again once all files are in their place.',
  ],
  ENOTDIR: ['is not there: a part of its path is a file.', 'Check the path.'],
  EISDIR: ['is a folder now.', 'Import again once all files are in their place.'],
  ELOOP: ['is a link that leads back to itself.', 'Repair it, or remove it from the folder.'],
  ENAMETOOLONG: ['has a name that is too long.', 'Shorten it.'],
};

const RIGHTS = 'Give the user who runs Hygie the right to read it.';
const TRY_AGAIN = 'Look at the disk or network folder and at the machine’s log, then import again.';

/** Faults that may go away without a change of the file. */
const UNREADABLE: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
  EACCES: ['may not be read.', RIGHTS],
  EPERM: ['may not be read.', RIGHTS],
  EMFILE: ['cannot be opened: the process has too many open files.', 'Raise its limit (ulimit -n), then import again.'],
  ENFILE: ['cannot be opened: the machine has too many open files.', 'Close some, then import again.'],
  ESTALE: ['is gone from its network folder.', TRY_AGAIN],
  EIO: ['cannot be read: its disk fails.', TRY_AGAIN],
};

/** Tells whether an error comes from the file system, and not from the content of a file. */
export function isFileSystemError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException | null)?.syscall === 'string';
}

/**
 * Turns an error of the file system into an `ImportError` with a sentence about the file. It is a `MachineError` if the fault may go away
 * without a change of the file. Any other error is returned unchanged.
 */
export function toReadError(error: unknown, file: string): unknown {
  if (error instanceof ImportError || !isFileSystemError(error)) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  const missing = MISSING[code];
  if (missing) return new ImportError({ file }, ...missing);
  return new MachineError({ file }, ...(UNREADABLE[code] ?? ([`cannot be read (${code}).`, TRY_AGAIN] as const)));
}

/** Runs `work`, which reads a file. An error of the file system is thrown again as a sentence about the file. */
export async function readingFile<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toReadError(error, file);
  }
}
