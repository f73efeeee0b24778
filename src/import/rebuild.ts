// Rebuilds the index of the edition in force from the resources in its snapshot. This is needed after an upgrade to a release with another
// layout of snapshots. The edition itself does not change: its resources keep their versions and dates, and its judgement is kept.

import { join } from 'node:path';
import {
  checksumOfFile,
  createSnapshotWriter,
  isOfOlderLayout,
  openStoredResources,
  RESOURCE_TYPES,
  type SnapshotWriter,
} from '#search-index/index.ts';
import { syncFolder } from '#shared/disk.ts';
import { distributionFor, storeAndConfirm } from '#store/snapshots/distribution.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import {
  findCurrentSnapshot,
  pruneSnapshots,
  replaceCurrent,
  type SnapshotEntry,
  withFullSync,
} from '#store/snapshots/registry.ts';
import { beginImport } from './begin-import.ts';
import { type DirectoryResource, indexResource } from './fhir/index-entries.ts';
import type { ImportOptions } from './import-options.ts';

interface RebuildOptions extends Pick<ImportOptions, 'settings' | 'database'> {
  /**
   * Must call `change`, which puts the snapshot `to` into force instead of `from`. May do other work before and after that, such as the
   * comparison of linked accounts.
   */
  around(from: SnapshotEntry, to: SnapshotEntry, change: () => Promise<void>): Promise<void>;
  /** Called from time to time. If it throws, the rebuild ends and the directory stays as it was. */
  onProgress?: () => void;
}

/** Number of resources that are read from the snapshot at once. */
const AT_ONCE = 500;

/**
 * Rebuilds the directory. Resolves with the id of the new snapshot, or with undefined if the snapshot in force already has the current
 * layout, for example because another instance has rebuilt it. Throws `ImportAlreadyRunning`.
 */
export async function rebuildDirectory(options: RebuildOptions): Promise<string | undefined> {
  const { settings, database, around, onProgress = () => {} } = options;
  const folder = snapshotFolder(settings.dataFolder);
  const importFolder = await beginImport(settings.dataFolder, database);
  try {
    const entry = await findCurrentSnapshot(database);
    const previous = entry && join(folder, entry.file);
    if (!previous || !isOfOlderLayout(previous)) return undefined;
    const id = importFolder.announce();
    const { file, bytes } = await rebuild({ previous, folder, id, entry, onProgress });
    const { seal: _seal, damagedAt: _damagedAt, ...same } = entry;
    const made = { ...same, id, file, bytes, checksum: await checksumOfFile(join(folder, file)) };
    await syncFolder(folder);
    const { confirm } = importFolder;
    const sealed = await storeAndConfirm(distributionFor(database, settings), made, { onProgress, confirm });
    await around(entry, sealed, () => withFullSync(database, () => replaceCurrent(database, entry.id, sealed)));
    await pruneSnapshots({ database, folder, keep: settings.directory.keep }).catch(() => {});
    return id;
  } finally {
    await importFolder.close();
  }
}

interface Rebuild {
  /** The snapshot file with the earlier layout. */
  previous: string;
  folder: string;
  id: string;
  entry: SnapshotEntry;
  onProgress: () => void;
}

async function rebuild({ previous, folder, id, entry, onProgress }: Rebuild) {
  const stored = openStoredResources(previous);
  const writer = createSnapshotWriter({ folder, id, previous, rebuilds: true });
  try {
    await Promise.race([writer.failure, addAll(writer, stored, onProgress)]);
    const summary = await writer.finish();
    for (const type of RESOURCE_TYPES) {
      const { unchanged } = summary.changes[type];
      const count = entry.counts[type];
      if (summary.counts[type] !== count || unchanged !== count)
        throw new Error(
          `${previous} was imported with ${count} ${type}, of which ${unchanged} were found: import the edition again`,
        );
    }
    return summary;
  } catch (error) {
    await writer.abandon();
    throw error;
  } finally {
    stored.close();
  }
}

async function addAll(
  writer: SnapshotWriter,
  stored: ReturnType<typeof openStoredResources>,
  onProgress: () => void,
): Promise<void> {
  for (const type of RESOURCE_TYPES) {
    const { count } = stored.types[type];
    for (let from = 0; from < count; from += AT_ONCE) {
      for (const json of stored.read(type, from, AT_ONCE)) {
        const added = writer.add(indexResource(JSON.parse(json) as DirectoryResource));
        if (added) await added;
      }
      onProgress();
    }
    await writer.flush();
    writer.complete(type);
  }
}
