// Directory data, section 4: a broken, truncated or swapped file changes nothing and leaves nothing behind, and the error
// names the file, the line or column, and the remedy.

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ImportReport } from '#import/judgement/import-report.ts';
import { listSnapshots, readPointer } from '#store/snapshots/registry.ts';
import { numbered, openBench, registerText } from '#support/import/register-files.ts';
import { openedForAll } from '#support/opened.ts';

describe('guards of publishing', () => {
  let before: Awaited<ReturnType<typeof state>>;

  async function state() {
    const { current } = await readPointer(bench.database);
    return { current, snapshots: (await listSnapshots(bench.database)).map((entry) => entry.id), files: filesLeft() };
  }

  function filesLeft(): string[] {
    return readdirSync(bench.dataFolder, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith('hygie.sqlite'))
      .sort();
  }

  // One directory for all: whatever a test does to it, it is as before.
  const bench = openedForAll(openBench);
  beforeAll(async () => {
    await bench.run([bench.file('good.txt', registerText('activities', numbered(100)))]);
    before = await state();
  });

  afterEach(async () => {
    expect(await state()).toEqual(before);
  });

  const failure = async (path: string): Promise<string> =>
    bench.run([path]).then(
      () => 'no error',
      (error: Error) => error.message,
    );

  const refusal = (report: ImportReport) => {
    expect(report.outcome).toBe('refused');
    return report.judgement.reasons;
  };

  describe('directory data 4: unreadable input', () => {
    const text = registerText('activities', numbered(2000));
    const few = registerText('activities', numbered(110));

    it('a gzip file with a wrong checksum', async () => {
      const packed = gzipSync(text);
      packed.writeUInt32LE(0, packed.length - 8);
      expect(await failure(bench.file('pa.txt.gz', packed))).toContain('is truncated or damaged');
    });

    it('a plain file that ends within a line', async () => {
      const path = bench.file('pa.txt', text.slice(0, text.lastIndexOf('R2000000000')));
      expect(await failure(path)).toMatch(/pa\.txt, line 2001: the file ends in the middle of this line/);
    });

    it('binary rubbish under the name of a register, also within a folder', async () => {
      const folder = join(bench.folder, 'in');
      mkdirSync(folder);
      const rubbish = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 251));
      writeFileSync(join(folder, 'PS_LibreAcces_SavoirFaire_202610080830.txt'), rubbish);
      writeFileSync(join(folder, 'pa.txt'), text);
      expect(await failure(folder)).toMatch(
        /SavoirFaire_202610080830\.txt: is not a register that Hygie knows: its first line is not the header of any/,
      );
    });

    it('an empty file, a missing file, a folder without registers', async () => {
      expect(await failure(bench.file('empty.txt', ''))).toMatch(/empty\.txt: is empty/);
      expect(await failure(join(bench.folder, 'absent.txt'))).toMatch(/absent\.txt: there is no such file/);
      mkdirSync(join(bench.folder, 'void'));
      expect(await failure(join(bench.folder, 'void'))).toMatch(/^There is no file to read/);
    });

    it('an interruption at any step', async () => {
      const path = bench.file('pa.txt', few);
      for (const step of ['reading', 'people', 'structures', 'indexing', 'switching']) {
        const onProgress = ({ phase }: { phase: string }) => {
          if (phase === step) throw new Error(`interrupted while ${step}`);
        };
        await expect(bench.run([path], { onProgress })).rejects.toThrow(`interrupted while ${step}`);
        expect(filesLeft()).toEqual(before.files);
      }
    });

    it('a second import at the same time', async () => {
      const [one, other] = [bench.file('pa.txt', text), bench.file('pb.txt', text)];
      let second: Promise<string> | undefined;
      // Whoever reads holds the lock.
      const onProgress = () => {
        second ??= failure(other);
      };
      const accept = [{ name: 'growth' }];
      expect((await bench.run([one], { dryRun: true, accept, onProgress })).outcome).toBe('checked');
      expect(await second).toMatch(/^Another import is running \(process \d+ on \S+\)/);
    });
  });

  describe('directory data 4: guards', () => {
    const run = (text: string | Buffer) => bench.run([bench.file('pa.txt', text)]);

    it('the missing part of a register comes before the figures that differ because of it', async () => {
      const half = numbered(50, () => ({ 24: '' }));
      const names = refusal(await run(registerText('activities', half))).map((reason) => reason.split(':', 1)[0]);
      expect(names.slice(0, 2)).toEqual(['registers (activities)', 'fill-rates (activities)']);
    });

    it('too many unusable lines, with the share, the limit and an example', async () => {
      const lines = numbered(100, (index) => (index % 20 === 3 ? { 2: 'MARTIN' } : {}));
      expect(refusal(await run(registerText('activities', lines)))).toEqual([
        expect.stringMatching(
          /^unusable-lines \(activities\): .*pa\.txt: 5 of 100 lines \(5\.00 %, limit 1\.00 %\); line 5: national identifier missing or malformed\. Take PS_\S+ as published$/,
        ),
      ]);
    });

    it('a file without lines', async () => {
      expect(refusal(await run(registerText('activities', []))).join()).toMatch(/not a single line behind the header/);
    });

    it('a dry run leaves everything as it is', async () => {
      const report = await bench.run([bench.file('pa.txt', registerText('activities', numbered(101)))], {
        dryRun: true,
      });
      expect(report.outcome).toBe('checked');
      expect(report.changes?.Practitioner).toEqual({ added: 1, changed: 0, unchanged: 100, removed: 0 });
      expect(report.guards.find((guard) => guard.name === 'canaries')?.passed).toBe(true);
    });
  });

  describe('directory data 2: oddities are reported, not refused', () => {
    const dryRun = (files: Record<string, string | Buffer>) =>
      bench.run(
        Object.entries(files).map(([name, text]) => bench.file(name, text)),
        { dryRun: true },
      );

    it('duplicate lines, control characters, bad check digits', async () => {
      const lines = numbered(100);
      const twice = [...lines, lines[0] ?? {}, { ...lines[1], 7: 'MAR\u0002TIN' }];
      const report = await dryRun({ 'pa.txt': registerText('activities', twice) });
      expect(report.outcome).toBe('checked');
      const counts = Object.fromEntries(report.warnings.map(({ kind, count }) => [kind, count]));
      expect(counts).toMatchObject({ 'duplicate-line': 1, 'control-character': 1, 'bad-check-digit': 90 });
      expect(report.warnings.find((warning) => warning.kind === 'duplicate-line')?.examples[0]).toMatch(
        /pa\.txt, line 102$/,
      );
    });

    it('a quote is content, and a person without a structure is a person', async () => {
      const blank = Object.fromEntries(Array.from({ length: 28 }, (_, index) => [19 + index, '']));
      const lines = numbered(100, (index) =>
        index === 0 ? { 24: 'POLE DE SANTE "LYON"' } : index === 1 ? { ...blank, 17: '' } : {},
      );
      const report = await dryRun({ 'pa.txt': registerText('activities', lines) });
      expect(report.resources).toEqual({ Practitioner: 100, Organization: 99, PractitionerRole: 99 });
    });

    it('a current snapshot that cannot be read any more: the import begins anew instead of failing', async () => {
      const file = join(bench.dataFolder, before.files.find((name) => name.endsWith('.sqlite')) ?? '');
      const sound = readFileSync(file);
      chmodSync(file, 0o644);
      writeFileSync(file, 'no database');
      const report = await dryRun({ 'pa.txt': registerText('activities', numbered(100)) });
      expect(report.outcome).toBe('checked');
      expect(report.changes?.Practitioner.added).toBe(100);
      expect(report.warnings).toContainEqual(expect.objectContaining({ kind: 'unreadable-previous', count: 1 }));
      writeFileSync(file, sound);
    });

    it('clears what a killed import left behind', async () => {
      const leftover = join(bench.dataFolder, 'directory-import-killed');
      mkdirSync(leftover);
      writeFileSync(join(leftover, 'people-0'), 'x');
      writeFileSync(join(bench.dataFolder, 'directory-import.lock'), '999999999\n');
      expect((await dryRun({ 'pa.txt': registerText('activities', numbered(100)) })).outcome).toBe('checked');
      expect(existsSync(leftover)).toBe(false);
    });
  });
});
