// Owns where the snapshots' files stand within the data folder: writer, server and operator commands must agree on it.

import { join } from 'node:path';

/** Folder of the snapshots' files. */
export function snapshotFolder(dataFolder: string): string {
  return join(dataFolder, 'directory');
}
