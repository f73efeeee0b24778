// Issue "The directory reaches every instance by itself", an upgrade across a change of the layout: the index is made anew of the resources
// that the snapshot before has stored. It is the same edition, to the last version and date.

import { chmodSync, cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { loadSettings } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';
import { ImportAlreadyRunning } from '#import/collect/import-error.ts';
import { importEdition } from '#import/locked-import.ts';
import { rebuildDirectory } from '#import/rebuild.ts';
import { isOlderLayout, LAYOUT } from '#search-index/file-layout.ts';
import { isOfOtherLayout, openSnapshot } from '#search-index/read/reader.ts';
import { isOfOlderLayout } from '#search-index/read/stored-resources.ts';
import { RESOURCE_TYPES, type Snapshot } from '#search-index/snapshot.ts';
import type { Database } from '#store/database/connection.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { judgementOf } from '#store/snapshots/judgements.ts';
import { findCurrentSnapshot, listSnapshots, readPointer, type SnapshotEntry } from '#store/snapshots/registry.ts';
import { bothEngines } from '#support/both-engines.ts';
import { SHIPPED_CONFIG } from '#support/config/shipped.ts';
import { openTestDatabase } from '#support/databases.ts';
import { activity, registerText, SETTINGS } from '#support/import/register-files.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForEach } from '#support/opened.ts';
import { makeCurrentOlder } from '#support/search-index/older-layout.ts';
import { unlikeRebuilt } from '#support/search-index/rebuilt-index.ts';

/** Everything of an edition, as it is served. */
async function contentOf(file: string): Promise<Record<string, string>> {
  const snapshot = await openSnapshot(file);
  const content: Record<string, string> = {};
  const counts = await snapshot.counts();
  for (const type of RESOURCE_TYPES) {
    content[type] = await snapshot.scan(type, { from: 0, to: counts[type] });
    content[`${type}, gone`] = JSON.stringify(await snapshot.listGone(type, { limit: 100_000 }));
  }
  await snapshot.close();
  return content;
}

/** More than are read at once. */
const PEOPLE = Array.from({ length: 510 }, (_, at) =>
  activity({
    1: String(19000000000 + at),
    7: at % 3 ? `MARTIN ${at}` : `PETIT ${at}`,
    23: `R1000000000000${at % 7}`,
    24: `CABINET ${at % 7}`,
  }),
);

describe.each(bothEngines('import/rebuild'))('an edition of an earlier layout, on %s', (engine) => {
  const test = openedForEach(async () => {
    const dataFolder = newFolder();
    const own = await openTestDatabase(engine);
    const url = own.settings.engine === 'postgresql' ? { DATABASE_URL: own.settings.url } : {};
    const settings = await loadSettings({ HYGIE_CONFIG: SHIPPED_CONFIG, HYGIE_DATA: dataFolder, ...url });
    return { settings, database: own.database, close: own.close };
  });
  let before: SnapshotEntry;
  let folder: string;
  let original: string;
  beforeEach(async () => {
    const { settings, database } = test;
    const edition = join(settings.dataFolder, 'pa.txt');
    writeFileSync(edition, registerText('activities', PEOPLE));
    await importEdition({ paths: [edition], database, settings: { ...SETTINGS, dataFolder: settings.dataFolder } });
    folder = snapshotFolder(settings.dataFolder);
    const { file = '' } = (await findCurrentSnapshot(database)) ?? {};
    original = join(newFolder(), file);
    cpSync(join(folder, file), original);
    before = await makeCurrentOlder(settings.dataFolder, database);
  });

  const rebuild = (settings: Settings = test.settings, database: Database = test.database) =>
    rebuildDirectory({ settings, database, around: (_from, _to, change) => change() });
  const pathOf = ({ file }: Pick<SnapshotEntry, 'file'>) => join(folder, file);

  it('is rebuilt as the same edition: resources, versions, dates, counts and judgement', async () => {
    expect([isOfOtherLayout(pathOf(before)), isOfOlderLayout(pathOf(before))]).toEqual([true, true]);
    const judged = await judgementOf(test.database, before.id);
    const pointer = await readPointer(test.database);
    const id = await rebuild();
    const after = (await findCurrentSnapshot(test.database)) as SnapshotEntry;
    const { file: _file, bytes: _bytes, checksum: _checksum, seal: _seal, ...same } = before;
    expect(after).toMatchObject({ ...same, id });
    expect(await readPointer(test.database)).toEqual({ ...pointer, current: id });
    expect(await contentOf(pathOf(after))).toEqual(await contentOf(original));
    expect(await unlikeRebuilt(pathOf(after))).toEqual([]);
    expect(await judgementOf(test.database, after.id)).toEqual({ ...judged, snapshot: after.id });
    expect(await rebuild()).toBeUndefined();
  });

  it('can be searched, and knows what it descends from', async () => {
    await rebuild();
    await using after = await openSnapshot(pathOf((await findCurrentSnapshot(test.database)) as SnapshotEntry));
    await using own = await openSnapshot(original);
    const find = (snapshot: Snapshot) =>
      snapshot.search({
        type: 'Practitioner',
        clauses: [{ field: 'name', match: 'words', anyOf: [[{ prefix: 'mar', whole: [] }]] }],
        limit: 50,
        total: true,
      });
    expect((await find(after)).total).toBeGreaterThan(0);
    expect(await find(after)).toEqual(await find(own));
    expect((await after.history()).slice(0, -1)).toEqual(await own.history());
  });

  it('two at once: one rebuilds, the other sees that it is under way', async () => {
    const outcomes = await Promise.allSettled([rebuild(), rebuild()]);
    const refused = outcomes.filter((one) => one.status === 'rejected');
    expect(refused.map(({ reason }) => reason instanceof ImportAlreadyRunning)).toEqual([true]);
    expect((await listSnapshots(test.database)).length).toBe(2);
  });

  it('resources that are missing in it are noticed, and nothing changes', async () => {
    const counts = { ...before.counts, Practitioner: before.counts.Practitioner + 1 };
    await test.database('directory_snapshots').update({ counts: JSON.stringify(counts) });
    await expect(rebuild()).rejects.toThrow(/import the edition again/);
    expect((await readPointer(test.database)).current).toBe(before.id);
    expect(readdirSync(folder)).toEqual([before.file]);
  });

  it('resources that are not those of the edition are noticed, and older snapshots go as after an import', async () => {
    chmodSync(pathOf(before), 0o644);
    const file = new BetterSqlite3(pathOf(before));
    const first = file.prepare('update practitioner set body = ? where ordinal = 0');
    const body = String(file.prepare('select body from practitioner where ordinal = 0').pluck().get());
    first.run(body.replace('{', '{ '));
    await expect(rebuild()).rejects.toThrow(/import the edition again/);
    first.run(body);
    file.close();
    const { settings } = test;
    expect(await rebuild({ ...settings, directory: { ...settings.directory, keep: 0 } })).toBeDefined();
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('an edition that comes into force meanwhile stays', async () => {
    const around = async (_from: SnapshotEntry, _to: SnapshotEntry, change: () => Promise<void>) => {
      await test.database('directory_pointer').update({ current: null });
      await change();
    };
    const { settings, database } = test;
    await expect(rebuildDirectory({ settings, database, around })).rejects.toThrow('has come into force meanwhile');
    expect((await readPointer(test.database)).current).toBeUndefined();
    expect(readdirSync(folder)).toEqual([before.file]);
  });

  it('a file that is not here is left to who has it', async () => {
    rmSync(pathOf(before));
    expect(await rebuild()).toBeUndefined();
  });
});

it('the fields are those of the version: whoever changes them raises LAYOUT_VERSION, by which releases know the older file', () => {
  expect(LAYOUT).toBe('5-7ab6562a');
  expect([isOlderLayout('4-0ff1ce00'), isOlderLayout(LAYOUT), isOlderLayout('6-0ff1ce00')]).toEqual([
    true,
    false,
    false,
  ]);
});
