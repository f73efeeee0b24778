// Begins an import after its files are listed (`locked-import.ts`): takes the lock and makes a temporary folder. It returns an
// `ImportFolder`, with which later steps mark the new snapshot as in progress, and clean up at the end.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '#store/database/connection.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { ImportLocked, takeImportLock } from '#store/snapshots/import-lock.ts';
import { markInProgress, removeInProgress, removeInterrupted } from '#store/snapshots/in-progress-markers.ts';
import { ImportAlreadyRunning } from './collect/import-error.ts';

export interface ImportFolder {
  /** Folder for temporary files. It is inside the data folder, because the disk of the data folder has room for a snapshot. */
  folder: string;
  /**
   * Marks a new snapshot as in progress and returns its id. If this import is killed, the next import removes what is left of the snapshot.
   */
  announce(): string;
  /**
   * Throws `ImportAlreadyRunning` if this import has lost the lock and another import has taken it. Call it just before the new snapshot
   * becomes the current one.
   */
  confirm(): Promise<void>;
  /** Deletes the temporary folder and releases the lock. */
  close(): Promise<void>;
}

const FOLDER = 'directory-import-';

/**
 * Takes the lock, removes files that killed imports left behind, and makes the temporary folder. Throws `ImportAlreadyRunning` if another
 * import holds the lock.
 */
export async function beginImport(dataFolder: string, database: Database): Promise<ImportFolder> {
  const snapshots = snapshotFolder(dataFolder);
  const lock = await takeImportLock(dataFolder, database).catch(underWay);
  let folder: string;
  try {
    for (const name of readdirSync(dataFolder)) {
      if (name.startsWith(FOLDER)) rmSync(join(dataFolder, name), { recursive: true, force: true });
    }
    await removeInterrupted(database, snapshots);
    folder = mkdtempSync(join(dataFolder, FOLDER));
  } catch (error) {
    await lock.release();
    throw error;
  }
  let announced: string | undefined;
  // This handler does not release the lock, because the lock ends with the process.
  const onExit = () => {
    rmSync(folder, { recursive: true, force: true });
    if (announced !== undefined) removeInProgress(snapshots, announced);
  };
  process.on('exit', onExit);
  return {
    folder,
    announce() {
      announced = snapshotName(new Date());
      markInProgress(snapshots, announced);
      return announced;
    },
    confirm: () => lock.confirm().catch(underWay),
    async close() {
      process.off('exit', onExit);
      try {
        rmSync(folder, { recursive: true, force: true });
        // The import may have failed while it made the new snapshot the current one, and the snapshot may be current all the same. So
        // `removeInterrupted` looks into the registry before it removes the snapshot. If the registry cannot be read now, the next import
        // removes what has to be removed.
        await removeInterrupted(database, snapshots).catch(() => {});
      } finally {
        await lock.release();
      }
    },
  };
}

function underWay(error: unknown): never {
  throw error instanceof ImportLocked ? new ImportAlreadyRunning(error.holder) : error;
}

/**
 * Returns the name of a new snapshot, such as `20261121T024500123Z-9f3a`. Sorted by name, snapshots are in the order in which they were
 * made, because a name has the time to the millisecond. The time in the registry has only seconds, and small imports may follow one another
 * within a second. The random digits at the end distinguish two names of the same millisecond.
 */
export function snapshotName(now: Date): string {
  return `${now.toISOString().replace(/[-:.]/g, '')}-${randomBytes(2).toString('hex')}`;
}
