// Owns the dealings of an import with the directory that is there: which snapshot is current, what a new one is called,
// the last look at it before it is switched to, and the switch. Does not own the building of the snapshot.

import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../store/connection.ts';
import {
  activateSnapshot,
  type CatalogueEntry,
  durably,
  findSnapshot,
  listSnapshots,
  pruneSnapshots,
  readPointer,
  registerSnapshot,
} from '../store/directory/catalogue.ts';
import { checksumOfFile } from '../store/directory/file-checksum.ts';
import type { IndexedResource, SnapshotSummary } from '../store/directory/snapshot.ts';
import { openSnapshot } from '../store/directory/sqlite-reader.ts';
import { guardCanaries, type Verdict } from './guards.ts';
import type { Warn } from './report.ts';
import { editionsOf, type Source } from './sources.ts';

/** The directory that is there. */
export interface CurrentDirectory {
  entry: CatalogueEntry;
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
    warn('unreadable-previous', (error as Error).message);
    return { entry, overtaken };
  }
}

/** Name of a new snapshot, `20261121T024500Z-9f3a`: sorts by time, and two imports within one second differ. */
export function snapshotName(now: Date): string {
  return `${now.toISOString().replace(/[-:]|\.\d+/g, '')}-${randomBytes(2).toString('hex')}`;
}

export interface Candidate {
  summary: SnapshotSummary;
  canaries: readonly IndexedResource[];
  sources: readonly Source[];
  checksum: string;
}

/**
 * Looks the canaries up in a finished snapshot and, when they are found and `dryRun` is not asked for, switches to it.
 * In every other case the snapshot's file is deleted.
 */
export async function publish(
  { summary, canaries, sources, checksum }: Candidate,
  { database, folder, keep, dryRun }: { database: Database; folder: string; keep: number; dryRun: boolean },
): Promise<{ verdict: Verdict; published: boolean }> {
  const file = join(folder, summary.file);
  let registered = false;
  try {
    const verdict = await checkCanaries(file, canaries);
    if (!verdict.passed || dryRun) return { verdict, published: false };
    const fileChecksum = await checksumOfFile(file);
    // In this order on the disk too, whenever the power fails: the file, its name, its row and the pointer, the old files.
    await syncFolder(folder);
    await durably(database, async () => {
      await registerSnapshot(database, { ...entryOf(summary, sources, checksum), checksum: fileChecksum });
      registered = true;
      await activateSnapshot(database, summary.id);
      await pruneSnapshots({ database, folder, keep });
    });
    return { verdict, published: true };
  } finally {
    if (!registered) rmSync(file, { force: true });
  }
}

/** Brings the names in the folder to the disk; the content of a snapshot is there since it was finished. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } catch (error) {
    // Windows cannot, and some network file systems need not.
    if (!['EPERM', 'EINVAL', 'EISDIR', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}

async function checkCanaries(file: string, canaries: readonly IndexedResource[]): Promise<Verdict> {
  const snapshot = await openSnapshot(file);
  try {
    return await guardCanaries(snapshot, canaries);
  } finally {
    await snapshot.close();
  }
}

function entryOf(summary: SnapshotSummary, sources: readonly Source[], checksum: string): CatalogueEntry {
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
