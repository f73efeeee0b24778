// What keeps a snapshot from being served, what the registry refuses and records, and the files of snapshots in their folder.

import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openSnapshot } from '#search-index/read/reader.ts';
import { createSnapshotWriter } from '#search-index/write/writer.ts';
import { type CurrentSnapshot, type Obstacle, watchCurrentSnapshot } from '#store/snapshots/current-snapshot.ts';
import { distributionFor } from '#store/snapshots/distribution.ts';
import { hasOtherLayout, lacksFile, readSnapshot, snapshotFolder } from '#store/snapshots/folder.ts';
import {
  activateSnapshot,
  pruneFolder,
  registerSnapshot,
  rollBack,
  type SnapshotEntry,
} from '#store/snapshots/registry.ts';
import { openTestDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForEach } from '#support/opened.ts';
import { practitioner } from '#support/search-index/naive.ts';
import { makeOlder } from '#support/search-index/older-layout.ts';
import { snapshotEntry } from '#support/store/snapshot-entry.ts';

describe('a snapshot in force', () => {
  const NOW = 1_800_000_000;
  const opened = openedForEach(() => openTestDatabase('sqlite'));
  let dataFolder: string;
  let folder: string;
  let watched: CurrentSnapshot | undefined;
  beforeEach(() => {
    dataFolder = newFolder();
    folder = snapshotFolder(dataFolder);
    watched = undefined;
  });
  afterEach(async () => {
    await watched?.close();
    jest.restoreAllMocks();
  });

  const register = async (id: string, day = 1) => {
    await registerSnapshot(opened.database, snapshotEntry(id, day));
    return snapshotEntry(id, day);
  };
  const write = async (id: string, day = 1) => {
    const writer = createSnapshotWriter({ folder, id, created: new Date(Date.UTC(2026, 9, day)) });
    await writer.add(practitioner(`only-${id}`, id, { name: [id] }));
    await writer.finish();
    return register(id, day);
  };
  const activate = (id: string) => activateSnapshot(opened.database, id);
  const watch = async (options: Partial<Parameters<typeof watchCurrentSnapshot>[0]> = {}) => {
    watched = await watchCurrentSnapshot({ database: opened.database, folder, everyMs: 3_600_000, ...options });
    return watched;
  };

  it('is not watched in a database that cannot be read', async () => {
    await opened.database.schema.dropTable('directory_pointer');
    await expect(watch({ onError: () => {} })).rejects.toThrow('directory_pointer');
  });

  it('is served with its time, and told when another has become current', async () => {
    const changes: string[] = [];
    await write('one');
    await activate('one');
    const snapshots = await watch({ onChange: (id) => void changes.push(id) });
    expect([snapshots.current()?.id, snapshots.pointer(), snapshots.behind(), snapshots.obstacle()]).toEqual([
      'one',
      'one',
      0,
      undefined,
    ]);
    expect([snapshots.isReadAhead(), await snapshots.overtaken()]).toEqual([true, false]);
    expect([snapshots.createdAt('one'), snapshots.createdAt('two')]).toEqual(['2026-10-01T00:00:00.000Z', undefined]);
    await write('two', 2);
    expect(await snapshots.overtaken()).toBe(true);
    await activate('two');
    await snapshots.refresh();
    await snapshots.refresh();
    expect([changes, snapshots.current()?.id, snapshots.createdAt('two')]).toEqual([
      ['one', 'two'],
      'two',
      '2026-10-02T00:00:00.000Z',
    ]);
    expect((await snapshots.byId('one'))?.id).toBe('one');
    await rollBack(opened.database);
    expect(await snapshots.overtaken()).toBe(true);
  });

  it('before the first import there is none, and nobody is behind', async () => {
    const snapshots = await watch();
    expect([snapshots.current(), snapshots.pointer(), snapshots.behind(), snapshots.isReadAhead()]).toEqual([
      undefined,
      undefined,
      0,
      false,
    ]);
    expect([snapshots.obstacle(), await snapshots.overtaken()]).toEqual([undefined, false]);
  });

  it.each<[Obstacle, (file: string) => unknown, RegExp]>([
    [
      'missing',
      () => {},
      /missing\.sqlite is missing: with directory\.distribution: folder, .* import the edition again$/,
    ],
    ['unreadable', (file) => writeFileSync(file, 'x'.repeat(9000)), /cannot be read as a directory snapshot/],
    ['other layout', (file) => makeOlder(file), /has layout 4-0ff1ce00, this release reads/],
  ])('that cannot be opened says why: %s', async (obstacle, damage, said) => {
    await write('one');
    const id = obstacle.replace(' ', '-');
    if (obstacle === 'other layout') await write(id, 2);
    else await register(id, 2);
    damage(join(folder, `${id}.sqlite`));
    await activate('one');
    const errors: string[] = [];
    const snapshots = await watch({ onError: ({ message }) => void errors.push(message) });
    const clock = jest.spyOn(performance, 'now');
    clock.mockReturnValue(1000);
    await activate(id);
    // An error that lasts is told once.
    for (const _look of [1, 2]) await expect(snapshots.refresh()).rejects.toThrow(said);
    clock.mockReturnValue(3500);
    expect([snapshots.current()?.id, snapshots.pointer(), snapshots.behind()]).toEqual(['one', id, 2500]);
    expect(snapshots.obstacle()).toBe(obstacle);
    expect(await snapshots.byId(id)).toBeUndefined();
    expect(errors).toEqual([expect.stringMatching(said)]);
    await activate('one');
    await snapshots.refresh();
    expect([snapshots.behind(), snapshots.obstacle()]).toEqual([0, undefined]);
  });

  it('that is being prepared is not opened until nothing keeps it', async () => {
    await write('one');
    await activate('one');
    let obstacle: Obstacle | undefined = 'fetching';
    const asked: string[] = [];
    let closed = 0;
    const obstacleTo = ({ id }: SnapshotEntry) => {
      asked.push(id);
      return obstacle;
    };
    const snapshots = await watch({ prepare: { obstacleTo, close: async () => void closed++ } });
    expect([snapshots.current(), snapshots.obstacle(), asked]).toEqual([undefined, 'fetching', ['one']]);
    obstacle = undefined;
    await snapshots.refresh();
    await snapshots.refresh();
    expect([snapshots.current()?.id, snapshots.obstacle(), asked]).toEqual(['one', undefined, ['one', 'one']]);
    await snapshots.close();
    expect([closed, snapshots.current()]).toEqual([1, undefined]);
  });

  it('is opened once for all who ask, stays open while it is used, and is then closed', async () => {
    for (const [at, id] of ['one', 'two', 'three', 'four', 'five', 'six'].entries()) await write(id, at + 1);
    const openings: string[] = [];
    const closings: string[] = [];
    const open = async (file: string) => {
      openings.push(file.replace(/.*\//, ''));
      const snapshot = await openSnapshot(file);
      const close = () => {
        closings.push(snapshot.id);
        return snapshot.close();
      };
      return { ...snapshot, close };
    };
    const snapshots = await watch({ open, keepOpenMs: 1000 });
    const clock = jest.spyOn(Date, 'now');
    clock.mockReturnValue(NOW);
    const all = await Promise.all([1, 2, 3].map(() => snapshots.byId('one')));
    expect([new Set(all).size, openings]).toEqual([1, ['one.sqlite']]);
    for (const id of ['two', 'three', 'four']) await activate(id);
    await snapshots.refresh();
    clock.mockReturnValue(NOW + 999);
    await snapshots.refresh();
    expect(closings).toEqual([]);
    clock.mockReturnValue(NOW + 1000);
    await snapshots.refresh();
    expect([closings, snapshots.createdAt('one')]).toEqual([['one'], undefined]);
    // Being the current one is a use as well: it ends with the switch.
    clock.mockReturnValue(NOW + 9000);
    for (const id of ['five', 'six']) await activate(id);
    await snapshots.refresh();
    clock.mockReturnValue(NOW + 9999);
    await snapshots.refresh();
    expect(closings).toEqual(['one']);
    clock.mockReturnValue(NOW + 10_000);
    await snapshots.refresh();
    expect(closings).toEqual(['one', 'four']);
    await snapshots.close();
    expect([openings, closings]).toEqual([
      ['one.sqlite', 'four.sqlite', 'six.sqlite'],
      ['one', 'four', 'six'],
    ]);
  });

  it('travels through the database where the settings say so, and that is PostgreSQL', async () => {
    const settings = (distribution: string) =>
      ({ dataFolder, directory: { distribution }, keys: { secrets: [] } }) as never;
    const pg = { client: { config: { client: 'pg' } } } as never;
    const made = [
      distributionFor(pg, settings('database')),
      distributionFor(pg, settings('folder')),
      distributionFor(opened.database, settings('database')),
    ];
    expect(made.map((one) => one !== undefined)).toEqual([true, false, false]);
    const one = { ...(await write('one')), bytes: statSync(join(folder, 'one.sqlite')).size };
    expect([made[0]?.has(one), made[0]?.has({ ...one, bytes: 1 }), made[0]?.has(snapshotEntry('none'))]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('is read from its folder, or is not there, or of another layout', async () => {
    const [one, old] = [await write('one'), await write('old')];
    makeOlder(join(folder, old.file));
    writeFileSync(join(folder, 'broken.sqlite'), 'x');
    expect(folder).toBe(join(dataFolder, 'directory'));
    const all = [one, old, snapshotEntry('broken'), snapshotEntry('none')];
    expect(all.map((some) => lacksFile(some, dataFolder))).toEqual([false, false, false, true]);
    expect([...all, undefined].map((some) => hasOtherLayout(some, dataFolder))).toEqual([
      false,
      true,
      false,
      false,
      false,
    ]);
    const read = (some: SnapshotEntry | undefined) => readSnapshot(some, dataFolder, async ({ id }) => `read ${id}`);
    expect(await Promise.all([...all, undefined].map(read))).toEqual(['read one', ...Array(4).fill(undefined)]);
  });

  it('leaves files that nobody knows for an hour', async () => {
    await write('one');
    for (const name of ['left.sqlite', 'left.sqlite.unfinished', 'one.sqlite-journal', 'note.txt'])
      writeFileSync(join(folder, name), '');
    utimesSync(join(folder, 'left.sqlite'), 1, 1);
    const changed = statSync(join(folder, 'left.sqlite.unfinished')).ctimeMs;
    const left = async (now: number) => {
      jest.spyOn(Date, 'now').mockReturnValue(now);
      await pruneFolder(opened.database, folder);
      return readdirSync(folder).filter((name) => name.startsWith('left'));
    };
    expect(await left(Math.floor(changed) + 3_599_000)).toHaveLength(2);
    expect(await left(changed + 3_601_000)).toEqual([]);
    expect(readdirSync(folder).toSorted()).toEqual(['note.txt', 'one.sqlite', 'one.sqlite-journal']);
    expect(existsSync(join(folder, 'none'))).toBe(false);
    await expect(pruneFolder(opened.database, join(folder, 'none'))).resolves.toBeUndefined();
  });
});
