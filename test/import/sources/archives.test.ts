import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { MachineError } from '#import/collect/import-error.ts';
import { recogniseInputs } from '#import/registers/recognise-inputs.ts';
import { listInputs } from '#import/sources/inputs.ts';
import { createContentMeter, refuseLarge, requireImportSpace } from '#import/sources/limits.ts';
import { zip } from '#support/import/archive.ts';
import { activity, openBench, registerText, SETTINGS } from '#support/import/register-files.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForAll } from '#support/opened.ts';

let folder: string;

// Directory import: however files are packed, they are read, or refused by name and with the remedy that helps; what macOS and
// downloads leave beside them in an archive hinders nobody.
describe('import: archives', () => {
  const NAME = 'PS_LibreAcces_Personne_activite_202610080830.txt';
  const content = Buffer.from(registerText('activities', [activity()]));
  beforeAll(async () => {
    folder = newFolder();
  });

  /** Imports a file of this name; returns its sources and warnings, or why it is refused. */
  async function reading(name: string, bytes: Buffer) {
    const path = join(folder, name);
    await writeFile(path, bytes);
    const collector = createCollector();
    try {
      const sources = await recogniseInputs(await listInputs([path]), collector);
      return { sources: sources.map(({ report }) => report.name.slice(path.length)), warnings: collector.warnings() };
    } catch (error) {
      return { refused: (error as Error).message.replaceAll(path, 'FILE') };
    }
  }

  /** An archive whose headers say something else: flags and method of its only member. */
  function headed(flags: number, method: number, archive = zip(NAME, content)): Buffer {
    const central = archive.indexOf(Buffer.from([80, 75, 1, 2]));
    archive.writeUInt16LE(flags, 6);
    archive.writeUInt16LE(method, 8);
    archive.writeUInt16LE(flags, central + 8);
    archive.writeUInt16LE(method, central + 10);
    return archive;
  }

  it.each([
    ['encrypted', headed(1, 8), `FILE!${NAME}: is encrypted.`],
    ['encrypted by AES', headed(1, 99), `FILE!${NAME}: is encrypted.`],
    ['encrypted with its list', headed(0x41, 8), 'FILE: the zip archive cannot be listed'],
    ['Deflate64', headed(0, 9), `FILE!${NAME}: is packed by method 9`],
    ['bzip2', headed(0, 12), `FILE!${NAME}: is packed by method 12`],
    ['Zstandard', headed(0, 93), `FILE!${NAME}: is packed by method 93`],
    ['a method to come', headed(0, 77), `FILE!${NAME}: is packed by method 77`],
    ['names that lead out of it', zip(`../${NAME}`, content), 'FILE: the zip archive cannot be listed'],
  ])(
    'import: members of a zip archive that are not read %s: the refusal says so, and to unpack it',
    async (_what, archive, start) => {
      const { refused } = await reading('a.zip', archive);
      expect(refused).toContain(start);
      expect(refused).toMatch(/Unpack the archive/);
      expect(refused).not.toMatch(/damaged|Download/);
    },
  );

  describe('import: what stands beside a register in an archive', () => {
    it('macOS’s own files under the register’s name, unfinished downloads and hidden files are left alone', async () => {
      const names = [NAME, `__MACOSX/._${NAME}`, `__MACOSX/a/${NAME}`, `.${NAME}`, `${NAME}.part`, 'empty/'];
      expect(await reading('a.zip', zip(names, content))).toEqual({ sources: [`!${NAME}`], warnings: [] });
    });

    it('names in folders, of any characters: read, and shown without control characters', async () => {
      const odd = await reading('a.zip', headed(0x800, 8, zip(`a/b c/\u001b[31m\n${NAME}`, content)));
      expect(odd.sources).toEqual([`!a/b c/\\x1b[31m\\x0a${NAME}`]);
      const beside = await reading('b.zip', headed(0x800, 8, zip('lisez\u001b[31m\n.txt', Buffer.from('bonjour'))));
      expect(beside.refused).toContain('FILE!lisez\\x1b[31m\\x0a.txt: is not a register');
    });
  });
});

// Security, imports: what unpacks to, repeats or nests far more than registers do is refused by name, before it fills the
// memory or the disk, on both sides of each limit.
describe('import: bombs', () => {
  const bench = openedForAll(openBench);
  beforeAll(() => {
    folder = newFolder();
  });

  const MB = 1 << 20;
  const input = (size: number, plainSize: number) => ({ name: 'a.zip', size, plainSize });
  const message = async (work: () => unknown): Promise<string> => {
    try {
      await work();
    } catch (error) {
      return (error as Error).message.replaceAll(`${bench.folder}/`, '');
    }
    return 'read';
  };

  describe('what files unpack to', () => {
    it('a hundred times their size from 64 MiB on, by the statement of the archive or while it is read', async () => {
      const [fits, over] = [input(MB, 100 * MB), input(MB, 100 * MB + 1)];
      const small = input(1, 64 * MB);
      expect(await message(() => refuseLarge([fits, small], 1e12))).toBe('read');
      const refused =
        /^a\.zip: unpacks 1\.0 MB to 105 MB or more, over 100 times as much: no register does\. Download it again/;
      expect(await message(() => refuseLarge([over], 1e12))).toMatch(refused);
      const meter = createContentMeter(1e12, async () => {});
      expect(await message(() => meter.count(fits, 1, 100 * MB))).toBe('read');
      expect(await message(() => meter.count(fits, 1, 100 * MB + 1))).toMatch(refused);
    });

    it('directory.largestUnpacked, for all files together', async () => {
      const meter = createContentMeter(100, async () => {});
      await meter.count(input(50, 60), 60, 60);
      expect(await message(() => meter.count(input(30, 40), 40, 40))).toBe('read');
      expect(await message(() => meter.count(input(30, 40), 1, 41))).toContain(
        'a.zip: with it, the files hold 101 bytes',
      );
      const packed = bench.file('pa.txt.gz', gzipSync(registerText('activities', [activity()])));
      const directory = { ...SETTINGS.directory, largestUnpacked: 1500 };
      expect(
        await message(() =>
          bench.run([packed], { settings: { ...SETTINGS, dataFolder: bench.dataFolder, directory } }),
        ),
      ).toMatch(/^pa\.txt\.gz: with it, the files hold .* over the 1\.5 kB of directory\.largestUnpacked\./);
    });

    it('an archive of more than a thousand files, and one whose files lie within each other', async () => {
      const names = (count: number) => Array.from({ length: count }, (_, index) => `${index}.dat`);
      const run = (bytes: Buffer) => message(() => bench.run([bench.file('a.zip', bytes)], { dryRun: true }));
      expect(await run(zip(names(1000), Buffer.from('x')))).toMatch(/^None of these is a register/);
      expect(await run(zip(names(1001), Buffer.from('x')))).toMatch(
        /^a\.zip: the zip archive holds more than 1000 files\./,
      );
      const overlapping = zip(['pa.txt', 'pb.txt'], Buffer.from(registerText('activities', [activity()])));
      overlapping.writeUInt32LE(0, overlapping.lastIndexOf(Buffer.from([80, 75, 1, 2])) + 42);
      expect(await run(overlapping)).toMatch(
        /^a\.zip: the zip archive is damaged: p[ab]\.txt lies within another one of its files\. Download/,
      );
    });
  });

  it('the volume of the accounts must have room for the import and for the accounts, looked at before reading and every 64 MiB of it', async () => {
    expect(await message(() => requireImportSpace(folder, 0))).toBe('read');
    const refusal = requireImportSpace(join(folder), 1e15);
    await expect(refusal).rejects.toThrow(MachineError);
    await expect(refusal).rejects.toThrow(/: the disk has \d.* free, and the import needs up to 1500 TB\. Make room/);
    let looks = 0;
    const meter = createContentMeter(1e12, async () => void looks++);
    for (const [chunk, expected] of [
      [64 * MB - 1, 0],
      [1, 1],
      [64 * MB - 1, 1],
      [1, 2],
    ] as const) {
      await meter.count(input(1e9, 1e9), chunk, 1);
      expect(looks).toBe(expected);
    }
  });
});
