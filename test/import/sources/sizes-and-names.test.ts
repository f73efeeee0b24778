// How sizes, the statements of publishers and the names of files are read.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { readManifest } from '#import/sources/checksum-files.ts';
import { packingOfFile, plainInput } from '#import/sources/input.ts';
import { listInputs } from '#import/sources/inputs.ts';
import { inWords, LONGEST_LINE, refuseLarge, TOO_LONG } from '#import/sources/limits.ts';
import { isIncoming, newestOf, warnOfPassedOver } from '#import/sources/newest-editions.ts';
import { compareDigests, compareSize, isChecksumFile } from '#import/sources/published-checksums.ts';
import { newFolder } from '#support/new-folder.ts';

describe('import: sizes', () => {
  it('are said in powers of a thousand', () => {
    expect([0, 1, 999, 1000, 9949, 9960, 12_345, 1e6, 1.44e9, 5e12, 1.5e15].map(inWords)).toEqual([
      ...[
        '0 bytes',
        '1 bytes',
        '999 bytes',
        '1.0 kB',
        '9.9 kB',
        '10.0 kB',
        '12 kB',
        '1.0 MB',
        '1.4 GB',
        '5.0 TB',
        '1500 TB',
      ],
    ]);
    expect([LONGEST_LINE, TOO_LONG]).toEqual([65_536, 'longer than 64 KiB']);
  });

  it('the largest of the inputs is named, with the remedy', () => {
    const inputs = [
      { name: 'a', size: 10, plainSize: 60 },
      { name: 'b', size: 10, plainSize: 70 },
    ];
    expect(() => refuseLarge(inputs, 129)).toThrow(
      'b: with it, the files hold 130 bytes or more, over the 129 bytes of directory.largestUnpacked. Look at the file; if it is right, raise directory.largestUnpacked, and see that the disk is large enough.',
    );
    expect(() => refuseLarge(inputs.toReversed(), 129)).toThrow(/^b: /);
    expect(() => refuseLarge(inputs, 130)).not.toThrow();
    expect(() => refuseLarge([{ name: 'c', size: 1, plainSize: (64 << 20) + 1 }], 1e12)).toThrow(
      'c: unpacks 1 bytes to 67 MB or more, over 100 times as much: no register does. Download it again; if it is right, unpack it, and give the plain file.',
    );
  });

  it('of gzip are those that it states, as far as they can be', async () => {
    const folder = newFolder();
    const sizes = async (bytes: Buffer) => {
      const path = join(folder, 'x');
      writeFileSync(path, bytes);
      const none = { statements: [], algorithms: [], statedIn: ['SUMS'] };
      const { size, plainSize, publishedIn, name } = await plainInput(path, 'gzip', none, () => {});
      expect([size, publishedIn, name]).toEqual([bytes.length, ['SUMS'], path]);
      return [await packingOfFile(path), plainSize / bytes.length];
    };
    const stated = (size: number) => {
      const bytes = Buffer.from(gzipSync('x'.repeat(80)).subarray(0, 24));
      bytes.writeUInt32LE(size, 20);
      return bytes;
    };
    expect([
      await sizes(stated(24)),
      await sizes(stated(23)),
      await sizes(stated(720)),
      await sizes(stated(721)),
    ]).toEqual([
      ...[
        ['gzip', 1],
        ['gzip', 9],
        ['gzip', 30],
        ['gzip', 9],
      ],
    ]);
    const packing = async (...bytes: number[]) => (await sizes(Buffer.from(bytes)))[0];
    expect([
      ...[await packing(0x50, 0x4b, 3, 4), await packing(0x50, 0x4b, 5, 6), await packing(0x50, 0x4b, 7, 8)],
      ...[await packing(0x1f), await packing(0x50, 0x4b, 3)],
    ]).toEqual(['zip', 'zip', 'none', 'none', 'none']);
  });
});

describe('import: statements of publishers', () => {
  const [MD5, SHA] = ['0'.repeat(32), 'A'.repeat(64)] as const;

  const sha = SHA.toLowerCase();
  const A = { file: 'a' };
  const [one, two, three] = [96, 128, 40].map((length) => '1'.repeat(length)) as [string, string, string];
  const SHA1 = { algorithm: 'sha1', digest: three };
  const OF_PLATFORM = { algorithm: 'md5', digest: MD5, ofPlatform: true };
  const platform = { url: 'https://x.example/d/a.txt?v=1#x', filesize: 3, checksum: { value: MD5 } };
  it.each<[unknown, object[]]>([
    [
      { files: [{ file: 'a', bytes: 3, sha256: SHA, md5: MD5 }] },
      [{ ...A, bytes: 3, algorithm: 'sha256', digest: sha }],
    ],
    [{ files: [{ filename: 'a', size: 3 }] }, [{ ...A, bytes: 3 }]],
    [{ files: [{ name: 'a', md5: MD5 }] }, [{ ...A, algorithm: 'md5', digest: MD5 }]],
    [{ files: [{ path: 'a', sha512: two, bytes: 'x' }] }, [{ ...A, algorithm: 'sha512', digest: two }]],
    [{ files: [{ file: 'a' }, { bytes: 3 }, { file: '', bytes: 3 }, null, { file: 'a', bytes: 1.5, md5: 'x' }] }, []],
    [{ files: [{ file: 'a', sha384: one }] }, [{ ...A, algorithm: 'sha384', digest: one }]],
    [
      {
        files: [
          { file: 'a', sha1: three },
          { file: 'b', bytes: 1 },
        ],
      },
      [
        { ...A, ...SHA1 },
        { file: 'b', bytes: 1 },
      ],
    ],
    [{ resources: [platform, { filesize: 0 }, {}] }, [{ ...OF_PLATFORM, file: 'a.txt', bytes: 3 }]],
    [{ filesize: 7 }, [{ bytes: 7, ofPlatform: true }]],
    [{ checksum: { value: SHA } }, [{ algorithm: 'sha256', digest: sha, ofPlatform: true }]],
    [{ name: 'app' }, []],
    [[], []],
    [null, []],
  ])('%j states %j', (manifest, statements) => {
    expect(readManifest(Buffer.from(JSON.stringify(manifest)))).toEqual(statements);
  });

  it('of other files are none', () => {
    expect(readManifest(Buffer.from('{'))).toEqual([]);
    expect(['sha256', 'a.sha2', 'checksums.json', 'my-checksums.txt'].some(isChecksumFile)).toBe(false);
  });

  it('are compared with the file', () => {
    const stated = (more: object) => ({
      statements: [{ statedIn: 'SUMS', ...more }],
      algorithms: ['md5', 'sha256'] as const,
      statedIn: ['SUMS'],
    });
    const remedy = 'Download it again, and SUMS with it; both must be of one edition.';
    expect(() => compareSize('f', 3, stated({ bytes: 3 }))).not.toThrow();
    expect(() => compareSize('f', 3, stated({ bytes: 4 }))).toThrow(
      `f: has 3 bytes, and SUMS states 4: it is not the file that was published. ${remedy}`,
    );
    const warnings: string[] = [];
    const digests = (digest: string, more: object = {}) =>
      compareDigests('f', ['1', '2'], stated({ algorithm: 'sha256', digest, ...more }) as never, (kind, text) =>
        warnings.push(`${kind} ${text}`),
      );
    digests('2');
    digests('3', { ofPlatform: true });
    expect(() => digests('3')).toThrow(
      `f: its sha256 is 2, and SUMS states 3: it is not the file that was published. ${remedy}`,
    );
    expect(warnings).toEqual(['checksum-of-platform f: its sha256 is 2, and SUMS states 3']);
  });
});

describe('import: what names of files tell', () => {
  it('those that are still being written are passed over and named', async () => {
    const folder = newFolder();
    for (const name of ['a.txt', 'b.txt.part', '.c']) writeFileSync(join(folder, name), 'x');
    const incoming: string[] = [];
    const inputs = await listInputs([folder], { onIncoming: (name) => incoming.push(name) });
    expect(inputs.map(({ name, named, given, names }) => [name, named, given, names[0]])).toEqual([
      [join(folder, 'a.txt'), false, folder, 'a.txt'],
    ]);
    expect(incoming.sort()).toEqual(['.c', 'b.txt.part'].map((name) => join(folder, name)));
    const [own] = await listInputs([join(folder, 'b.txt.part')]);
    expect([own?.named, own?.given]).toEqual([true, join(folder, 'b.txt.part')]);
  });

  it('which are incomplete', () => {
    const names = '.x a.part a.PARTIAL a.tmp a.temp a.crdownload a.filepart a.download a.aria2 a.!ut a.swp a~'.split(
      ' ',
    );
    expect(names.filter((name) => !isIncoming(name))).toEqual([]);
    expect(['a', 'part', 'a.parts', 'a.swp.txt', 'x.tmp1'].filter(isIncoming)).toEqual([]);
  });

  it('which are older, and which have a date that cannot be', () => {
    const files = [{ date: '2026-10-08' }, { date: '2026-10-08T08:30' }, { date: '2026-10-07' }, {}, { fault: 'odd' }];
    const choice = newestOf(files);
    const warnings: string[] = [];
    warnOfPassedOver(
      choice,
      (file) => `file ${files.indexOf(file)}`,
      (kind, text) => warnings.push(`${kind} ${text}`),
    );
    expect(warnings).toEqual(['passed-over-edition file 2: 2026-10-07', 'implausible-date file 4: odd']);
  });
});
