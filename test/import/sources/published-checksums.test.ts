// Directory data, section 4, a publisher's checksum or size beside a file: in the forms that tools write, for the file as it
// lies on the disk; another file than the published one is refused with both values, and nothing else of them hinders.

import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readChecksumText } from '#import/sources/checksum-files.ts';
import { zip } from '#support/import/archive.ts';
import { activity, openBench, registerText } from '#support/import/register-files.ts';
import { openedForAll } from '#support/opened.ts';

describe('published checksums', () => {
  const content = Buffer.from(registerText('activities', [activity()]));
  const digest = (algorithm: string, bytes: Buffer = content) => createHash(algorithm).update(bytes).digest('hex');
  const sha256 = digest('sha256');
  const other = digest('sha256', Buffer.from('other'));

  let folder: string;
  const bench = openedForAll(openBench);
  beforeAll(() => {
    folder = join(bench.folder, 'in');
  });
  beforeEach(() => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'sub'), { recursive: true });
  });

  /** Loads a folder of these files, or the paths in it: with what each register was compared, and the warnings; or why not. */
  async function reading(files: Readonly<Record<string, string | Buffer>>, paths: readonly string[] = ['']) {
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
    const given = paths.map((path) => join(folder, path));
    return bench.run(given, { dryRun: true }).then(
      (report) => ({
        comparedWith: report.files.flatMap((file) => file.comparedWith ?? []),
        warnings: report.warnings.flatMap(({ kind, examples }) =>
          examples.map((example) => `${kind} ${example.replaceAll(`${folder}/`, '')}`),
        ),
      }),
      (error: Error) => error.message.replaceAll(`${folder}/`, ''),
    );
  }
  const compared = (...names: string[]) => ({ comparedWith: names, warnings: [] });
  const refused = (file: string, own: string, statedIn: string, stated: string) =>
    `${file}: its sha256 is ${own}, and ${statedIn} states ${stated}: it is not the file that was published. Download it again, and ${statedIn} with it; both must be of one edition.`;

  it.each([
    ['bare, in capitals', sha256.toUpperCase(), [{ digest: sha256, algorithm: 'sha256' }]],
    ['sha256sum', `${sha256}  pa.txt\n`, [{ digest: sha256, algorithm: 'sha256', file: 'pa.txt' }]],
    [
      'sha256sum --binary',
      `${sha256} *./a b/pa.txt\r\n`,
      [{ digest: sha256, algorithm: 'sha256', file: './a b/pa.txt' }],
    ],
    ['BSD', `SHA256 (pa (1).txt) = ${sha256}`, [{ digest: sha256, algorithm: 'sha256', file: 'pa (1).txt' }]],
    ['OpenSSL', `SHA2-256(pa.txt)= ${sha256}`, [{ digest: sha256, algorithm: 'sha256', file: 'pa.txt' }]],
    ['md5', digest('md5'), [{ digest: digest('md5'), algorithm: 'md5' }]],
    ['sha1', digest('sha1'), [{ digest: digest('sha1'), algorithm: 'sha1' }]],
    ['sha384', digest('sha384'), [{ digest: digest('sha384'), algorithm: 'sha384' }]],
    ['sha512', digest('sha512'), [{ digest: digest('sha512'), algorithm: 'sha512' }]],
    ['comments and other lengths', `# sums\nabcdef  pa.txt\n${sha256}0  pa.txt\n`, []],
  ])('forms of checksum files %s', (_form, text, expected) => {
    expect(readChecksumText(Buffer.from(text))).toEqual(expected);
    expect(readChecksumText(Buffer.from(`\ufeff${text}`))).toEqual(expected);
    expect(readChecksumText(Buffer.from(`\ufeff${text}`, 'utf16le'))).toEqual(expected);
  });

  describe('directory data 4: what the publisher states of a file', () => {
    const stated = {
      'pa.txt.sha256': (hex: string) => hex,
      'pa.txt.sha256sum': (hex: string) => `${hex}  PS_LibreAcces.txt`,
      SHA256SUMS: (hex: string) => `${hex} *pa.txt\n`,
      'sha256sums.txt': (hex: string) => `${hex}  pa.txt\n`,
      'checksums.txt': (hex: string) => `SHA256 (pa.txt) = ${hex}\n`,
      'MANIFEST.json': (hex: string) =>
        JSON.stringify({ files: [{ file: 'pa.txt', bytes: content.length, sha256: hex }] }),
    };

    it.each(Object.entries(stated))('%s: compared, and no other file of the folder', async (name, text) => {
      expect(await reading({ 'pa.txt': content, [name]: text(sha256) })).toEqual(compared(name));
      expect(await reading({ 'pa.txt': content, [name]: text(other) })).toBe(refused('pa.txt', sha256, name, other));
      // Also for a file that is given alone, and beside the checksum that is given with it.
      expect(await reading({}, ['pa.txt'])).toBe(refused('pa.txt', sha256, name, other));
      expect(await reading({}, ['pa.txt', name])).toBe(refused('pa.txt', sha256, name, other));
    });

    it('is of the file on the disk, packed as it is', async () => {
      for (const [name, packed] of [
        ['pa.txt.gz', gzipSync(content)],
        ['pa.zip', zip('pa.txt', content)],
      ] as const) {
        const own = digest('sha256', packed);
        expect(await reading({ [name]: packed, SHA256SUMS: `${own}  ${name}` })).toEqual(compared('SHA256SUMS'));
        expect(await reading({ SHA256SUMS: `${sha256}  ${name}` })).toBe(refused(name, own, 'SHA256SUMS', sha256));
        rmSync(join(folder, name));
      }
    });

    it('of data.gouv.fr: the size refuses; the checksum, which may be that of an older upload, warns', async () => {
      const resource = (filesize: number, value = digest('sha1')) => ({
        title: 'x',
        url: 'https://static.example/2026/pa.txt?v=1',
        filesize,
        checksum: { type: 'sha1', value },
      });
      const old = digest('sha1', Buffer.from('old'));
      const run = (json: unknown, name = 'dataset.json') =>
        reading({ 'pa.txt': content, [name]: JSON.stringify(json) });
      expect(
        await run({ resources: [resource(content.length), { url: 'https://x.example/y.csv', filesize: 3 }] }),
      ).toEqual(compared('dataset.json'));
      expect(await run({ resources: [resource(1)] })).toMatch(/^pa\.txt: has \d+ bytes, and dataset\.json states 1:/);
      expect(await run({ resources: [resource(content.length, old)] })).toEqual({
        comparedWith: ['dataset.json'],
        warnings: [`checksum-of-platform pa.txt: its sha1 is ${digest('sha1')}, and dataset.json states ${old}`],
      });
      rmSync(join(folder, 'dataset.json'));
      const { url, ...nameless } = resource(1);
      expect(url).toContain('pa.txt');
      expect(await run(nameless, 'pa.txt.json')).toMatch(/^pa\.txt: has \d+ bytes, and pa\.txt\.json states 1:/);
    });

    it('names files in sub-folders; of several statements each counts', async () => {
      const files = {
        'sub/pa.txt': content,
        SHA256SUMS: `${sha256}  sub/pa.txt`,
        'sub/MD5SUMS': `${digest('md5')}  pa.txt`,
      };
      expect(await reading(files)).toEqual(compared('SHA256SUMS', 'MD5SUMS'));
      const wrong = digest('md5', Buffer.from('other'));
      expect(await reading({ 'sub/MD5SUMS': `${wrong}  pa.txt` })).toMatch(
        /sub\/pa\.txt: its md5 is .*, and MD5SUMS states/,
      );
    });

    it('of a file that is not there, or without a checksum: a warning; a manifest of something else is another file', async () => {
      const files = {
        'pa.txt': content,
        'gone.txt.sha256': sha256,
        'pa.txt.md5': 'none',
        'manifest.json': '{"name":"app"}',
      };
      expect(await reading(files)).toEqual({
        comparedWith: [],
        warnings: [
          'checksum-without-file gone.txt.sha256: no name',
          'checksum-unread pa.txt.md5',
          'not-a-register manifest.json',
        ],
      });
    });

    it('does not speak of files that are not read', async () => {
      expect(await reading({ 'pa.txt': content, 'readme.txt': 'x', SHA256SUMS: `${other}  readme.txt` })).toEqual({
        comparedWith: [],
        warnings: ['not-a-register readme.txt'],
      });
    });

    it('is not read where there is more of it than any publisher states', async () => {
      const full = `${sha256}  pa.txt\n`.padEnd(4 << 20);
      const files = { 'pa.txt': content, 'pa.txt.sha256': full, 'sub/pa.txt.sha256': full };
      expect(await reading(files, ['pa.txt'])).toEqual(compared('pa.txt.sha256'));
      expect(await reading({ SHA256SUMS: full, 'checksums.txt': sha256 }, ['pa.txt'])).toBe(
        `${folder}: its checksum files have more than 8 MiB in all: no publisher needs as much. Remove those that are not needed.`,
      );
    });
  });
});
