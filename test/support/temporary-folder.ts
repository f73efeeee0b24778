// Puts the temporary files of a test run into memory: databases are made by the hundred, and no test looks at a disk.

import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LASTING = 'HYGIE_TEST_LASTING_FOLDER';
const MEMORY = '/dev/shm';
/** Bytes that have to be free there: a run takes some 130 MB at its peak. */
const NEEDED = 1024 ** 3;

/**
 * Makes a folder in memory that is the temporary folder of the test processes, until this process ends. Where the system has
 * none, or a small one, as in most containers, all stays as it is; so does a `TMPDIR` that somebody has set.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env['TMPDIR'] || !hasMemory()) return;
  const folder = mkdtempSync(join(MEMORY, 'hygie-tests-'));
  // PostgreSQL makes its folder there under another account when the tests run as root.
  chmodSync(folder, 0o1777);
  process.env[LASTING] = tmpdir();
  process.env['TMPDIR'] = folder;
  // An interrupted run ends here too.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}

/** The temporary folder for what later runs use again. */
export function lastingFolder(): string {
  return process.env[LASTING] ?? tmpdir();
}

function hasMemory(): boolean {
  try {
    const options = /^\S+ \/dev\/shm tmpfs (\S+)/m.exec(readFileSync('/proc/mounts', 'utf8'))?.[1]?.split(',');
    const { bavail, bsize } = statfsSync(MEMORY);
    // Some tests start programs that they have written.
    return options !== undefined && !options.includes('noexec') && bavail * bsize >= NEEDED;
  } catch {
    return false;
  }
}
