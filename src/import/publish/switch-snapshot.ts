// Registers a finished snapshot in the database, and switches the directory to it. Serving processes then notice the switch
// (`store/snapshots/current-snapshot.ts`). Nothing is sent to other instances here: before the switch, `load-edition.ts` has stored the
// snapshot file for them (`store/snapshots/distribution.ts`).

import { join } from 'node:path';
import { MachineError } from '#import/collect/import-error.ts';
import type { Warn } from '#import/collect/warnings.ts';
import { checksumOfFile, type SnapshotSummary } from '#search-index/index.ts';
import { syncFolder } from '#shared/disk.ts';
import type { Database } from '#store/database/connection.ts';
import { outlastFailOver } from '#store/database/outlast-fail-over.ts';
import { type KeptJudgement, keepJudgement } from '#store/snapshots/judgements.ts';
import {
  activateSnapshot,
  findSnapshot,
  pruneSnapshots,
  registerSnapshot,
  type SnapshotEntry,
  withFullSync,
} from '#store/snapshots/registry.ts';

interface Candidate {
  summary: SnapshotSummary;
  /** Checksum of the sources (`sourcesChecksum`). */
  checksum: string;
  judgement: Omit<KeptJudgement, 'madeAt' | 'snapshot'>;
}

interface PublishOptions {
  database: Database;
  /** Id of the snapshot with which the edition was compared. Undefined at a first import. */
  compared: string | undefined;
  folder: string;
  /** Number of earlier snapshots that are kept after the switch. */
  keep: number;
  warn: Warn;
}

/**
 * Makes the entry of a finished snapshot for the registry. When the promise resolves, the snapshot file and its name are safely on the
 * disk.
 */
export async function finishedEntry(
  { summary, checksum, judgement }: Candidate,
  folder: string,
): Promise<SnapshotEntry> {
  const { id, file, created, counts, bytes } = summary;
  const own = await checksumOfFile(join(folder, file));
  await syncFolder(folder);
  return {
    id,
    engine: 'sqlite',
    file,
    createdAt: new Date(created),
    editions: judgement.editions,
    counts,
    sourcesChecksum: checksum,
    bytes,
    checksum: own,
  };
}

/**
 * Switches to a finished snapshot, and stores its judgement. Throws a `MachineError` if another edition has come into force during the
 * import, for example by a rollback, because the new edition was not compared with that edition. After any other error, only the snapshot
 * registry shows whether the switch was made.
 */
export async function publish(
  entry: SnapshotEntry,
  judgement: Candidate['judgement'],
  { database, compared, folder, keep, warn }: PublishOptions,
): Promise<void> {
  // The order protects the directory if the power fails. First the file and its name are on the disk. Then the database names the snapshot
  // as the current one. Only then are old files deleted.
  await withFullSync(database, async () => {
    await outlastFailOver(database, async () => {
      if (await findSnapshot(database, entry.id)) return;
      await database.transaction(async (transaction) => {
        await registerSnapshot(transaction, entry);
        if (!(await activateSnapshot(transaction, entry.id, { id: compared }))) throw overtaken();
        await keepJudgement(transaction, { ...entry, ...judgement, snapshot: entry.id });
      });
    });
    // The switch has been made, so a failure of the clean-up only gives a warning.
    await pruneSnapshots({ database, folder, keep }).catch((error: Error) => warn('not-pruned', error.message));
  });
}

function overtaken(): MachineError {
  return new MachineError(
    {},
    'another edition has come into force during this import, which was not compared with it.',
    'Import again.',
  );
}
