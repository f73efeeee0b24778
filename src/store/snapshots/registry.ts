// The rows in the main database that record which directory snapshots exist and which one is current.

import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { present } from '#shared/present.ts';
import { type Database, dateOf, epochSeconds } from '#store/database/connection.ts';
import type { Row } from '#store/rows.ts';
import { clearMarker, markInProgress } from './in-progress-markers.ts';
import { type LoadedEdition, noteRollback } from './judgements.ts';
import { pruneParts } from './parts.ts';

/** A finished snapshot as the registry knows it. */
export interface SnapshotEntry {
  id: string;
  engine: 'sqlite';
  /** Name of the file within the folder of snapshots. */
  file: string;
  createdAt: Date;
  editions: LoadedEdition['editions'];
  counts: LoadedEdition['counts'];
  /** One checksum over all sources, by which an already loaded edition is recognised. */
  sourcesChecksum: string;
  bytes: number;
  /** The checksum of the file (`checksumOfFile`); absent if it was not calculated. */
  checksum?: string;
  /** Shows that an instance with a secret of this service stored the parts of the snapshot (`distribution.ts`); absent if none did. */
  seal?: string;
  /** Time at which the last check found the file damaged; absent otherwise. */
  damagedAt?: Date;
  /** Time at which the links of sign-in accounts were compared with it; absent if no release did. */
  linksComparedAt?: Date;
}

interface Pointer {
  current?: string;
  /** The snapshot to which `rollBack` returns. */
  previous?: string;
  /** Absent if no snapshot was ever activated. */
  changedAt?: Date;
}

/** Lists all snapshots, the newest first. */
export async function listSnapshots(database: Database): Promise<SnapshotEntry[]> {
  const rows: Row<'directory_snapshots'>[] = await database('directory_snapshots').orderBy([
    { column: 'created_at', order: 'desc' },
    { column: 'id', order: 'desc' },
  ]);
  return rows.map(entryOf);
}

/** Returns one snapshot; `undefined` if the registry has none with this id. */
export async function findSnapshot(database: Database, id: string): Promise<SnapshotEntry | undefined> {
  const row: Row<'directory_snapshots'> | undefined = await database('directory_snapshots').where({ id }).first();
  return row && entryOf(row);
}

/** Returns the current snapshot; `undefined` before the first import. */
export async function findCurrentSnapshot(database: Database): Promise<SnapshotEntry | undefined> {
  const { current } = await readPointer(database);
  return current === undefined ? undefined : findSnapshot(database, current);
}

/** Reads which snapshot is current, and which one was current before it. */
export async function readPointer(database: Database): Promise<Pointer> {
  const row: Row<'directory_pointer'> | undefined = await database('directory_pointer').where({ id: 1 }).first();
  if (!row) throw new Error('the table directory_pointer has lost its row: restore the database from a backup');
  const changedAt = Number(row.changed_at) === 0 ? null : dateOf(row.changed_at);
  return present({ current: row.current, previous: row.previous, changedAt });
}

/** Adds a finished snapshot. It becomes current only by `activateSnapshot`. */
export async function registerSnapshot(database: Database, entry: SnapshotEntry): Promise<void> {
  await database('directory_snapshots').insert({
    id: entry.id,
    engine: entry.engine,
    file: entry.file,
    created_at: Math.floor(entry.createdAt.getTime() / 1000),
    editions: JSON.stringify(entry.editions),
    counts: JSON.stringify(entry.counts),
    sources_checksum: entry.sourcesChecksum,
    bytes: entry.bytes,
    file_checksum: entry.checksum ?? null,
    seal: entry.seal ?? null,
    links_compared_at: entry.linksComparedAt ? Math.floor(entry.linksComparedAt.getTime() / 1000) : null,
  });
}

/**
 * Records the result of checking the snapshot's file. The next import does not build upon a damaged snapshot. An import of the same edition
 * is not skipped then, because it replaces the damaged file.
 */
export async function recordVerification(
  database: Database,
  id: string,
  { damaged }: { damaged: boolean },
): Promise<void> {
  await database('directory_snapshots')
    .where({ id })
    .update({ damaged_at: damaged ? epochSeconds() : null });
}

/** Records that all parts of the snapshot are stored. */
export async function recordSeal(database: Database, id: string, seal: string): Promise<void> {
  await database('directory_snapshots').where({ id }).update({ seal });
}

/** Records that the links of sign-in accounts were compared with the snapshot. */
export async function recordLinksCompared(database: Database, id: string): Promise<void> {
  await database('directory_snapshots').where({ id }).update({ links_compared_at: epochSeconds() });
}

/**
 * Makes a registered snapshot the current one, in one step. Does nothing if it is current already. With `instead`, it must take the place
 * of that snapshot, or be the first if there is none. Resolves with false if another one is current.
 */
export async function activateSnapshot(
  database: Database,
  id: string,
  instead?: { id: string | undefined },
): Promise<boolean> {
  if ((await findSnapshot(database, id)) === undefined) throw new Error(`there is no snapshot ${id} to activate`);
  const pointer = database('directory_pointer').where({ id: 1 });
  if (instead) pointer.where({ current: instead.id ?? null });
  else pointer.where((other) => other.whereNull('current').orWhereNot('current', id));
  const changed = await pointer.update({ previous: database.ref('current'), current: id, changed_at: epochSeconds() });
  return instead === undefined || changed > 0;
}

/**
 * Puts a snapshot of the same edition in the place of the current one, with its judgement. Throws if another edition has come into force
 * meanwhile.
 */
export async function replaceCurrent(database: Database, current: string, entry: SnapshotEntry): Promise<void> {
  await database.transaction(async (transaction) => {
    await registerSnapshot(transaction, entry);
    const replaced = await transaction('directory_pointer').where({ id: 1, current }).update({ current: entry.id });
    if (replaced === 0) throw new Error(`another edition than ${current} has come into force meanwhile`);
    await transaction('directory_judgements').where({ snapshot: current }).update({ snapshot: entry.id });
  });
}

/** Does `work`, and makes sure that each of its changes is on the disk before the next one begins. This costs a flush for each. */
export async function withFullSync<Result>(database: Database, work: () => Promise<Result>): Promise<Result> {
  if (database.client.config.client !== 'better-sqlite3') return work();
  // The setting affects only this connection, not the service's other commits.
  await database.raw('pragma synchronous = full');
  try {
    return await work();
  } finally {
    await database.raw('pragma synchronous = normal');
  }
}

/** Makes the previous snapshot current again, and the current one previous. Throws if there is no previous one. */
export async function rollBack(database: Database): Promise<Pointer> {
  return database.transaction(async (transaction) => {
    const changed = await transaction('directory_pointer')
      .where({ id: 1 })
      .whereNotNull('previous')
      .update({
        current: transaction.ref('previous'),
        previous: transaction.ref('current'),
        changed_at: epochSeconds(),
      });
    if (changed === 0) throw new Error('there is no previous snapshot to return to');
    const pointer = await readPointer(transaction);
    await noteRollback(transaction, pointer.previous, pointer.current);
    return pointer;
  });
}

/**
 * Drops all snapshots except the current one and `keep` (`directory.keep`) old ones: the previous one is always kept, then the newest
 * others. Returns the dropped ids. Also removes leftovers of killed imports in the folder. A process that still has a dropped file open
 * continues to read it.
 */
export async function pruneSnapshots(options: { database: Database; folder: string; keep: number }): Promise<string[]> {
  const { database, folder, keep } = options;
  const { current, previous } = await readPointer(database);
  const entries = await listSnapshots(database);
  const others = entries.filter(({ id }) => id !== current && id !== previous);
  const dropped = others.slice(Math.max(0, previous === undefined ? keep : keep - 1));
  for (const { id, file } of dropped) {
    // The row is deleted first. A later run removes a marked file without a row, but a row without a file would be a broken promise.
    markInProgress(folder, id);
    await database('directory_snapshots').where({ id }).delete();
    rmSync(join(folder, file), { force: true });
    clearMarker(folder, id);
  }
  removeForgottenFiles(folder, new Set(entries.map(({ id }) => id)));
  await pruneParts(database);
  return dropped.map(({ id }) => id);
}

/** Files that the registry does not have are removed so many seconds after their last change. */
const REGISTERED_WITHIN = 3600;

/** Removes files of snapshots that the registry does not have, and leftovers from the making of files. */
export async function pruneFolder(database: Database, folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  removeForgottenFiles(folder, new Set((await listSnapshots(database)).map(({ id }) => id)));
}

function removeForgottenFiles(folder: string, known: ReadonlySet<string>): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const [, id] = /^([A-Za-z0-9-]+)\.sqlite/.exec(name) ?? [];
    if (id === undefined || known.has(id)) continue;
    const file = join(folder, name);
    // Another process that uses this folder may have removed it.
    const changed = statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? Date.now();
    if (Date.now() - changed > REGISTERED_WITHIN * 1000) rmSync(file, { force: true });
  }
}

/** The form of the ids that imports give. Any other id could lead to a file elsewhere, or to that of another snapshot. */
const ID = /^[A-Za-z0-9-]{1,64}$/;

function entryOf(row: Row<'directory_snapshots'>): SnapshotEntry {
  const [bytes, createdAt] = [Number(row.bytes), dateOf(row.created_at)];
  const possible = Number.isSafeInteger(bytes) && bytes >= 0 && !Number.isNaN(createdAt.getTime());
  if (!ID.test(row.id) || row.file !== `${row.id}.sqlite` || !possible) {
    const named = JSON.stringify([row.id, row.file, row.bytes, row.created_at]);
    throw new Error(`the table directory_snapshots names a snapshot that no import makes, ${named}: remove its row`);
  }
  return present({
    id: row.id,
    engine: row.engine as SnapshotEntry['engine'],
    file: row.file,
    createdAt,
    editions: JSON.parse(row.editions),
    counts: JSON.parse(row.counts),
    sourcesChecksum: row.sources_checksum,
    bytes,
    checksum: row.file_checksum,
    // `migrate --status` reads databases that lack the column, so the value may be undefined.
    seal: row.seal,
    damagedAt: row.damaged_at === null ? null : dateOf(row.damaged_at),
    linksComparedAt: row.links_compared_at === null ? null : dateOf(row.links_compared_at),
  });
}
