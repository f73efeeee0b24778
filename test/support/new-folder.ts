// Makes folders for tests. They need not be removed: they go when the next test file of the worker begins, the last ones with the run.

import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const WORKER = process.env['JEST_WORKER_ID'];
/** That of a worker is told from that of a Jest which a test starts. Scripts outside Jest remove their folders themselves. */
const PARENT = WORKER ? join(tmpdir(), `worker-${process.ppid}-${WORKER}`) : tmpdir();

export function newFolder(): string {
  if (WORKER) {
    mkdirSync(PARENT, { recursive: true });
    // Some tests start programs under another account.
    chmodSync(PARENT, 0o711);
  }
  return mkdtempSync(join(PARENT, 'hygie-'));
}

/** Removes what the file before has made; a process that it left may still write there. */
export function removeFoldersOfWorker(): void {
  if (WORKER) rmSync(PARENT, { recursive: true, force: true, maxRetries: 5 });
}
