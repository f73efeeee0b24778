// Owns the temporary folder of an import and the lock that keeps two imports of one directory apart.
// Does not own the snapshot being written (`src/store/directory/`).

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IngestFault } from './fault.ts';

export interface Workspace {
  folder: string;
  /** Deletes the folder and lets the next import begin. */
  close(): void;
}

const LOCK = 'directory-import.lock';
const FOLDER = 'directory-import-';

/** Takes the lock, clears what killed imports left behind, and makes a temporary folder inside the data folder. */
export function openWorkspace(dataFolder: string): Workspace {
  mkdirSync(dataFolder, { recursive: true });
  const lock = join(dataFolder, LOCK);
  takeLock(lock);
  for (const name of readdirSync(dataFolder)) {
    if (name.startsWith(FOLDER)) rmSync(join(dataFolder, name), { recursive: true, force: true });
  }
  const folder = mkdtempSync(join(dataFolder, FOLDER));
  const close = () => {
    process.off('exit', close);
    rmSync(folder, { recursive: true, force: true });
    rmSync(lock, { force: true });
    heldHere.delete(lock);
  };
  process.on('exit', close);
  return { folder, close };
}

function takeLock(lock: string): void {
  if (existsSync(lock) && !isHeld(lock)) rmSync(lock, { force: true });
  try {
    writeFileSync(lock, `${process.pid}\n`, { flag: 'wx' });
    heldHere.add(lock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new IngestFault(
      {},
      `Another import is running (process ${readFileSync(lock, 'utf8').trim()}).`,
      `Wait for it to end; if there is none, delete ${lock}.`,
    );
  }
}

/** Whether the process that took the lock is alive. In a fresh container an earlier run may have had our own number. */
function isHeld(lock: string): boolean {
  const pid = Number(readFileSync(lock, 'utf8').trim());
  if (!Number.isInteger(pid) || pid <= 0) return false;
  if (pid === process.pid) return heldHere.has(lock);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Locks of this process. */
const heldHere = new Set<string>();
