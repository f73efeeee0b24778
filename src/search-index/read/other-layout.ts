// Tells snapshots that another release wrote, in a layout that this one does not read, from damaged ones.

import { OtherLayout, openSnapshotFile } from './reader.ts';

/** Whether a file is a snapshot of another release's layout; one that cannot be read at all is not. */
export function isOfOtherLayout(file: string): boolean {
  try {
    openSnapshotFile(file, { mapped: false }).close();
    return false;
  } catch (error) {
    return error instanceof OtherLayout;
  }
}
