// Fetches the file of a snapshot from the database if this machine lacks it. Stores the file in the database for other machines.

import { withProgress } from '#cli/support/progress.ts';
import type { Settings } from '#config/settings.ts';
import { hygie, Refusal } from '#shared/operator-messages.ts';
import { bytesDone } from '#shared/progress.ts';
import type { Database } from '#store/database/connection.ts';
import { bring, distributionFor, NotDistributed } from '#store/snapshots/distribution.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { WrongPart } from '#store/snapshots/parts.ts';
import { recordSeal, type SnapshotEntry } from '#store/snapshots/registry.ts';

/**
 * Fetches the file of a snapshot that is missing on this machine. Throws a `Refusal` if the file cannot be fetched. Does nothing if
 * instances do not share files through the database.
 */
export async function fetchFile(database: Database, settings: Settings, entry: SnapshotEntry): Promise<void> {
  const distribution = distributionFor(database, settings);
  if (!distribution) return;
  try {
    await withProgress((show) =>
      bring(distribution, entry, { onProgress: (done) => show(bytesDone('fetching', done, entry.bytes)) }),
    );
  } catch (error) {
    if (!(error instanceof NotDistributed || error instanceof WrongPart)) throw error;
    throw new Refusal([
      `The snapshot ${entry.id} is not in ${snapshotFolder(settings.dataFolder)}, and cannot be fetched: ${error.message}`,
      `Remedy: run this command where its file is, or import the edition again: ${hygie('directory import PATH...')}`,
    ]);
  }
}

/**
 * Compares the file, which must be undamaged, with its parts in the database, and stores the parts that are missing or damaged there.
 * Resolves with the number of stored bytes. Resolves with undefined if nothing may be stored: files are not shared, the snapshot has no
 * checksum, or another secret sealed the parts.
 */
export async function storeFile(
  database: Database,
  settings: Settings,
  entry: SnapshotEntry,
): Promise<number | undefined> {
  const distribution = distributionFor(database, settings);
  // If an instance with another secret has sealed the parts, they stay as they are. Otherwise two instances would replace each other's
  // seals again and again.
  if (!distribution || !entry.checksum || (await distribution.state(entry)) === 'foreign') return undefined;
  const { seal, through } = await withProgress((show) =>
    distribution.store(entry, { onProgress: (done) => show(bytesDone('comparing', done, entry.bytes)) }),
  );
  if (seal !== undefined && seal !== entry.seal) await recordSeal(database, entry.id, seal);
  return through;
}
