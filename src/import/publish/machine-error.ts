// Turns errors of the machine, such as a full disk, into errors that name the remedy.

import { MachineError } from '../import-error.ts';

const ROOM = 'An import needs free space of about three times the size of its plain files; the directory is unchanged.';

/** By the error's code, or by its text where the code was lost on the way from a thread. */
const FAULTS: readonly { code: RegExp; text: RegExp; fault: string; remedy: string }[] = [
  {
    code: /^(ENOSPC|SQLITE_FULL)$/,
    text: /ENOSPC|database or disk is full/,
    fault: 'the disk is full.',
    remedy: ROOM,
  },
  {
    code: /^(EDQUOT|EFBIG)$/,
    text: /EDQUOT|EFBIG/,
    fault: 'the quota of the disk, or the limit of file sizes, is reached.',
    remedy: ROOM,
  },
  {
    code: /^(EROFS|EACCES|EPERM|SQLITE_READONLY\w*|SQLITE_CANTOPEN\w*)$/,
    text: /EROFS|EACCES|EPERM|attempt to write a readonly database|unable to open database file/,
    fault: 'cannot be written.',
    remedy: 'Give the user who runs Hygie the right to write there (HYGIE_DATA); the directory is unchanged.',
  },
  {
    code: /^(EIO|SQLITE_IOERR\w*)$/,
    text: /\bEIO\b|disk I\/O error/,
    fault: 'the disk cannot be written or read.',
    remedy:
      'Look at the limits of the user who runs Hygie (ulimit -f) and at the machine’s log; the directory is unchanged.',
  },
];

/** The error in words that name the remedy, where it is the machine's; everything else as it is. */
export function toMachineError(error: unknown, dataFolder: string): unknown {
  if (error instanceof MachineError || (error as Error | undefined)?.name === 'ImportError') return error;
  const { code = '', path, message } = error as NodeJS.ErrnoException;
  const known = FAULTS.find((one) => one.code.test(code) || one.text.test(message ?? ''));
  if (!known) return error;
  return new MachineError({ file: path?.startsWith(dataFolder) ? path : dataFolder }, known.fault, known.remedy);
}
