// The open snapshots of a serving process. A pointer in the database (`readPointer`) names the snapshot that is in force. When the pointer
// changes, the process opens that snapshot. It then becomes the current one, the one that the process serves. Older snapshots stay open as
// long as page links may need them.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isOfOtherLayout, openSnapshot, SMALL_FILE, type Snapshot } from '#search-index/index.ts';
import { repeat, sparingly } from '#shared/promises.ts';
import type { Database } from '#store/database/connection.ts';
import { findSnapshot, listSnapshots, readPointer, type SnapshotEntry } from './registry.ts';

/** The reason why the snapshot in force cannot be served. */
export type Obstacle =
  | ('fetching' | 'not fetched' | 'rebuilding' | 'not rebuilt')
  | ('missing' | 'other layout' | 'unreadable');

interface Preparation {
  /**
   * Begins the work that a snapshot needs before it can be opened, unless the work is already running. Does not wait for the work. Returns
   * why the snapshot cannot be opened yet; undefined if it needs no work. Called again at every look at the pointer.
   */
  obstacleTo(entry: SnapshotEntry): Obstacle | undefined;
  close(): Promise<void>;
}

interface CurrentSnapshotOptions {
  database: Database;
  /** Folder of the snapshots' files. */
  folder: string;
  /** Milliseconds between two readings of the pointer; 1000 by default. */
  everyMs?: number | undefined;
  /** Milliseconds for which a snapshot stays open after its last use; 60 000 by default. */
  keepOpenMs?: number;
  /** Opens the file of a snapshot; by default, this is done in the present thread. */
  open?: (file: string) => Promise<Snapshot>;
  /**
   * Brings a file into memory before it is searched. A snapshot becomes the current one only when this has resolved. There is one
   * exception: the first snapshot, if it is large, becomes the current one at once, because otherwise nothing would be served until then.
   */
  readAhead?: (file: string) => Promise<void>;
  /** Prepares files that cannot be opened yet. Without this, the operator has to bring the files. */
  prepare?: Preparation;
  /** Called if reading the pointer or opening a snapshot fails. The open snapshot stays in use. */
  onError?: (error: Error) => void;
  /** Called when another snapshot has become current. */
  onChange?: (id: string) => void;
}

export interface CurrentSnapshot {
  /**
   * Returns the current snapshot; `undefined` before the first import. Call it once per request, so that all of the response comes from the
   * same snapshot.
   */
  current(): Snapshot | undefined;
  /** True if the current snapshot was read into memory. The first snapshot may be served before that, only more slowly. */
  isReadAhead(): boolean;
  /** Returns the snapshot that a page link names; `undefined` if that snapshot was dropped or cannot be opened. */
  byId(id: string): Promise<Snapshot | undefined>;
  /** Returns the id of the snapshot that was in force at the last look. */
  pointer(): string | undefined;
  /** Returns for how many milliseconds another snapshot than the current one has been in force; 0 if the current one is in force. */
  behind(): number;
  /** Returns why the snapshot in force could not be served at the last look; undefined if it is served. */
  obstacle(): Obstacle | undefined;
  /** Resolves with true if a newer snapshot than the one in force exists, for example after a rollback. */
  overtaken(): Promise<boolean>;
  /** Returns the FHIR instant at which an open snapshot was made. */
  createdAt(id: string): string | undefined;
  /** Reads the pointer at once, without waiting for the next regular reading. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

interface Held {
  snapshot: Snapshot;
  entry: SnapshotEntry;
  neededAt: number;
}

async function openPresent(
  entry: SnapshotEntry,
  folder: string,
  open: (file: string) => Promise<Snapshot>,
): Promise<Snapshot> {
  const file = join(folder, entry.file);
  if (!existsSync(file)) {
    throw new Error(
      `${file} is missing: with directory.distribution: folder, instances that share a database share its folder (HYGIE_DATA) as ` +
        'well, or get a copy of the file (docs/operating/scaling-out.md); where nobody has it, import the edition again',
    );
  }
  const snapshot = await open(file);
  if (snapshot.id === entry.id) return snapshot;
  await snapshot.close();
  throw new Error(`${file} holds the snapshot ${snapshot.id} instead of ${entry.id}: put the right file there`);
}

function obstacleIn(folder: string, entry: SnapshotEntry | undefined): Obstacle {
  const file = entry && join(folder, entry.file);
  if (!file || !existsSync(file)) return 'missing';
  return isOfOtherLayout(file) ? 'other layout' : 'unreadable';
}

/** Opens the current snapshot and follows the pointer until closed. Rejects if the database does not answer at the first reading. */
export async function watchCurrentSnapshot(options: CurrentSnapshotOptions): Promise<CurrentSnapshot> {
  const { database, folder, everyMs = 1000, keepOpenMs = 60_000, onError = () => {}, onChange = () => {} } = options;
  const { readAhead = async () => {} } = options;
  const held = new Map<string, Promise<Held>>();
  const made = new Map<string, string>();
  const readAheadIds = new Set<string>();
  let current: Snapshot | undefined;
  let kept: ReadonlySet<string | undefined> = new Set();
  let inForce: string | undefined;
  let behindSince: number | undefined;
  let obstacle: Obstacle | undefined;

  /** Opens a snapshot once, however many callers ask for it at the same time. */
  const open = (entry: SnapshotEntry): Promise<Held> => {
    const already = held.get(entry.id);
    if (already) return already;
    const opening = openPresent(entry, folder, options.open ?? openSnapshot).then((snapshot) => ({
      snapshot,
      entry,
      neededAt: Date.now(),
    }));
    held.set(entry.id, opening);
    made.set(entry.id, entry.createdAt.toISOString());
    opening.catch(() => held.delete(entry.id));
    return opening;
  };

  const byId = async (id: string, whenUnreadable: (error: unknown) => undefined): Promise<Held | undefined> => {
    const entry = held.has(id) ? undefined : await findSnapshot(database, id);
    const found = await (held.get(id) ?? (entry && open(entry)))?.catch(whenUnreadable);
    if (found === undefined) return undefined;
    found.neededAt = Date.now();
    return found;
  };

  const bringIn = async ({ file, id }: SnapshotEntry) => {
    await readAhead(join(folder, file));
    readAheadIds.add(id);
  };

  // Repetitions of an error are reported rarely. The pointer is read every second, so a lasting error would otherwise be reported every
  // second.
  const report = sparingly(onError);
  const rethrow = (error: unknown): never => {
    throw error;
  };

  /**
   * Resolves with true if the snapshot can be opened now. If it needs preparation first, which takes minutes, resolves with false:
   * meanwhile the pointer is still followed, and the open snapshot is served.
   */
  const isPrepared = async (id: string): Promise<boolean> => {
    const entry = options.prepare && (await findSnapshot(database, id));
    obstacle = entry && options.prepare?.obstacleTo(entry);
    return obstacle === undefined;
  };

  const openNext = async (id: string): Promise<Held> => {
    const next = await byId(id, rethrow).catch(async (error) => {
      obstacle = obstacleIn(folder, await findSnapshot(database, id));
      throw error;
    });
    if (next === undefined) throw new Error(`the registry has no snapshot ${id}, though it is current`);
    return next;
  };

  const look = async () => {
    const pointer = await readPointer(database);
    inForce = pointer.current;
    if (pointer.current === undefined || pointer.current === current?.id) behindSince = undefined;
    else behindSince ??= performance.now();
    if (behindSince !== undefined && pointer.current !== undefined && (await isPrepared(pointer.current))) {
      const next = await openNext(pointer.current);
      const reading = bringIn(next.entry);
      if (current !== undefined || next.entry.bytes <= SMALL_FILE) await reading;
      const before = current && (await held.get(current.id));
      if (before) before.neededAt = Date.now();
      current = next.snapshot;
      behindSince = undefined;
      onChange(current.id);
    }
    kept = new Set([pointer.current, pointer.previous, current?.id]);
    await closeUnneeded();
  };

  const closeUnneeded = async () => {
    for (const [id, opening] of held) {
      const { snapshot, neededAt } = await opening;
      if (kept.has(id) || Date.now() - neededAt < keepOpenMs) continue;
      held.delete(id);
      made.delete(id);
      readAheadIds.delete(id);
      await snapshot.close();
    }
  };

  await readPointer(database);
  await look().catch(report);
  const looks = repeat(look, everyMs, report);

  return {
    current: () => current,
    pointer: () => inForce,
    behind: () => (behindSince === undefined ? 0 : performance.now() - behindSince),
    obstacle: () => (behindSince === undefined ? undefined : obstacle),
    isReadAhead: () => current !== undefined && readAheadIds.has(current.id),
    // If an old snapshot is damaged, of another release, or just being dropped, the answer is the same as for a dropped one: undefined.
    byId: async (id) => (await byId(id, report))?.snapshot,
    async overtaken() {
      const [[newest], pointer] = await Promise.all([listSnapshots(database), readPointer(database)]);
      return newest !== undefined && newest.id !== pointer.current;
    },
    createdAt: (id) => made.get(id),
    refresh: looks.now,
    async close() {
      const ended = looks.stop();
      await options.prepare?.close();
      await ended;
      current = undefined;
      const all = await Promise.allSettled(held.values());
      held.clear();
      for (const one of all) if (one.status === 'fulfilled') await one.value.snapshot.close();
    },
  };
}
