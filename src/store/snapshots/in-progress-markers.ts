// Markers beside snapshot files that are being made or dropped. If a process is killed meanwhile, its marker shows which files it has left
// behind, and the next import removes these at once. A file without a marker is removed only an hour after its last change (`registry.ts`),
// because another process may be about to register it.

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '#store/database/connection.ts';

const MARKER = '.sqlite.pending';

/**
 * Marks a snapshot as being made or dropped. If the next import still finds the marker, the files of the snapshot are leftovers, unless the
 * registry has the snapshot.
 */
export function markInProgress(folder: string, id: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, id + MARKER), '');
}

export function clearMarker(folder: string, id: string): void {
  rmSync(join(folder, id + MARKER), { force: true });
}

/** Removes the marker and all files of an unfinished snapshot. Changes nothing if the snapshot is finished or has no marker. */
export function removeInProgress(folder: string, id: string): void {
  if (existsSync(join(folder, `${id}.sqlite`)) || !existsSync(join(folder, id + MARKER))) return;
  removeFiles(folder, id);
}

/**
 * Removes the files of marked snapshots that are not in the registry, and all markers. Only the holder of the import lock may call it.
 * Returns the ids of the removed snapshots.
 */
export async function removeInterrupted(database: Database, folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const marked = readdirSync(folder).flatMap((name) => (name.endsWith(MARKER) ? [name.slice(0, -MARKER.length)] : []));
  const removed: string[] = [];
  for (const id of marked) {
    const known = await database('directory_snapshots').where({ id }).first('id');
    if (known) clearMarker(folder, id);
    else {
      removeFiles(folder, id);
      removed.push(id);
    }
  }
  return removed;
}

// The marker is removed last. If the process is killed before that, the next import still finds the marker, and removes the other files.
function removeFiles(folder: string, id: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${id}.sqlite`) && name !== id + MARKER) rmSync(join(folder, name), { force: true });
  }
  clearMarker(folder, id);
}
