// Files that this release cannot search: one of an earlier layout gives its resources, and any other is refused by what is wrong with it.

import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { LAYOUT } from '#search-index/file-layout.ts';
import { isOfOtherLayout, OtherLayout, openSnapshot, openSnapshotFile } from '#search-index/read/reader.ts';
import { isOfOlderLayout, openStoredResources } from '#search-index/read/stored-resources.ts';
import { newFolder } from '#support/new-folder.ts';
import { practitioner } from '#support/search-index/naive.ts';
import { makeOlder } from '#support/search-index/older-layout.ts';
import { writtenFile } from '#support/search-index/written-snapshot.ts';

const CREATED = new Date('2026-10-08T08:30:00.000Z');

describe('a file of another layout', () => {
  let today: string;
  let [older, newer, broken] = ['', '', ''];
  beforeAll(async () => {
    const folder = newFolder();
    today = await writtenFile(
      ['c', 'a', 'b'].map((id) =>
        practitioner(id, id, { name: [id] }, { name: [{ use: 'official', family: `${id}é` }] }),
      ),
      { created: CREATED },
    );
    [older, newer, broken] = ['older', 'newer', 'broken'].map((name) => join(folder, `${name}.sqlite`)) as [
      string,
      string,
      string,
    ];
    copyFileSync(today, older);
    makeOlder(older);
    copyFileSync(today, newer);
    makeOlder(newer);
    const database = new BetterSqlite3(newer);
    database.exec("update property set value = '999999-0ff1ce00' where name = 'layout'");
    database.close();
    writeFileSync(broken, 'no snapshot');
  });

  it('is told from one of this release and from what is none', () => {
    const files = [today, older, newer, broken, join(older, 'missing')];
    expect(files.map(isOfOlderLayout)).toEqual([false, true, false, false, false]);
    expect(files.map(isOfOtherLayout)).toEqual([false, true, true, false, false]);
  });

  it('gives its resources in the order of storage, from any of them on', () => {
    const stored = openStoredResources(older);
    const texts = ['c', 'a', 'b'].map((id) => ({
      resourceType: 'Practitioner',
      id,
      name: [{ use: 'official', family: `${id}é` }],
    }));
    const read = (from: number, limit: number) =>
      stored.read('Practitioner', from, limit).map((text) => JSON.parse(text) as unknown);
    expect([read(0, 10), read(1, 1), read(3, 1)]).toEqual([texts, [texts[1]], []]);
    expect(stored.read('Organization', 0, 10)).toEqual([]);
    const { count, find, ordinalAt } = stored.types.Practitioner;
    expect([count, stored.types.Organization.count, find('a'), ordinalAt(2)]).toEqual([3, 0, undefined, 2]);
    expect(stored.created).toEqual(CREATED);
    stored.close();
  });

  it('is refused by both layouts and the remedy, and a damaged file by its name', () => {
    expect(() => openSnapshotFile(older)).toThrow(
      new OtherLayout(`older.sqlite has layout 4-0ff1ce00, this release reads ${LAYOUT}: import the edition again`),
    );
    expect(() => openSnapshotFile(broken)).toThrow(
      'broken.sqlite cannot be read as a directory snapshot: file is not a database',
    );
    expect(() => openStoredResources(broken)).toThrow('file is not a database');
  });
});

it('what a search cannot ask of the index is refused', async () => {
  await using snapshot = await openSnapshot(await writtenFile([practitioner('a', 'a', { name: ['a'] })]));
  const query = { type: 'Practitioner' as const, clauses: [], limit: 1, total: false };
  await expect(
    snapshot.search({ ...query, clauses: [{ field: 'colour', match: 'exact', anyOf: ['x'] }] }),
  ).rejects.toThrow(/^Practitioner has no indexed field colour; it has name, family, .*, id, _lastUpdated$/);
  await expect(snapshot.search({ ...query, order: { by: 'distance', descending: false } })).rejects.toThrow(
    'an order by distance needs one circle',
  );
  await expect(
    snapshot.search({ ...query, clauses: [{ field: 'name', match: 'words', anyOf: [[]] }] }),
  ).rejects.toThrow('a value of the field name has no word to look for');
  await expect(snapshot.search({ ...query, exactly: [{ field: 'name', texts: ['a'] }] })).rejects.toThrow(
    'the snapshot was opened without a check of exact texts',
  );
});
