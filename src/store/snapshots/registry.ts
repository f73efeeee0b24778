// The rows in the main database that record which directory snapshots exist and which one is current.

import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { present } from '#shared/present.ts';
import { type Database, dateOf, epochSeconds } from '#store/database/connection.ts';
import type { Row } from '#store/rows.ts';
import { clearMarker, markInProgress } from './in-progress-markers.ts';
import { type LoadedEdition, noteRollback } from './judgements.ts';
import { pruneParts } from './parts.ts';

/** A finished snapshot with the data of its row in the registry. */
export interface SnapshotEntry {
  id: string;
  engine: 'sqlite';
  /** Name of the file within the folder of snapshots. */
  file: string;
  createdAt: Date;
  editions: LoadedEdition['editions'];
  counts: LoadedEdition['counts'];
  /** One checksum over all sources. An edition that was already loaded is recognised by it. */
  sourcesChecksum: string;
  bytes: number;
  /** The checksum of the file (`checksumOfFile`); absent if it was not calculated. */
  checksum?: string;
  /**
   * Proves that an instance with a secret of this service stored all parts of the snapshot in the database (`distribution.ts`). Absent if
   * no such instance has done so.
   */
  seal?: string;
  /** Time at which the last check found the file damaged; absent otherwise. */
  damagedAt?: Date;
  /** Time at which the links of sign-in accounts were compared with this snapshot; absent if they never were. */
  linksComparedAt?: Date;
}

interface Pointer {
  current?: string;
  /** The snapshot to which `rollBack` returns. */
  previous?: string;
  /** Time at which an import or a rollback last changed the current snapshot; absent if no snapshot was ever activated. */
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

/**
 * Returns one snapshot; `undefined` if the registry has none with this id. The id may come from a link that a client sent. With a NUL in
 * it, PostgreSQL would refuse the query.
 */
export async function findSnapshot(database: Database, id: string): Promise<SnapshotEntry | undefined> {
  if (id.includes('\0')) return undefined;
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

/** Adds a finished snapshot. It becomes the current one only by `activateSnapshot`. */
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
 * Records whether a check found the snapshot's file damaged. The next import takes nothing from a damaged snapshot. An import of the same
 * edition, which would otherwise be skipped, then replaces the damaged file.
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

/** Records the seal of the snapshot, which proves that all its parts are stored. */
export async function recordSeal(database: Database, id: string, seal: string): Promise<void> {
  await database('directory_snapshots').where({ id }).update({ seal });
}

/** Records that the links of sign-in accounts were compared with the snapshot. */
export async function recordLinksCompared(database: Database, id: string): Promise<void> {
  await database('directory_snapshots').where({ id }).update({ links_compared_at: epochSeconds() });
}

/**
 * Makes a registered snapshot the current one, in one step. Does nothing if it is the current one already. If `instead` is given, it names
 * the snapshot that must be current before (undefined: there must be none). If another snapshot is current, nothing changes, and the result
 * is false.
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
 * Puts a snapshot of the same edition in the place of the current one. The judgement of the current one then belongs to the new one. Throws
 * if another edition has come into force meanwhile.
 */
export async function replaceCurrent(database: Database, current: string, entry: SnapshotEntry): Promise<void> {
  await database.transaction(async (transaction) => {
    await registerSnapshot(transaction, entry);
    const replaced = await transaction('directory_pointer').where({ id: 1, current }).update({ current: entry.id });
    if (replaced === 0) throw new Error(`another edition than ${current} has come into force meanwhile`);
    await transaction('directory_judgements').where({ snapshot: current }).update({ snapshot: entry.id });
  });
}

/**
 * Does `work`, and makes sure that each of its changes is on the disk before the next change begins. Each change costs a flush of the disk.
 */
export async function withFullSync<Result>(database: Database, work: () => Promise<Result>): Promise<Result> {
  if (database.client.config.client !== 'better-sqlite3') return work();
  // The setting affects only this connection. Commits of the service on other connections stay fast.
  await database.raw('pragma synchronous = full');
  try {
    return await work();
  } finally {
    await database.raw('pragma synchronous = normal');
  }
}

/** Makes the previous snapshot current again, and the current one previous. Throws if there is no previous snapshot. */
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
 * Drops old snapshots. The current one and `keep` (`directory.keep`) others stay: the previous one always, then the newest. Returns the ids
 * of the dropped snapshots. Also removes files that imports left in the folder when they were killed. A process that still has a dropped
 * file open continues to read it.
 */
export async function pruneSnapshots(options: { database: Database; folder: string; keep: number }): Promise<string[]> {
  const { database, folder, keep } = options;
  const { current, previous } = await readPointer(database);
  const entries = await listSnapshots(database);
  const others = entries.filter(({ id }) => id !== current && id !== previous);
  const dropped = others.slice(Math.max(0, previous === undefined ? keep : keep - 1));
  for (const { id, file } of dropped) {
    // The row is deleted first. If the process is killed after that, a later run removes the marked file. In the other order, a row without
    // a file would remain, which others would try to open.
    markInProgress(folder, id);
    await database('directory_snapshots').where({ id }).delete();
    rmSync(join(folder, file), { force: true });
    clearMarker(folder, id);
  }
  removeForgottenFiles(folder, new Set(entries.map(({ id }) => id)));
  await pruneParts(database);
  return dropped.map(({ id }) => id);
}

/**
 * Seconds for which a file is kept after its last change, even if it is not in the registry, because an import may be about to register it.
 */
const REGISTERED_WITHIN = 3600;

/** Removes the files of snapshots that are not in the registry, and leftovers from the making of files. */
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
    // The file may be gone, because another process that uses this folder has removed it.
    const changed = statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? Date.now();
    if (Date.now() - changed > REGISTERED_WITHIN * 1000) rmSync(file, { force: true });
  }
}

/**
 * The form of the ids that imports give. An id of another form could lead to a file outside the folder, or to the file of another snapshot.
 */
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
    // Undefined if the column does not exist yet, because `migrate --status` also reads databases before their migration.
    seal: row.seal,
    damagedAt: row.damaged_at === null ? null : dateOf(row.damaged_at),
    linksComparedAt: row.links_compared_at === null ? null : dateOf(row.links_compared_at),
  });
}
