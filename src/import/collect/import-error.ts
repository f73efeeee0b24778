// Why an import refuses its input: what is wrong, in which file, line or column, and what to do about it.

import { printable } from '#shared/log/printable.ts';

export interface SourceLocation {
  file?: string;
  /** Counted from 1. */
  line?: number;
  column?: string;
}

/**
 * The input cannot be used. `message` names file, line or column, the problem and the remedy, in this order; what it
 * quotes of the file is printable.
 */
export class ImportError extends Error {
  override name = 'ImportError';
  readonly location: SourceLocation;

  constructor(location: SourceLocation, problem: string, remedy: string) {
    const where = [
      location.file,
      location.line === undefined ? undefined : `line ${location.line}`,
      location.column === undefined ? undefined : `column "${location.column}"`,
    ].filter((part) => part !== undefined);
    super(printable(`${where.length > 0 ? `${where.join(', ')}: ` : ''}${problem} ${remedy}`));
    this.location = location;
  }
}

/** What a thread threw: an `ImportError` has lost its class on the way. */
export function fromThread(error: unknown): unknown {
  return (error as Error).name === 'ImportError' ? Object.setPrototypeOf(error, ImportError.prototype) : error;
}

/** Another import holds the lock. */
export class ImportAlreadyRunning extends ImportError {
  override name = 'ImportAlreadyRunning';
  readonly holder: string;

  /** `holder`: as `process 4711 on myhost`. */
  constructor(holder: string) {
    super({}, `Another import is running (${holder}).`, 'Wait for it to end.');
    this.holder = holder;
  }
}

/** Nothing is wrong with the input: the machine failed, and may be able to do it later. */
export class MachineError extends ImportError {
  override name = 'MachineError';
}

const ROOM = 'An import needs free space of about three times the size of its plain files; the directory is unchanged.';

/** By code or message: the code may be lost on the way from a thread. */
const MACHINE: readonly [RegExp, problem: string, remedy: string][] = [
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

/** A `MachineError` with the remedy for an error of the disk; every other error as it is. */
export function toMachineError(error: unknown, dataFolder: string): unknown {
  if (error instanceof ImportError) return error;
  const { code = '', path, message = '' } = error as NodeJS.ErrnoException;
  const [, problem, remedy] = MACHINE.find(([pattern]) => pattern.test(`${code} ${message}`)) ?? [];
  if (problem === undefined || remedy === undefined) return error;
  return new MachineError({ file: path?.startsWith(dataFolder) ? path : dataFolder }, problem, remedy);
}
