// Directory data, section 4, damage to files beyond `../publish/guards.test.ts`: cut off, in another encoding, with holes and
// rubbish in the middle, and a previous snapshot that is damaged or gone. The directory stays as it is, nothing is left behind.

import { chmodSync, closeSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readPointer } from '#store/snapshots/registry.ts';
import { zip } from '#support/import/archive.ts';
import { type Bench, numbered, openBench, registerText } from '#support/import/register-files.ts';

describe('import: damaged files', () => {
  let bench: Bench;
  let before: Awaited<ReturnType<typeof state>>;

  const state = async () => ({
    current: (await readPointer(bench.database)).current,
    files: readdirSync(bench.dataFolder, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith('hygie.sqlite'))
      .sort(),
  });
  /** Why the import refuses the file: its error, or the reasons of its guards. */
  const refusalOf = async (name: string, content: string | Buffer): Promise<string> =>
    bench.run([bench.file(name, content)]).then(
      ({ outcome, guards }) =>
        [outcome, ...guards.flatMap((guard) => (guard.passed ? [] : [`${guard.name}: ${guard.figures}`]))].join('\n'),
      (error: Error) => error.message,
    );

  const load = async () => {
    bench = await openBench();
    await bench.run([bench.file('good.txt', registerText('activities', numbered(400)))]);
    before = await state();
  };

  const zoe = numbered(400, () => ({ 8: 'Zoé' }));
  const text = registerText('activities', zoe);

  describe('directory data 4: files cut off', () => {
    beforeAll(load);
    afterAll(() => bench.close());
    afterEach(async () => expect(await state()).toEqual(before));
    const half = text.slice(0, text.indexOf('\n', text.length / 2) + 1);

    it('at the end of a line: nothing but the number of lines shows it', async () => {
      expect(await refusalOf('pa.txt', half)).toMatch(
        /^refused\nregisters: PS_LibreAcces_Personne_activite: 400 lines before, \d+ now.*\n.*shrinkage/s,
      );
    });

    it.each([1, 8, 100, 5000])('gzip without its last %i bytes', async (bytes) => {
      const packed = gzipSync(text, { level: 0 });
      expect(await refusalOf('pa.txt.gz', packed.subarray(0, packed.length - bytes))).toMatch(
        /pa\.txt\.gz: is truncated or damaged .*Download the file again/,
      );
    });

    it.each([1, 22, 500, 3000])('zip without its last %i bytes', async (bytes) => {
      const packed = zip('pa.txt', Buffer.from(text));
      expect(await refusalOf('pa.zip', packed.subarray(0, packed.length - bytes))).toMatch(
        /pa\.zip: the zip archive is damaged .*Download the file again/,
      );
    });

    it('zip with one byte changed in the middle', async () => {
      const packed = zip('pa.txt', Buffer.from(text));
      packed[Math.floor(packed.length / 2)] = (packed[Math.floor(packed.length / 2)] ?? 0) ^ 0x10;
      expect(await refusalOf('pa.zip', packed)).toMatch(
        /pa\.zip!pa\.txt: (is truncated or damaged|its checksum is wrong)/,
      );
    });
  });

  describe('directory data 4: encodings and rubbish', () => {
    beforeAll(load);
    afterAll(() => bench.close());
    afterEach(async () => expect(await state()).toEqual(before));

    it('Windows-1252 behind a header without accents is refused by its lines', async () => {
      const lines = text.split('\n');
      const bytes = Buffer.concat([Buffer.from(`${lines[0]}\n`), Buffer.from(lines.slice(1).join('\n'), 'latin1')]);
      expect(await refusalOf('pa.txt', bytes)).toMatch(/unusable-lines: .*pa\.txt: 400 of 400 .*line 2: not UTF-8/);
    });

    it('binary rubbish in the middle: lines that are none, with the first of them', async () => {
      const rubbish = Buffer.from(Array.from({ length: 6000 }, (_, index) => ((index * 7919) % 250) + 1));
      const at = text.indexOf('\n', text.length / 2) + 1;
      const bytes = Buffer.concat([Buffer.from(text.slice(0, at)), rubbish, Buffer.from(text.slice(at))]);
      expect(await refusalOf('pa.txt', bytes)).toMatch(
        /^refused\nunusable-lines: .*pa\.txt: \d+ of \d+ lines .*line \d+: not UTF-8/,
      );
    });

    it('a part that was never written, as of a download that had reserved its space', async () => {
      const bytes = Buffer.from(text);
      const [from, to] = [Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 3000];
      const line = bytes.subarray(0, from).toString().split('\n').length;
      expect(await refusalOf('pa.txt', Buffer.from(bytes).fill(0, from, to))).toMatch(
        new RegExp(`pa\\.txt, line ${line}: the file has a hole here: it is incomplete\\. Download it again\\.`),
      );
      expect(await refusalOf('pa.txt', Buffer.from(bytes).fill(0, bytes.length - 3000))).toMatch(/has a hole here/);
      expect(await refusalOf('pa.txt', Buffer.concat([bytes, Buffer.alloc(20 << 20)]))).toMatch(
        /line 402: the file has a hole/,
      );
    });
  });

  describe('directory data 4: the snapshot before', () => {
    beforeEach(load);
    afterEach(() => bench.close());
    const changed = () => bench.file('next.txt', text);
    const file = () => join(bench.dataFolder, before.files.find((name) => name.endsWith('.sqlite')) ?? '');

    it('is gone: the next import warns and makes a new one', async () => {
      rmSync(file());
      const report = await bench.run([changed()]);
      expect(report.outcome).toBe('imported');
      expect(report.warnings).toContainEqual(
        expect.objectContaining({
          kind: 'unreadable-previous',
          examples: [expect.stringContaining(before.current ?? '?')],
        }),
      );
      expect((await bench.read('Practitioner', '819000000000'))?.['name']).toMatchObject([{ given: ['Zoé'] }]);
      // And so does the same edition, though its checksum is the one of the row that has lost its file.
      rmSync(join(bench.dataFolder, (await state()).files.find((name) => name.endsWith('.sqlite')) ?? ''));
      expect((await bench.run([changed()])).outcome).toBe('imported');
    });

    it('is damaged in the middle: the error names the file and the remedy, which helps', async () => {
      chmodSync(file(), 0o644);
      const descriptor = openSync(file(), 'r+');
      const { size } = statSync(file());
      const [from, to] = [0.4, 0.75].map((share) => Math.floor(size * share)) as [number, number];
      writeSync(descriptor, Buffer.alloc(to - from, 0xa5), 0, to - from, from);
      closeSync(descriptor);
      const failure = bench.run([changed()]);
      await expect(failure).rejects.toThrow(`${file()}: the current snapshot is damaged, and is marked as such`);
      await expect(failure).rejects.toThrow('Import again: the new snapshot does not need it.');
      expect(await state()).toEqual(before);
      expect((await bench.run([changed()])).outcome).toBe('imported');
      expect((await bench.read('Practitioner', '819000000399'))?.['name']).toMatchObject([{ given: ['Zoé'] }]);
    });
  });
});
