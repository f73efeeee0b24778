// The folder of the snapshot files within the data folder: import, server and commands must agree on it.

import { join } from 'node:path';

/** Folder of the snapshots' files. */
export function snapshotFolder(dataFolder: string): string {
  return join(dataFolder, 'directory');
}
