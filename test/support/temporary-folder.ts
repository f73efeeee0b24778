// Gathers the temporary files of a test run in one folder, in memory if possible: databases are made by the hundred, and no test looks at a disk.

import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LASTING = 'HYGIE_TEST_LASTING_FOLDER';
const MEMORY = '/dev/shm';
/** Bytes that have to be free there: a run takes some 130 MB at its peak. */
const NEEDED = 1024 ** 3;

/**
 * Makes the temporary folder of the test processes, until this process ends. It lies in memory unless somebody has set `TMPDIR` or the
 * system has little memory for files, as in most containers.
 */
export function gatherTemporaryFiles(): void {
  const inMemory = !process.env['TMPDIR'] && hasMemory();
  process.env[LASTING] = tmpdir();
  const folder = mkdtempSync(join(inMemory ? MEMORY : tmpdir(), 'hygie-tests-'));
  // PostgreSQL makes its folder there under another account when the tests run as root.
  chmodSync(folder, 0o1777);
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
