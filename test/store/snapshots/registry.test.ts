// The registry of snapshots, and a snapshot whose file is missing.

import { copyFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createSnapshotWriter } from '#search-index/write/writer.ts';
import { watchCurrentSnapshot } from '#store/snapshots/current-snapshot.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import {
  activateSnapshot,
  findSnapshot,
  listSnapshots,
  pruneSnapshots,
  readPointer,
  registerSnapshot,
  rollBack,
  type SnapshotEntry,
} from '#store/snapshots/registry.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForAll, openedForEach } from '#support/opened.ts';
import { practitioner } from '#support/search-index/naive.ts';
import { openShippedSnapshot } from '#support/shipped-snapshot.ts';
import { snapshotEntry } from '#support/store/snapshot-entry.ts';
import { until } from '#support/until.ts';

const ENGINES = bothEngines('store/snapshots/registry');

// directory-data section 4: the pointer to the current snapshot, and how a serving process follows it. On both engines.
describe.each(ENGINES)('4. a snapshot and its pointer, main database on %s', (engine) => {
  let folder: string;
  const opened = openedForEach(() => openTestDatabase(engine));
  beforeEach(() => {
    folder = newFolder();
  });

  let day = 0;
  async function load(id: string): Promise<SnapshotEntry> {
    const createdAt = new Date(Date.UTC(2026, 9, 1 + day++));
    const writer = createSnapshotWriter({ folder, id, created: createdAt });
    await writer.add(practitioner(`only-${id}`, id, { name: [id] }));
    const { file, counts, bytes } = await writer.finish();
    const entry = snapshotEntry(id, 1, { file, createdAt, counts, bytes });
    await registerSnapshot(opened.database, entry);
    return entry;
  }

  it('activates a snapshot, keeps the one before as previous, and rolls back', async () => {
    await expect(activateSnapshot(opened.database, 'one')).rejects.toThrow('no snapshot one');
    await load('one');
    await activateSnapshot(opened.database, 'one');
    await expect(rollBack(opened.database)).rejects.toThrow('no previous snapshot');
    await load('two');
    await activateSnapshot(opened.database, 'two');
    await activateSnapshot(opened.database, 'two');
    expect(await readPointer(opened.database)).toMatchObject({ current: 'two', previous: 'one' });
    expect(await rollBack(opened.database)).toMatchObject({ current: 'one', previous: 'two' });
    expect((await readPointer(opened.database)).changedAt?.getTime()).toBeGreaterThan(Date.now() - 60_000);
  });

  it('has no snapshot under an id that no import gives, whatever a link says', async () => {
    for (const id of ['', 'a\0b', '../x', "'", 'x'.repeat(3000)])
      expect(await findSnapshot(opened.database, id)).toBeUndefined();
  });

  it('prunes all but current, previous and the newest others, and what was left behind', async () => {
    for (const id of ['one', 'two', 'three', 'four', 'five']) await load(id);
    await activateSnapshot(opened.database, 'one');
    await activateSnapshot(opened.database, 'three');
    writeFileSync(join(folder, 'note.txt'), 'not ours');
    expect(await pruneSnapshots({ database: opened.database, folder, keep: 2 })).toEqual(['four', 'two']);
    expect((await listSnapshots(opened.database)).map(({ id }) => id)).toEqual(['five', 'three', 'one']);
    expect(readdirSync(folder).sort()).toEqual(['five.sqlite', 'note.txt', 'one.sqlite', 'three.sqlite']);
    expect(await pruneSnapshots({ database: opened.database, folder, keep: 0 })).toEqual(['five']);
    expect(readdirSync(folder).sort()).toEqual(['note.txt', 'one.sqlite', 'three.sqlite']);
  });

  it('lets a serving process follow the pointer, finish on the old snapshot and serve its page links', async () => {
    const watched = await watchCurrentSnapshot({ database: opened.database, folder, everyMs: 20 });
    expect(watched.current()).toBeUndefined();
    await load('one');
    await activateSnapshot(opened.database, 'one');
    await watched.refresh();
    const old = watched.current();
    expect(old?.id).toBe('one');

    await load('two');
    await activateSnapshot(opened.database, 'two');
    while (watched.current()?.id !== 'two') await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await old?.read('Practitioner', 'only-one')).toBeDefined();
    const linked = await watched.byId('one');
    expect((await linked?.search({ type: 'Practitioner', clauses: [], limit: 5, total: true }))?.total).toBe(1);
    expect(await watched.byId('three')).toBeUndefined();

    await rollBack(opened.database);
    await watched.refresh();
    expect(watched.current()?.id).toBe('one');
    await watched.close();
    expect(watched.current()).toBeUndefined();
  });

  it('switches once the next snapshot has been read ahead, and is ready once the first one has', async () => {
    const reading: { file: string; done: () => void }[] = [];
    const readAhead = (file: string) => new Promise<void>((done) => reading.push({ file, done }));
    const large = await load('large');
    await opened.database('directory_snapshots').update({ bytes: 2 ** 31 });
    await activateSnapshot(opened.database, 'large');
    // The first one answers meanwhile: the start of a service does not wait for it.
    const watched = await watchCurrentSnapshot({ database: opened.database, folder, everyMs: 60_000, readAhead });
    expect([watched.current()?.id, watched.isReadAhead()]).toEqual(['large', false]);
    expect(reading.map(({ file }) => file)).toEqual([join(folder, large.file)]);
    reading[0]?.done();
    await until(() => watched.isReadAhead(), 'the first snapshot counts as read ahead');

    await load('next');
    await activateSnapshot(opened.database, 'next');
    const switched = watched.refresh();
    await until(() => reading.length === 2, 'the next snapshot is read ahead');
    expect([watched.current()?.id, watched.isReadAhead()]).toEqual(['large', true]);
    reading[1]?.done();
    await switched;
    expect([watched.current()?.id, watched.isReadAhead()]).toEqual(['next', true]);
    await watched.close();
  });
});

// Operations: an instance that shares a database with others but not their data folder says so, and what to do; a copy of the file
// is enough (deploy/README.md, two instances).
describe('a missing snapshot', () => {
  const opened = openedForAll(() => openTestDatabase('sqlite'));

  it('a copy of the file, as rsync makes it, becomes current without a restart', async () => {
    const { database } = opened;
    const shipped = await openShippedSnapshot();
    const { id } = shipped;
    await shipped.close();
    const own = snapshotFolder(process.env['HYGIE_TEST_TEMPLATE'] ?? '');
    const [file = ''] = readdirSync(own).filter((name) => name.endsWith('.sqlite'));
    await registerSnapshot(database, snapshotEntry(id, 1, { file }));
    await activateSnapshot(database, id);
    const folder = newFolder();
    const watched = await watchCurrentSnapshot({ database, folder });
    try {
      expect(watched.current()).toBeUndefined();
      copyFileSync(join(own, file), join(folder, '.partly'));
      renameSync(join(folder, '.partly'), join(folder, file));
      await watched.refresh();
      expect(watched.current()?.id).toBe(id);
    } finally {
      await watched.close();
    }
  });
});
