// The folder of the snapshot files within the data folder, and reading one of them by its entry in the registry.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isOfOtherLayout, openSnapshot, type Snapshot } from '#search-index/index.ts';
import type { SnapshotEntry } from './registry.ts';

/** Folder of the snapshots' files. */
export function snapshotFolder(dataFolder: string): string {
  return join(dataFolder, 'directory');
}

/** Whether the file of a snapshot is not in this data folder, as after a restore without the directory. */
export function lacksFile({ file }: Pick<SnapshotEntry, 'file'>, dataFolder: string): boolean {
  return !existsSync(join(snapshotFolder(dataFolder), file));
}

/** Whether a snapshot is of another release's layout: its edition has to be imported again. */
export function hasOtherLayout(entry: SnapshotEntry | undefined, dataFolder: string): boolean {
  return entry !== undefined && isOfOtherLayout(join(snapshotFolder(dataFolder), entry.file));
}

/** What `read` returns of a snapshot; undefined without one, and where its file is missing or of another release's layout. */
export async function readSnapshot<Result>(
  entry: SnapshotEntry | undefined,
  dataFolder: string,
  read: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result | undefined> {
  const file = entry && join(snapshotFolder(dataFolder), entry.file);
  if (!file || !existsSync(file)) return undefined;
  const snapshot = await openSnapshot(file).catch(() => undefined);
  if (!snapshot) return undefined;
  try {
    return await read(snapshot);
  } finally {
    await snapshot.close();
  }
}
