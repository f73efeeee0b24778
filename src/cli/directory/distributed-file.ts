// Fetches the file of a snapshot from the database if this machine lacks it, and stores it there for other machines.

import { withProgress } from '#cli/support/progress.ts';
import type { Settings } from '#config/settings.ts';
import { hygie, Refusal } from '#shared/operator-messages.ts';
import { bytesDone } from '#shared/progress.ts';
import type { Database } from '#store/database/connection.ts';
import { bring, distributionFor, NotDistributed } from '#store/snapshots/distribution.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { WrongPart } from '#store/snapshots/parts.ts';
import { recordSeal, type SnapshotEntry } from '#store/snapshots/registry.ts';

/** Fetches the file if it is not here and other machines have stored it. Throws a `Refusal` if it cannot be fetched. */
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
 * Stores the parts of a sound file that are missing or damaged in the database. Resolves with the number of bytes; undefined if nothing is
 * stored for other machines.
 */
export async function storeFile(
  database: Database,
  settings: Settings,
  entry: SnapshotEntry,
): Promise<number | undefined> {
  const distribution = distributionFor(database, settings);
  // Parts that an instance with another secret has sealed stay as they are, so that two instances do not replace the seals of each other.
  if (!distribution || !entry.checksum || (await distribution.state(entry)) === 'foreign') return undefined;
  const { seal, through } = await withProgress((show) =>
    distribution.store(entry, { onProgress: (done) => show(bytesDone('comparing', done, entry.bytes)) }),
  );
  if (seal !== undefined && seal !== entry.seal) await recordSeal(database, entry.id, seal);
  return through;
}
