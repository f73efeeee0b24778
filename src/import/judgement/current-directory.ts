// Finds the directory that is served during an import, and adds it to the edition that is compared with it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MachineError } from '#import/collect/import-error.ts';
import type { Warn } from '#import/collect/warnings.ts';
import type { EditionToJudge } from '#import/guards/measured-edition.ts';
import { acceptsOtherPeople } from '#import/guards/verdict.ts';
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

/** The directory that is served. */
export interface CurrentDirectory {
  entry: SnapshotEntry;
  /** The file of its snapshot. Absent if the file is lost, damaged or of another release, which must not stop the next import. */
  file?: string;
  /** True if other snapshots were made later, as after a rollback. */
  overtaken: boolean;
}

interface Files {
  /** Folder with the files of the snapshots. */
  folder: string;
  /** Fetches files of snapshots that another machine has imported. Undefined if snapshots are not distributed. */
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
    // The file is not at fault if the database does not give it, or the disk has no room for it. Without the file, the edition would be
    // compared with nothing.
    if (distribution && !existsSync(file) && (isTransient(error) || error instanceof Refusal)) throw error;
    warn('unreadable-previous', `${file}: ${(error as Error).message}`);
    return { entry, overtaken };
  }
}

/** A new edition is compared with the editions of this period. */
const HISTORY_MS = 30 * 86_400_000;

/**
 * Adds the data for comparison to an edition whose registers are known. `judgeEdition` adds counts and statistics later. Nothing is
 * compared at a first import, or if the operator accepts other people.
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
 * Records that the current snapshot proved damaged during the comparison, so that the next import compares nothing with it. Returns an
 * error that says so. Returns any other error unchanged.
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

/** The text of the error is examined as well, because the code may be lost on the way from a thread. */
function meansDamaged(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return (
    /^SQLITE_(CORRUPT|NOTADB)/.test(code) || /database disk image is malformed|snapshot \S+ is damaged/.test(message)
  );
}
