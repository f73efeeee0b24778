// Machines with a data folder of their own and one PostgreSQL database, for tests of how snapshots travel. Files are small, but have several
// parts.

import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach } from '@jest/globals';
import { checksumOfFile } from '#search-index/verify.ts';
import { createSnapshotWriter } from '#search-index/write/writer.ts';
import type { Database } from '#store/database/connection.ts';
import { createBackgroundFetch } from '#store/snapshots/background-work.ts';
import { type CurrentSnapshot, watchCurrentSnapshot } from '#store/snapshots/current-snapshot.ts';
import { type Distribution, openDistribution } from '#store/snapshots/distribution.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { activateSnapshot, registerSnapshot, type SnapshotEntry } from '#store/snapshots/registry.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForAll, openedForEach } from '#support/opened.ts';
import { practitioner } from '#support/search-index/naive.ts';

export const SECRET = 'a-secret-of-the-test-run-that-opens-nothing';

export interface Machine extends Distribution {
  dataFolder: string;
  /** Folder of its snapshots. */
  folder: string;
}

// One list, so that its key is derived once for all machines.
const SECRETS = [SECRET];

export function newMachine(database: Database, secrets: readonly string[] = SECRETS): Machine {
  const dataFolder = newFolder();
  const folder = snapshotFolder(dataFolder);
  mkdirSync(folder);
  return { ...openDistribution(database, { dataFolder, keys: { secrets } }), dataFolder, folder };
}

/** A database for the tests of the enclosing block, without any snapshot before each. */
export function databaseOfMachines(): TestDatabase {
  const opened = openedForAll(() => openTestDatabase('postgresql'));
  beforeEach(async () => {
    await opened.database('directory_pointer').update({ current: null, previous: null });
    for (const table of ['snapshot_parts', 'parts', 'snapshots']) await opened.database(`directory_${table}`).delete();
  });
  return opened;
}

/** A new machine for each test. */
export function machineForEach(test: TestDatabase): Machine {
  return openedForEach(() => ({ ...newMachine(test.database), close: () => {} }));
}

const COUNTS = { Practitioner: 1, Organization: 0, PractitionerRole: 0 };

/** A file of that many bytes, which is no snapshot, and its entry. */
export async function newFile({ folder }: Machine, id: string, content: Buffer): Promise<SnapshotEntry> {
  const file = `${id}.sqlite`;
  writeFileSync(join(folder, file), content);
  return entryOf(folder, { id, file, bytes: content.length, counts: COUNTS });
}

/** A snapshot of three parts with 24 people, or of one part with one of them. */
export async function newSnapshot({ folder }: Machine, id: string, parts: 1 | 3 = 3): Promise<SnapshotEntry> {
  const writer = createSnapshotWriter({ folder, id });
  for (let number = 0; number < (parts === 1 ? 1 : 24); number += 1) {
    const text = randomBytes(75_000).toString('base64');
    await writer.add(
      practitioner(`p${number}`, `${number}`, { name: [id] }, { text: { status: 'generated', div: text } }),
    );
  }
  return entryOf(folder, await writer.finish());
}

async function entryOf(
  folder: string,
  { id, file, bytes, counts }: Pick<SnapshotEntry, 'id' | 'file' | 'bytes' | 'counts'>,
): Promise<SnapshotEntry> {
  const checksum = await checksumOfFile(join(folder, file));
  const made = { engine: 'sqlite' as const, createdAt: new Date(), editions: {}, sourcesChecksum: id };
  return { id, file, bytes, counts, checksum, ...made };
}

/** A process of the machine that follows the pointer and fetches what it lacks. `said` gets the id of what was fetched, or why it was not. */
export function follow(machine: Machine, database: Database, said: (text: string) => void): Promise<CurrentSnapshot> {
  const prepare = createBackgroundFetch({
    distribution: machine,
    onFetched: ({ id }) => said(id),
    onError: ({ message }) => said(message),
  });
  return watchCurrentSnapshot({ database, folder: machine.folder, prepare, everyMs: 20 });
}

/** What an import does: stores the parts, and then the row. */
export async function publish(machine: Machine, database: Database, entry: SnapshotEntry): Promise<SnapshotEntry> {
  const { seal } = await machine.store(entry);
  const sealed = { ...entry, ...(seal !== undefined && { seal }) };
  await registerSnapshot(database, sealed);
  await activateSnapshot(database, entry.id);
  return sealed;
}
