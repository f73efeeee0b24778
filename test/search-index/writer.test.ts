// An import and its renewal: what a snapshot keeps of its resources, versions from edition to edition, and that nothing
// half-made is ever taken for a snapshot.

import { chmodSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { openSnapshot } from '#search-index/read/reader.ts';
import type { IndexedResource } from '#search-index/snapshot.ts';
import type { SnapshotSummary } from '#search-index/snapshot-writer.ts';
import { createByteSpill, createNumberSpill } from '#search-index/write/spill-file.ts';
import { createSnapshotWriter, type SnapshotWriterOptions } from '#search-index/write/writer.ts';
import { newFolder } from '#support/new-folder.ts';
import { practitioner } from '#support/search-index/naive.ts';

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

async function write(
  id: string,
  resources: readonly IndexedResource[],
  options: Partial<SnapshotWriterOptions> = {},
): Promise<SnapshotSummary> {
  const writer = createSnapshotWriter({ folder, id, ...options });
  for (const resource of resources) await writer.add(resource);
  return writer.finish();
}

const person = (id: string, sortKey: string, elements?: Record<string, unknown>) =>
  practitioner(id, sortKey, { name: [sortKey], identifier: [`x|${id}`] }, elements);

/** So much text that some hundred resources fill a batch on its way to the builder. */
const long = (at: number) => ({ text: { div: `${at} `.repeat(2000) } });

describe('a finished snapshot', () => {
  it('gives back each resource with meta, in alphabetical order whatever the order in which they come', async () => {
    const created = new Date('2026-10-08T08:30:00.000Z');
    const summary = await write(
      'first',
      [person('c', 'zoe'), person('a', 'anne', { name: [{ family: 'Œuvrard "dit" É' }] }), person('b', 'anne')],
      { created },
    );
    expect(summary).toMatchObject({
      id: 'first',
      file: 'first.sqlite',
      created: '2026-10-08T08:30:00.000Z',
      counts: { Practitioner: 3, Organization: 0, PractitionerRole: 0 },
      changes: { Practitioner: { added: 3, changed: 0, unchanged: 0, removed: 0 } },
    });
    const snapshot = await openSnapshot(join(folder, summary.file));
    const page = await snapshot.search({ type: 'Practitioner', clauses: [], limit: 10, total: true });
    expect(page.matches.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(page.matches.map(({ json }) => JSON.parse(json))[0]).toEqual({
      resourceType: 'Practitioner',
      id: 'a',
      meta: { versionId: '1', lastUpdated: '2026-10-08T08:30:00.000Z' },
      name: [{ family: 'Œuvrard "dit" É' }],
    });
    expect(await snapshot.read('Practitioner', 'b')).toEqual(page.matches[1]);
    expect(await snapshot.read('Practitioner', 'd')).toBeUndefined();
    expect(await snapshot.read('Organization', 'b')).toBeUndefined();
    expect(await snapshot.counts()).toEqual({ Practitioner: 3, Organization: 0, PractitionerRole: 0 });
    await snapshot.close();
  });

  it('gives back resources of any size, with text of any kind', async () => {
    const texts = ['a', 'é"\n', '漢字 ', '😀'].flatMap((text) =>
      [1, 50, 2000, 70_000].map((size) => text.repeat(size)),
    );
    const parts = (text: string) => ({
      text: { div: text },
      name: [{ family: text }],
      address: [{ line: [text, 'x'] }],
    });
    await write(
      'sizes',
      texts.map((text, at) => person(`p${at}`, 'x', parts(text))),
    );
    const snapshot = await openSnapshot(join(folder, 'sizes.sqlite'));
    for (const [at, text] of texts.entries()) {
      const { json = '' } = (await snapshot.read('Practitioner', `p${at}`)) ?? {};
      expect(JSON.parse(json)).toMatchObject(parts(text));
    }
    await snapshot.close();
  });

  it('is one file that cannot be written, without journal', async () => {
    const { file, bytes } = await write('only', [person('a', 'anne')]);
    expect(readdirSync(folder)).toEqual([file]);
    expect(statSync(join(folder, file))).toMatchObject({ size: bytes });
    expect(statSync(join(folder, file)).mode & 0o222).toBe(0);
  });
});

describe('Renewal: an edition upon a snapshot of another layout', () => {
  it.each([
    ['tables', '0'],
    ['fields', '5-00000000'],
  ])(
    'of other %s is refused, and imported as if all were new, with versions that were not given before',
    async (_, layout) => {
      const { file } = await write(`old${layout}`, [person('a', 'a')]);
      chmodSync(join(folder, file), 0o644);
      const database = new BetterSqlite3(join(folder, file));
      database.prepare("update property set value = ? where name = 'layout'").run(layout);
      database.close();
      await expect(openSnapshot(join(folder, file))).rejects.toThrow(
        `old${layout}.sqlite has layout ${layout}, this release`,
      );
      const next = await write(`next${layout}`, [person('a', 'a')], { previous: join(folder, file) });
      expect(next.changes.Practitioner.added).toBe(1);
      const snapshot = await openSnapshot(join(folder, next.file));
      expect(Number((await snapshot.read('Practitioner', 'a'))?.versionId)).toBeGreaterThan(20_000);
      await snapshot.close();
    },
  );

  it('is refused upon a file that is no snapshot, and leaves nothing behind', async () => {
    writeFileSync(join(folder, 'rubbish.sqlite'), 'rubbish'.repeat(1000));
    await expect(write('next', [person('a', 'a')], { previous: join(folder, 'rubbish.sqlite') })).rejects.toThrow(
      'rubbish.sqlite cannot be read',
    );
    expect(readdirSync(folder)).toEqual(['rubbish.sqlite']);
  });
});

describe('Load: what goes wrong leaves nothing behind', () => {
  it('refuses an id that came twice, naming it', async () => {
    await expect(write('twice', [person('a', 'x'), person('b', 'y'), person('a', 'z')])).rejects.toThrow(
      'Practitioner/a came twice',
    );
    const many = Array.from({ length: 80 }, () => person('a', 'x'));
    await expect(write('often', many)).rejects.toThrow('Practitioner/a came twice');
    const some = Array.from({ length: 600 }, (_, at) => person(`p${at % 599}`, 'x', long(at)));
    await expect(write('thread', some, { threadsFrom: 10 })).rejects.toThrow('Practitioner/p0 came twice');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses a field that is not indexed, and a resource that is not the one announced', async () => {
    const writer = createSnapshotWriter({ folder, id: 'refused' });
    expect(() => writer.add(practitioner('a', 'a', { shoe: ['43'] }))).toThrow('no field shoe');
    expect(() => writer.add({ ...person('a', 'a'), id: 'b' })).toThrow('calls itself Practitioner/a');
    expect(() => writer.add(person('a', 'a', { meta: {} }))).toThrow('its own meta');
    await writer.abandon();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('abandons an import at any moment, in a thread of its own too', async () => {
    for (const threadsFrom of [5000, 300]) {
      const writer = createSnapshotWriter({ folder, id: 'given-up', threadsFrom });
      for (let at = 0; at < 600; at++) await writer.add(person(`p${at}`, 'a', long(at)));
      await writer.abandon();
      await writer.abandon();
      expect(() => writer.add(person('x', 'a'))).toThrow('abandoned');
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it.each(['finished', 'abandoned'] as const)('takes nothing more once it is %s, and stays so', async (ended) => {
    const writer = createSnapshotWriter({ folder, id: 'ended' });
    await writer.add(person('a', 'a'));
    await (ended === 'finished' ? writer.finish() : writer.abandon());
    const left = readdirSync(folder);
    expect(() => writer.add(person('b', 'b'))).toThrow(`is ${ended}: nothing can be added`);
    await expect(writer.finish()).rejects.toThrow(`is ${ended} already`);
    await writer.abandon();
    expect(readdirSync(folder)).toEqual(left);
    expect(left).toEqual(ended === 'finished' ? ['ended.sqlite'] : []);
  });

  it('refuses to open what is no finished snapshot', async () => {
    writeFileSync(join(folder, 'rubbish.sqlite'), 'rubbish'.repeat(1000));
    await expect(openSnapshot(join(folder, 'rubbish.sqlite'))).rejects.toThrow('rubbish.sqlite cannot be read');
    writeFileSync(join(folder, 'empty.sqlite'), '');
    await expect(openSnapshot(join(folder, 'empty.sqlite'))).rejects.toThrow('empty.sqlite cannot be read');
    await expect(openSnapshot(join(folder, 'missing.sqlite'))).rejects.toThrow();
  });
});

// Numbers spilled to disk come back as they were, however many there are and however often they are read.
describe.each([0, 1, 65_535, 65_536, 65_537, 200_000])('a spill of %i numbers', (count) => {
  const expected = Uint32Array.from({ length: count }, (_, at) => (at * 2_654_435_761) % 2 ** 32);

  it('gives them one by one, again and again, then all at once, and leaves no file', () => {
    const spill = createNumberSpill(join(folder, 'numbers'));
    for (const number of expected) spill.push(number);
    expect(spill.length()).toBe(count);
    for (let time = 0; time < 2; time++) {
      const next = spill.reader();
      expect(expected.every((number) => next() === number)).toBe(true);
    }
    expect(Buffer.from(spill.take().buffer).equals(Buffer.from(expected.buffer))).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('gives bytes too, and leaves no file when it is discarded', () => {
    const spill = createByteSpill(join(folder, 'bytes'));
    const bytes = new Uint8Array(expected);
    for (const byte of bytes) spill.push(byte);
    expect(Buffer.from(spill.take()).equals(Buffer.from(bytes))).toBe(true);
    const unwanted = createByteSpill(join(folder, 'unwanted'));
    for (const byte of bytes) unwanted.push(byte);
    unwanted.discard();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a spill file that was cut off', () => {
  it('throws an error that names the file and asks for the disk', () => {
    const spill = createNumberSpill(join(folder, 'numbers'));
    for (let at = 0; at < 70_000; at++) spill.push(at);
    truncateSync(join(folder, 'numbers'), 1000);
    expect(() => spill.reader()()).toThrow('is the disk full?');
    expect(() => spill.take()).toThrow('is the disk full?');
    spill.discard();
  });
});
