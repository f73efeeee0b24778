// Finds the directory that is in force during an import. Adds its data to the new edition, so that the guards can compare the new edition
// with it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MachineError } from '#import/collect/import-error.ts';
import type { Warn } from '#import/collect/warnings.ts';
import { acceptsOtherPeople } from '#import/guards/acceptances.ts';
import type { EditionToJudge } from '#import/guards/measured-edition.ts';
import { byType, openSnapshot } from '#search-index/index.ts';
import { Refusal } from '#shared/operator-messages.ts';
import type { Database } from '#store/database/connection.ts';
import { outlastFailOver } from '#store/database/outlast-fail-over.ts';
import { isTransient } from '#store/database/transient-errors.ts';
import { bring, type Distribution } from '#store/snapshots/distribution.ts';
import { judgementOf, loadedSince } from '#store/snapshots/judgements.ts';
import {
  findSnapshot,
  listSnapshots,
  readPointer,
  recordVerification,
  type SnapshotEntry,
} from '#store/snapshots/registry.ts';
import { noStatistics } from './statistics.ts';

/** The directory that is in force. */
export interface CurrentDirectory {
  entry: SnapshotEntry;
  /** The file of the snapshot. Absent if the file is lost, damaged or of another release. The import then continues without the file. */
  file?: string;
  /** True if a snapshot was made after the one in force, as after a rollback. */
  overtaken: boolean;
}

interface Files {
  /** Folder with the files of the snapshots. */
  folder: string;
  /** Fetches snapshot files that another machine has imported. Undefined if snapshots are not distributed. */
  distribution: Pick<Distribution, 'has' | 'fetch'> | undefined;
}

/** Finds the current directory. Returns undefined before the first import. */
export async function currentDirectory(
  database: Database,
  { folder, distribution }: Files,
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
    if (distribution) await bring(distribution, entry);
    await (await openSnapshot(file)).close();
    return { entry, file, overtaken };
  } catch (error) {
    // If the database cannot deliver the file at the moment, or the disk has no room for it, the import ends here. It must not continue
    // without the file, because the resources of the edition would then be compared with nothing.
    if (distribution && !existsSync(file) && (isTransient(error) || error instanceof Refusal)) throw error;
    // The same holds for a file that is there and may not be opened, such as one of another account.
    if (existsSync(file) && /^SQLITE_CANTOPEN/.test(String((error as { code?: unknown }).code)))
      throw new MachineError(
        { file },
        'the current snapshot cannot be opened, so that nothing can be compared with it.',
        'Give the user who runs Hygie the right to read it; the directory is unchanged.',
      );
    warn('unreadable-previous', `${file}: ${(error as Error).message}`);
    return { entry, overtaken };
  }
}

/** Milliseconds (30 days). A new edition is compared with the editions of this period. */
const HISTORY_MS = 30 * 86_400_000;

/**
 * Adds the edition in force (`before`) and the editions of the last 30 days (`history`) to an edition, so that the guards can compare it
 * with them. Its own counts and statistics are still empty, because `judgeEdition` sets them. At a first import, or if the operator accepts
 * other people, there is nothing to compare with: `before` is absent and `history` is empty.
 */
export async function withEditionBefore(
  edition: Omit<EditionToJudge, 'before' | 'history' | 'counts' | 'statistics'>,
  current: CurrentDirectory | undefined,
  database: Database,
): Promise<EditionToJudge> {
  const notMapped = { counts: byType(() => 0), statistics: noStatistics() };
  if (!current || acceptsOtherPeople(edition.accept)) return { ...edition, ...notMapped, history: [] };
  const statistics = (await judgementOf(database, current.entry.id))?.statistics;
  const history = await loadedSince(database, new Date(Date.now() - HISTORY_MS));
  return { ...edition, ...notMapped, before: { ...current.entry, ...(statistics && { statistics }) }, history };
}

/**
 * Handles an error of an import. If it means that the current snapshot is damaged, marks the snapshot as damaged, so that the next import
 * does not read it, and returns an error that says so. Returns any other error unchanged.
 */
export async function noteDamage(
  error: unknown,
  current: CurrentDirectory | undefined,
  database: Database,
): Promise<unknown> {
  if (current?.file === undefined || !meansDamaged(error)) return error;
  await outlastFailOver(database, () => recordVerification(database, current.entry.id, { damaged: true }));
  return new MachineError(
    { file: current.file },
    'the current snapshot is damaged, and is marked as such; it is served as far as it can be read.',
    'Import again: the new snapshot does not need it. Look at the disk.',
  );
}

/**
 * Tells whether an error means that a snapshot is damaged. Also looks at the message, because an error that comes from a thread may have
 * lost its code.
 */
function meansDamaged(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return (
    /^SQLITE_(CORRUPT|NOTADB)/.test(code) || /database disk image is malformed|snapshot \S+ is damaged/.test(message)
  );
}
