// The current snapshot, the last checks of a new one, and the switch to it.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { MachineError } from '#import/collect/import-error.ts';
import type { Warn } from '#import/collect/warnings.ts';
import { editionsOf, type Source } from '#import/registers/source.ts';
import { checksumOfFile, openSnapshot, type SnapshotSummary } from '#search-index/index.ts';
import { syncFolder } from '#shared/sync-folder.ts';
import type { Database } from '#store/database/connection.ts';
import { type KeptJudgement, keepJudgement } from '#store/snapshots/judgements.ts';
import {
  activateSnapshot,
  findSnapshot,
  listSnapshots,
  pruneSnapshots,
  readPointer,
  recordVerification,
  registerSnapshot,
  type SnapshotEntry,
  withFullSync,
} from '#store/snapshots/registry.ts';

/** The directory that is there. */
interface CurrentDirectory {
  entry: SnapshotEntry;
  /** Its file; absent when it is lost or of another release, which must not stop the next import. */
  file?: string;
  /** Whether other snapshots were made later, as after a rollback. */
  overtaken: boolean;
}

/** The current directory, or nothing before the first import. `folder` holds the snapshots' files. */
export async function currentDirectory(
  database: Database,
  folder: string,
  warn: Warn,
): Promise<CurrentDirectory | undefined> {
  const { current } = await readPointer(database);
  const entry = current === undefined ? undefined : await findSnapshot(database, current);
  if (!entry) return undefined;
  const [newest] = await listSnapshots(database);
  const overtaken = newest?.id !== entry.id;
  if (entry.damagedAt) {
    warn('unreadable-previous', `${entry.file} was found damaged on ${entry.damagedAt.toISOString()}`);
    return { entry, overtaken };
  }
  const file = join(folder, entry.file);
  try {
    await (await openSnapshot(file)).close();
    return { entry, file, overtaken };
  } catch (error) {
    warn('unreadable-previous', `${file}: ${(error as Error).message}`);
    return { entry, overtaken };
  }
}

/**
 * When the current snapshot turns out to be damaged while a new one is compared with it, that is noted, and the next import
 * does without; the error then says so. Every other error as it is.
 */
export async function noteDamage(
  error: unknown,
  current: CurrentDirectory | undefined,
  database: Database,
): Promise<unknown> {
  if (current?.file === undefined || !meansDamaged(error)) return error;
  await recordVerification(database, current.entry.id, { damaged: true });
  return new MachineError(
    { file: current.file },
    'the current snapshot is damaged; that is noted now, and it is served as far as it can be read.',
    'Import again: the new one is then made without it. Look at the disk.',
  );
}

/** Also by its text: the code may be lost on the way from a thread. */
function meansDamaged(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return (
    /^SQLITE_(CORRUPT|NOTADB)/.test(code) || /database disk image is malformed|snapshot \S+ is damaged/.test(message)
  );
}

/**
 * Name of a new snapshot, `20261121T024500123Z-9f3a`: sorts by time to the millisecond, because the catalogue keeps seconds
 * and small imports follow one another within one; two of one millisecond still differ.
 */
export function snapshotName(now: Date): string {
  return `${now.toISOString().replace(/[-:.]/g, '')}-${randomBytes(2).toString('hex')}`;
}

interface Candidate {
  summary: SnapshotSummary;
  sources: readonly Source[];
  checksum: string;
  judgement: Pick<KeptJudgement, 'statistics' | 'report' | 'accepted' | 'removed'>;
}

interface PublishOptions {
  database: Database;
  folder: string;
  /** Old snapshots kept. */
  keep: number;
  warn: Warn;
}

/**
 * Switches to a finished snapshot, and keeps its judgement. When this throws, whether the switch was made is in the
 * snapshot registry.
 */
export async function publish(
  { summary, sources, checksum, judgement }: Candidate,
  { database, folder, keep, warn }: PublishOptions,
): Promise<void> {
  const file = join(folder, summary.file);
  const entry = { ...entryOf(summary, sources, checksum), checksum: await checksumOfFile(file) };
  // In this order on the disk too, whenever the power fails: the file, its name, its row with the pointer, the old files.
  await syncFolder(folder);
  await withFullSync(database, async () => {
    await database.transaction(async (transaction) => {
      await registerSnapshot(transaction, entry);
      await activateSnapshot(transaction, summary.id);
      await keepJudgement(transaction, { ...entry, ...judgement, snapshot: summary.id });
    });
    // The switch is made: what stands in the way of clearing up must not make it look otherwise.
    await pruneSnapshots({ database, folder, keep }).catch((error: Error) => warn('not-pruned', error.message));
  });
}

function entryOf(summary: SnapshotSummary, sources: readonly Source[], checksum: string): SnapshotEntry {
  return {
    id: summary.id,
    engine: 'sqlite',
    file: summary.file,
    createdAt: new Date(summary.created),
    editions: editionsOf(sources),
    counts: summary.counts,
    sourcesChecksum: checksum,
    bytes: summary.bytes,
  };
}
