// The folder of the snapshot files within the data folder, and access to a file by its entry in the registry.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isOfOtherLayout, openSnapshot, type Snapshot } from '#search-index/index.ts';
import type { SnapshotEntry } from './registry.ts';

/** Returns the folder of the snapshots' files. */
export function snapshotFolder(dataFolder: string): string {
  return join(dataFolder, 'directory');
}

/** Checks whether the file of a snapshot is missing in this data folder, for example after the restore of a backup without these files. */
export function lacksFile({ file }: Pick<SnapshotEntry, 'file'>, dataFolder: string): boolean {
  return !existsSync(join(snapshotFolder(dataFolder), file));
}

/** Checks whether a snapshot has the layout of another release. If it has, its edition must be imported again. */
export function hasOtherLayout(entry: SnapshotEntry | undefined, dataFolder: string): boolean {
  return entry !== undefined && isOfOtherLayout(join(snapshotFolder(dataFolder), entry.file));
}

/**
 * Opens a snapshot, passes it to `read` and returns the result. Returns undefined if there is no snapshot, if its file is missing, or if it
 * cannot be opened, for example because it has the layout of another release.
 */
export async function readSnapshot<Result>(
  entry: SnapshotEntry | undefined,
  dataFolder: string,
  read: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result | undefined> {
  const file = entry && join(snapshotFolder(dataFolder), entry.file);
  if (!file || !existsSync(file)) return undefined;
  await using snapshot = await openSnapshot(file).catch(() => undefined);
  return snapshot && (await read(snapshot));
}
