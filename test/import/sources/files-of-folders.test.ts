// Directory data, renewal: the names that say the date of a file, however it was given and packed; and which files of a
// folder are never opened.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { recogniseInputs } from '#import/registers/recognise-inputs.ts';
import { listInputs } from '#import/sources/inputs.ts';
import { zip } from '#support/import/archive.ts';
import { HEADERS, type PipeRegister } from '#support/import/register-files.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hygie-editions-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const text = (register: PipeRegister, more = '') => Buffer.from(`${HEADERS[register]}\n${more}`);
const put = (name: string, content: Buffer) => {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
};

/** Names within the folder with their dates, and warnings. */
async function read(paths: readonly string[], foundIn?: string) {
  const collector = createCollector();
  const inputs = await listInputs(paths, { warn: collector.warn, ...(foundIn !== undefined && { foundIn }) });
  const sources = await recogniseInputs(inputs, collector);
  return {
    files: Object.fromEntries(
      sources.map(({ report: { name, edition } }) => [name.slice(root.length + 1), edition?.slice(5, 10)]),
    ),
    warnings: collector.warnings().flatMap(({ kind, examples }) => examples.map((one) => `${kind} ${one}`)),
  };
}

describe('renewal: where a file has its date from', () => {
  it('a named file from its own name, the folder it lies in, or the file behind a link', async () => {
    const own = put('2026-10-07/skills_20261008.txt', text('skills'));
    const folder = put('20261009-083042/pa.txt', text('activities'));
    put('store/dipl_20261010.txt', text('diplomas'));
    symlinkSync('store/dipl_20261010.txt', join(root, 'latest.txt'));
    const { files } = await read([own, folder, join(root, 'latest.txt')]);
    expect(Object.values(files)).toEqual(expect.arrayContaining(['10-08', '10-09', '10-10']));
  });

  it('a link from its own name rather than from that of a store', async () => {
    put('.store/20261001', text('skills'));
    symlinkSync('../.store/20261001', join(root, '.store/skills_20261008.txt'));
    expect((await read([join(root, '.store/skills_20261008.txt')])).files).toEqual({ '.store/20261001': '10-08' });
  });

  it('a member of an archive from its name, else from that of the archive, else from the folder', async () => {
    put('in/a_20261008.zip', zip('skills.txt', text('skills')));
    put('in/b_20261008.zip', zip('dipl_20261009.txt', text('diplomas')));
    put('in/2026-10-10/c.zip', zip('2026-10-11/pa.txt', text('activities')));
    put('in/2026-10-10/d.zip', zip('deep/m.txt', text('mailboxes')));
    expect((await read([join(root, 'in')])).files).toEqual({
      'in/a_20261008.zip!skills.txt': '10-08',
      'in/b_20261008.zip!dipl_20261009.txt': '10-09',
      'in/2026-10-10/c.zip!2026-10-11/pa.txt': '10-11',
      'in/2026-10-10/d.zip!deep/m.txt': '10-10',
    });
  });

  it('files of a folder from that folder and those below, not from those above', async () => {
    put('2026-01-15/in/2026-10-08/deep/skills.txt', text('skills'));
    put('2026-01-15/in/pa.txt', text('activities'));
    const dates = ['10-08', undefined];
    const folder = join(root, '2026-01-15/in');
    expect(Object.values((await read([folder])).files).sort()).toEqual(dates);
    const paths = [join(folder, '2026-10-08/deep/skills.txt'), join(folder, 'pa.txt')];
    expect(Object.values((await read(paths, folder)).files).sort()).toEqual(dates);
    expect(Object.values((await read([join(root, '2026-01-15')])).files).sort()).toEqual(['01-15', '10-08']);
  });
});

describe('renewal: a folder that holds several editions', () => {
  it.each([false, true])('is read as its newest one, and nothing older is opened (watched: %s)', async (watched) => {
    put('in/PS_LibreAcces_SavoirFaire_202610070830.txt.gz', gzipSync(text('skills')).subarray(0, 30));
    put('in/PS_LibreAcces_202610070830.zip', Buffer.from('PK\x03\x04 damaged'));
    put('in/PS_LibreAcces_202610080830.zip', zip('pa.txt', text('activities')));
    put('in/PS_LibreAcces_SavoirFaire_202610080830.txt', text('skills', '1'));
    put('in/PS_LibreAcces_SavoirFaire_209901010000.txt', text('skills', '2'));
    // It is of the same register by its content only.
    put('in/skills-20261006.txt', text('skills', '3'));
    const folder = join(root, 'in');
    const names = ['SavoirFaire_202610070830.txt.gz', '202610070830.zip', '202610080830.zip'];
    names.push('SavoirFaire_202610080830.txt', 'SavoirFaire_209901010000.txt');
    const paths = [...names.map((name) => join(folder, `PS_LibreAcces_${name}`)), join(folder, 'skills-20261006.txt')];
    const { files, warnings } = watched ? await read(paths, folder) : await read([folder]);
    expect(files).toEqual({
      'in/PS_LibreAcces_202610080830.zip!pa.txt': '10-08',
      'in/PS_LibreAcces_SavoirFaire_202610080830.txt': '10-08',
    });
    expect(warnings.sort()).toEqual([
      expect.stringMatching(/^implausible-date .*SavoirFaire_209901010000\.txt: its date, 2099-01-01T00:00, is in the/),
      expect.stringMatching(/^older-edition .*PS_LibreAcces_202610070830\.zip: 2026-10-07T08:30$/),
      expect.stringMatching(/^older-edition .*SavoirFaire_202610070830\.txt\.gz: /),
      expect.stringMatching(/^older-edition .*skills-20261006\.txt: 2026-10-06$/),
    ]);
  });

  it('beside a folder of another edition is refused: the operator named both', async () => {
    put('2026-10-07/skills.txt', text('skills', '1'));
    put('2026-10-08/skills.txt', text('skills', '2'));
    const folders = ['2026-10-07', '2026-10-08'].map((name) => join(root, name));
    await expect(read(folders)).rejects.toThrow(/is of another edition than .* \(2026-10-08 and 2026-10-07\)/);
    expect((await read([root])).files).toEqual({ '2026-10-08/skills.txt': '10-08' });
  });
});
