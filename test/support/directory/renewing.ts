// A directory that is renewed while it runs: snapshots of SQLite, their registry, a process that follows the pointer, and
// the router in front of it.

import { chmodSync, closeSync, fstatSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checks } from '#directory/search/resource-checks.ts';
import { openSnapshot } from '#search-index/read/reader.ts';
import type { IndexedResource } from '#search-index/snapshot.ts';
import { checksumOfFile, type VerifyReport, verifySnapshotFile } from '#search-index/verify.ts';
import { createSnapshotWriter, snapshotFileName } from '#search-index/write/writer.ts';
import { watchCurrentSnapshot } from '#store/snapshots/current-snapshot.ts';
import {
  activateSnapshot,
  findSnapshot,
  listSnapshots,
  pruneSnapshots,
  readPointer,
  registerSnapshot,
  rollBack,
} from '#store/snapshots/registry.ts';
import { openTestDatabase } from '#support/databases.ts';
import { type RunningDirectory, startDirectory } from './service.ts';

export interface RenewedDirectory {
  directory: RunningDirectory;
  /** Loads an edition upon the one before, and switches to it; returns the snapshot's name. */
  publish(resources: readonly IndexedResource[], created: string): Promise<string>;
  /** Goes back to the edition before. */
  rollBack(): Promise<void>;
  /** Writes zeros over the middle of a snapshot's file. */
  damage(id: string): void;
  /** Removes a snapshot's file. */
  lose(id: string): void;
  /** Looks at the pointer, and closes what nobody needs. */
  refresh(): Promise<void>;
  /** What the process that follows the pointer could not open. */
  errors(): readonly Error[];
  /** What `directory verify` finds in a snapshot. */
  verify(id: string): Promise<VerifyReport>;
  /** Drops every snapshot but the current one and the one before. */
  prune(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it empty. */
export async function startRenewedDirectory(
  limits: Parameters<typeof startDirectory>[1] = {},
): Promise<RenewedDirectory> {
  const { database, close } = await openTestDatabase('sqlite');
  const folder = mkdtempSync(join(tmpdir(), 'hygie-renewal-'));
  const errors: Error[] = [];
  const snapshots = await watchCurrentSnapshot({
    database,
    folder,
    everyMs: 60_000,
    keepOpenMs: 0,
    onError: (error) => errors.push(error),
    open: (file) => openSnapshot(file, checks),
  });
  const directory = await startDirectory(snapshots, limits);
  let published = 0;
  return {
    directory,
    async publish(resources, created) {
      const { current } = await readPointer(database);
      const before = current === undefined ? undefined : await findSnapshot(database, current);
      const id = `edition-${++published}`;
      const createdAt = new Date(created);
      const writer = createSnapshotWriter({
        folder,
        id,
        created: createdAt,
        freshVersions: before !== undefined && (await listSnapshots(database))[0]?.id !== before.id,
        ...(before ? { previous: join(folder, before.file) } : {}),
      });
      for (const resource of resources) await writer.add(resource);
      const { file, counts, bytes } = await writer.finish();
      await registerSnapshot(database, {
        id,
        engine: 'sqlite',
        file,
        createdAt,
        editions: {},
        counts,
        sourcesChecksum: id,
        bytes,
        checksum: await checksumOfFile(join(folder, file)),
      });
      await activateSnapshot(database, id);
      await snapshots.refresh();
      return id;
    },
    async rollBack() {
      await rollBack(database);
      await snapshots.refresh();
    },
    damage(id) {
      const path = join(folder, snapshotFileName(id));
      chmodSync(path, 0o644);
      const file = openSync(path, 'r+');
      writeSync(file, Buffer.alloc(50_000), 0, 50_000, Math.floor(fstatSync(file).size / 2));
      closeSync(file);
    },
    lose: (id) => rmSync(join(folder, snapshotFileName(id))),
    refresh: () => snapshots.refresh(),
    errors: () => errors,
    async verify(id) {
      const entry = await findSnapshot(database, id);
      if (!entry) throw new Error(`there is no snapshot ${id}`);
      return verifySnapshotFile({ file: join(folder, entry.file), expected: entry });
    },
    async prune() {
      await pruneSnapshots({ database, folder, keep: 1 });
      await snapshots.refresh();
    },
    async stop() {
      await directory.stop();
      await snapshots.close();
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
