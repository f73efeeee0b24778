// What an edition says of the one before: samples of its changes, versions and dates, history, and its file, table by table.

import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openSnapshot } from '#search-index/read/reader.ts';
import type { IndexedResource } from '#search-index/snapshot.ts';
import { checksumOfFile, createChecksum, verifySnapshotFile } from '#search-index/verify.ts';
import { createSnapshotWriter, type SnapshotWriterOptions } from '#search-index/write/writer.ts';
import { newFolder } from '#support/new-folder.ts';
import { practitioner } from '#support/search-index/naive.ts';
import { written } from '#support/search-index/written-snapshot.ts';

const START = Date.parse('2026-10-08T08:30:00.250Z');

const write = (id: string, resources: readonly IndexedResource[], options: Partial<SnapshotWriterOptions> = {}) =>
  written(resources, { id, created: new Date(START), ...options });
const person = (id: string, elements: Record<string, unknown> = {}) => practitioner(id, id, { name: [id] }, elements);

describe('the samples of an edition', () => {
  it('are five of each kind, with the elements that differ and what is around the first difference', async () => {
    const ids = (from: string, count: number) => Array.from({ length: count }, (_, at) => `${from}${at}`);
    const start = 'x'.repeat(60);
    const before = await write('before', [
      ...ids('gone', 7).map((id) => person(id)),
      ...ids('same', 2).map((id) => person(id, { active: true })),
      ...ids('other', 6).map((id) =>
        person(id, { active: true, birthDate: '1960', name: `${start}a${'y'.repeat(200)}` }),
      ),
    ]);
    const after = await write(
      'after',
      [
        ...ids('new', 7).map((id) => person(id)),
        ...ids('same', 2).map((id) => person(id, { active: true })),
        ...ids('other', 6).map((id) => person(id, { active: true, gender: 'm', name: `${start}b${'y'.repeat(200)}` })),
      ],
      { previous: before.path },
    );
    expect(after.changes.Practitioner).toEqual({ added: 7, changed: 6, unchanged: 2, removed: 7 });
    const { samples } = after;
    expect(samples.Organization).toEqual({ added: [], removed: [], changed: [], compared: 0, elements: {} });
    expect(samples.Practitioner).toMatchObject({
      added: ids('new', 5),
      removed: ids('gone', 5),
      compared: 6,
      elements: { birthDate: 6, name: 6, gender: 6 },
    });
    const { changed } = samples.Practitioner;
    expect(changed.map(({ id }) => id)).toEqual(ids('other', 5));
    expect(changed[0]).toEqual({ id: 'other0', elements: ['birthDate', 'name', 'gender'], from: '1960', to: '' });
    const [{ name } = { name: undefined }] = [changed[1]].map((one) => ({ name: one?.elements[1] }));
    expect(name).toBe('name');
  });

  it('show the values that one side lacks; of long ones thirty characters around the difference, a hundred at most', async () => {
    const sampled = async (one: unknown, other: unknown) => {
      const before = await write('before', [person('a', { name: one })]);
      const after = await write('after', [person('a', { name: other })], { previous: before.path });
      const { from, to } = after.samples.Practitioner.changed[0] ?? {};
      return [from, to];
    };
    const [x, y] = ['x'.repeat(60), 'y'.repeat(60)];
    expect(await sampled('ab', 'acb')).toEqual(['ab', 'acb']);
    const home = { use: 'work', line: ['3 Rue des Jacots', '75011 PARIS'], near: { at: 2.5, exact: true } };
    expect(await sampled([home], [{ ...home, line: ['75011 PARIS'], near: { at: 3, exact: false } }])).toEqual([
      '3 Rue des Jacots, 2.5, true',
      '3, false',
    ]);
    expect(await sampled(['a', 'b'], ['b', 'a'])).toEqual(['["a","b"]', '["b","a"]']);
    expect(await sampled(`${x}a${y}`, `${x}b${y}`)).toEqual(
      ['a', 'b'].map((letter) => `...${'x'.repeat(30)}${letter}${'y'.repeat(30)}...`),
    );
    expect(await sampled(x, `${x}${'z'.repeat(200)}`)).toEqual([
      `...${'x'.repeat(30)}`,
      `...${'x'.repeat(30)}${'z'.repeat(70)}...`,
    ]);
    expect(await sampled('aaa', 'aaaa')).toEqual(['aaa', 'aaaa']);
  });
});

describe('an edition of many changes', () => {
  it('compares the first 4096, and then one in sixteen', async () => {
    const people = (name: string) => Array.from({ length: 4096 + 32 }, (_, at) => person(`p${at}`, { name }));
    const before = await write('before', people('a'));
    const after = await write('after', people('b'), { previous: before.path });
    expect([after.changes.Practitioner.changed, after.samples.Practitioner.compared]).toEqual([4128, 4098]);
  });

  it('is built in threads, of which one indexes its type once that is complete', async () => {
    const folder = newFolder();
    const writer = createSnapshotWriter({ folder, id: 'threads', threadsFrom: 1 });
    await writer.add(person('a'));
    await writer.flush();
    writer.complete('Practitioner');
    const resource = { resourceType: 'Organization', id: 'o' } as const;
    await writer.add({ type: 'Organization', id: 'o', sortKey: '', resource, index: {} });
    expect((await writer.finish()).counts).toEqual({ Practitioner: 1, Organization: 1, PractitionerRole: 0 });
    expect(readdirSync(folder)).toEqual(['threads.sqlite']);
  });
});

describe('a resource that is longer than a batch of many', () => {
  it('comes back as it was, between others', async () => {
    const text = 'é"'.repeat(400_000);
    const { path } = await write('one', [person('a'), person('b', { text }), person('c')]);
    await using snapshot = await openSnapshot(path);
    expect(
      (await snapshot.scan('Practitioner', { from: 0, to: 9 })).split('\n').map((line) => line.length > 800_000),
    ).toEqual([false, true, false, false]);
    const found = await snapshot.read('Practitioner', 'b');
    expect(JSON.parse(found?.json ?? '').text === text).toBe(true);
  });
});

describe('what a killed import left', () => {
  it('beside the file of a new one is removed before it begins, and nothing else', async () => {
    const folder = newFolder();
    for (const name of ['one.sqlite.unfinished', 'one.sqlite.unfinished.practitioner.keys', 'other.sqlite.unfinished'])
      writeFileSync(join(folder, name), 'x'.repeat(9000));
    const writer = createSnapshotWriter({ folder, id: 'one' });
    expect(readdirSync(folder)).toEqual(['other.sqlite.unfinished']);
    await writer.add(person('a'));
    expect((await writer.finish()).counts.Practitioner).toBe(1);
    expect(readdirSync(folder).toSorted()).toEqual(['one.sqlite', 'other.sqlite.unfinished']);
    expect(() => createSnapshotWriter({ folder, id: 'one' })).toThrow(`the snapshot one exists already in ${folder}`);
    for (const id of ['', 'a_b', 'x'.repeat(65)])
      expect(() => createSnapshotWriter({ folder, id })).toThrow(
        `"${id}" is no name for a snapshot: letters, digits and -`,
      );
  });
});

describe('pages of an order by a field', () => {
  it('go on behind a resource that counts as one without a value, whatever the file says', async () => {
    const cities = ['b', 'a', undefined, undefined, 'c'];
    const resources = cities.map((city, at) =>
      practitioner(`p${at}`, `${at}`, city === undefined ? {} : { 'address-city': [city] }),
    );
    const roles = [0, 2, undefined].map((to, at): IndexedResource => {
      const resource = { resourceType: 'PractitionerRole', id: `r${at}` } as const;
      const index: IndexedResource['index'] = to === undefined ? {} : { practitioner: [`Practitioner/p${to}`] };
      return { type: 'PractitionerRole', id: `r${at}`, sortKey: `${at}`, resource, index };
    });
    const { path } = await write('one', [...resources, ...roles]);
    await using snapshot = await openSnapshot(path);
    const ids = async (type: 'Practitioner' | 'PractitionerRole', field: string, more: object = {}) => {
      const order = { by: 'field', field, descending: false } as const;
      const { matches } = await snapshot.search({ type, clauses: [], limit: 9, total: false, order, ...more });
      return matches.map(({ id }) => id).join(' ');
    };
    expect(await ids('Practitioner', 'address-city')).toBe('p1 p0 p4 p2 p3');
    expect(await ids('Practitioner', 'address-city', { after: 0 })).toBe('p4 p2 p3');
    expect(await ids('Practitioner', 'address-city', { after: 0, valueless: true })).toBe('p2 p3');
    expect(await ids('Practitioner', 'address-city', { after: 2, valueless: true })).toBe('p3');
    expect(await ids('Practitioner', 'address-city', { before: 4, valueless: true })).toBe('p1 p0 p4 p2 p3');
    expect(await ids('PractitionerRole', 'practitioner')).toBe('r0 r1 r2');
    expect(await ids('PractitionerRole', 'practitioner', { after: 0, valueless: true })).toBe('r2');
  });
});

describe('an edition upon another', () => {
  it('is later than it by a millisecond at least, and has a history in which a gap is marked', async () => {
    const one = await write('one', [person('a')]);
    expect(one.created).toBe(new Date(START).toISOString());
    const two = await write('two', [person('a', { active: true })], {
      previous: one.path,
      created: new Date(START - 9),
    });
    expect(two.created).toBe(new Date(START + 1).toISOString());
    const options = { previous: two.path, created: new Date(START + 2000), freshVersions: true };
    const three = await write('three', [person('a', { active: true }), person('b')], options);
    await using snapshot = await openSnapshot(three.path);
    expect(await snapshot.history()).toEqual([
      { created: one.created, apart: false },
      { created: two.created, apart: false },
      { created: three.created, apart: true },
    ]);
    const stamps = await Promise.all(['a', 'b'].map((id) => snapshot.read('Practitioner', id)));
    expect(stamps.map((found) => [found?.versionId, found?.lastUpdated])).toEqual([
      ['2', two.created],
      [String(Math.floor((START + 2000) / 1000)), three.created],
    ]);
    expect([three.bytes, three.counts]).toEqual([
      statSync(three.path).size,
      { Practitioner: 2, Organization: 0, PractitionerRole: 0 },
    ]);
  });

  it('gives a resource that comes back the version after its last, and knows until then since when it is gone', async () => {
    const one = await write('one', [person('a'), person('b')]);
    const two = await write('two', [person('b')], { previous: one.path, created: new Date(START + 1000) });
    const three = await write('three', [person('b')], { previous: two.path, created: new Date(START + 2000) });
    await using third = await openSnapshot(three.path);
    expect(await third.gone('Practitioner', 'a')).toEqual({ id: 'a', goneSince: two.created });
    expect(await third.listGone('Practitioner', { limit: 9 })).toEqual([{ id: 'a', goneSince: two.created }]);
    const four = await write('four', [person('a'), person('b')], {
      previous: three.path,
      created: new Date(START + 3000),
    });
    await using fourth = await openSnapshot(four.path);
    expect([await fourth.gone('Practitioner', 'a'), await fourth.listGone('Practitioner', { limit: 9 })]).toEqual([
      undefined,
      [],
    ]);
    expect(await fourth.read('Practitioner', 'a')).toMatchObject({ versionId: '2', lastUpdated: four.created });
    expect(four.changes.Practitioner).toEqual({ added: 1, changed: 0, unchanged: 1, removed: 0 });
  });
});

describe('a file that is verified', () => {
  it('has this checksum, of which the bytes that were read are told', async () => {
    const checksum = createChecksum();
    checksum.update(Buffer.from('a'));
    checksum.update(Buffer.from('bc'));
    const abc = 'ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1';
    expect(checksum.digest()).toBe(abc);
    const file = join(newFolder(), 'abc');
    writeFileSync(file, 'abc');
    const read: number[] = [];
    expect([await checksumOfFile(file, (bytes) => read.push(bytes)), read]).toEqual([abc, [3]]);
    writeFileSync(file, Buffer.alloc(5 * 2 ** 20));
    read.length = 0;
    await checksumOfFile(file, (bytes) => read.push(bytes));
    expect(read).toEqual([4 * 2 ** 20, 5 * 2 ** 20]);
  });

  it('names five references that lead nowhere, and counts all; those to elsewhere are none', async () => {
    const role = (id: string, practitionerId: string): IndexedResource => ({
      type: 'PractitionerRole',
      id,
      sortKey: id,
      resource: {
        resourceType: 'PractitionerRole',
        id,
        practitioner: { reference: practitionerId },
        organization: { reference: 'https://elsewhere.test/Organization/1' },
      },
      index: {},
    });
    const roles = ['1', '2', '3', '4', '5', '6'].map((id) => role(id, `Practitioner/none-${id}`));
    const sound = [role('7', 'Practitioner/a'), role('8', 'Practitioner/a/_history/1'), role('9', 'Organization/x')];
    const { path, ...summary } = await write('one', [person('a'), ...roles, ...sound]);
    const report = await verifySnapshotFile({ file: path, expected: summary });
    expect(report).toEqual({
      findings: [
        {
          kind: 'reference',
          count: 6,
          examples: ['1', '2', '3', '4', '5'].map(
            (id) => `PractitionerRole/${id}.practitioner leads to Practitioner/none-${id}, which is not there`,
          ),
        },
      ],
      resources: { Practitioner: 1, Organization: 0, PractitionerRole: 9 },
      complete: true,
    });
    const long = await write('two', [role('1', `Practitioner/${'x'.repeat(400)}`)]);
    const { findings } = await verifySnapshotFile({ file: long.path, expected: long });
    expect(findings[0]?.examples[0]).toHaveLength(300);
    const other = { ...summary, bytes: summary.bytes + 1, counts: { ...summary.counts, Practitioner: 2 } };
    expect((await verifySnapshotFile({ file: path, expected: other })).findings).toEqual([
      {
        kind: 'file',
        count: 1,
        examples: [`it has ${summary.bytes} bytes, and had ${summary.bytes + 1} when it was imported`],
      },
      { kind: 'counts', count: 1, examples: ['Practitioner: 1, and 2 when it was imported'] },
    ]);
    await expect(verifySnapshotFile({ file: `${path}x`, expected: summary })).rejects.toThrow('ENOENT');
  });
});
