// Directory data, section 2, and operations: kinds are recognised by content, whatever name, order, packing or encoding.

import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { splitFinessLine } from '#import/registers/finess-text.ts';
import { recognise } from '#import/registers/recognise.ts';
import { zip } from '#support/import/archive.ts';
import { activity, finessLegalEntity, HEADERS, openBench, registerText } from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';

const SKILL = { 2: '819000000018', 9: 'S', 10: 'Spécialité', 11: 'SM26', 12: 'Générale' };

it.each([
  ['activities', HEADERS.activities],
  ['diplomas', HEADERS.diplomas],
  ['skills', HEADERS.skills],
  ['mailboxes', HEADERS.mailboxes],
  ['finess', 'finess;etalab;111;2026-10-08'],
  ['finess', finessLegalEntity()],
])('directory data 2: kinds are recognised by content %s', (kind, header) => {
  expect(recognise('a.dat', Buffer.from(`${header}\nx`))?.kind).toBe(kind);
});

describe('operations: import takes files and folders, plain, gzip or zip, in any combination and order', () => {
  const bench = openedForEach(openBench);

  it('reads all packings to the same directory', async () => {
    const people = registerText('activities', [
      activity(),
      activity({ 1: '19000000026', 2: '819000000026', 7: 'ÉTIENNE' }),
    ]);
    const skills = registerText('skills', [SKILL]);
    const plain = [bench.file('one', people), bench.file('two', skills)];
    const first = await bench.run(plain);
    const resource = await bench.read('Practitioner', '819000000018');
    expect(resource?.['qualification']).toHaveLength(2);

    const folder = join(bench.folder, 'in', 'deep');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'p.bin'), zip('anything.txt', Buffer.from(people)));
    writeFileSync(join(folder, 's.gz'), gzipSync(skills));
    writeFileSync(join(folder, 'README.md'), 'no register');
    const second = await bench.run([join(bench.folder, 'in')], { dryRun: true });
    expect(second.outcome).toBe('checked');
    expect(second.resources).toEqual(first.resources);
    expect(second.changes?.Practitioner).toEqual({ added: 0, changed: 0, unchanged: 2, removed: 0 });
    expect(second.warnings).toContainEqual(expect.objectContaining({ kind: 'not-a-register', count: 1 }));
  });

  it('reads links of a folder that lead to files, each file once, and names a link that leads nowhere', async () => {
    const folder = join(bench.folder, 'in');
    mkdirSync(folder);
    const people = bench.file('people.txt', registerText('activities', [activity()]));
    symlinkSync(people, join(folder, 'people.txt'));
    symlinkSync(people, join(folder, 'again.txt'));
    symlinkSync(bench.folder, join(folder, 'above'));
    symlinkSync('nowhere', join(folder, '.hidden'));
    const report = await bench.run([folder], { dryRun: true });
    expect([report.files.length, report.resources.Practitioner]).toEqual([1, 1]);
    symlinkSync('nowhere', join(folder, 'skills.txt'));
    await expect(bench.run([folder])).rejects.toThrow(
      /in\/skills\.txt: is a link that leads to no file\. Repair it, or remove it from the folder\./,
    );
  });

  it('refuses a pipe, without waiting for somebody to write into it', async () => {
    const pipe = join(bench.folder, 'pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    for (const path of [pipe, '/dev/null'])
      await expect(bench.run([path])).rejects.toThrow(`${path}: is not a regular file.`);
  });

  it('says that an edition is the current one already, whatever the packing', async () => {
    const text = registerText('activities', [activity()]);
    await bench.run([bench.file('a.txt', text)]);
    const again = await bench.run([bench.file('a.gz', gzipSync(text))]);
    expect(again.outcome).toBe('unchanged');
  });

  it('takes a byte-order mark, CRLF, missing trailing separators and a last line whose line break is cut in two', async () => {
    const text = registerText(
      'activities',
      [activity(), activity({ 7: 'LAST', 1: '19000000026', 2: '819000000026' })],
      false,
    );
    const report = await bench.run([bench.file('a', `\ufeff${text.replaceAll('\n', '\r\n').slice(0, -1)}`)]);
    expect(report.resources.Practitioner).toBe(2);
    expect(await bench.read('Practitioner', '819000000018')).toMatchObject({
      address: [{ city: 'Lyon 3e  Arrondissement' }],
    });
  });

  it('gives the same resources whatever the order of lines and columns', async () => {
    const cells = [
      activity(),
      activity({ 32: 'PASTEUR', 23: 'R20000000000002', 17: 'S' }),
      activity({ 13: 'S', 15: 'SM26', 16: 'Générale' }),
    ];
    await bench.run([bench.file('a', registerText('activities', cells))]);
    const lines = registerText('activities', [...cells].reverse(), false)
      .trim()
      .split('\n');
    const turned = lines.map((line) => `${line.split('|').reverse().join('|')}\n`).join('');
    const report = await bench.run([bench.file('b', turned)], { dryRun: true });
    for (const change of Object.values(report.changes ?? {}))
      expect(change).toMatchObject({ added: 0, changed: 0, removed: 0 });
  });
});

it.each([
  ['a;b;c', ['a', 'b', 'c']],
  ['a;"b;c";', ['a', 'b;c', '']],
  ['"say ""hi""";x', ['say "hi"', 'x']],
  ['MAISON "LES LILAS";x', ['MAISON "LES LILAS"', 'x']],
  ['"LES LILAS" EHPAD;x', ['"LES LILAS" EHPAD', 'x']],
  ['"never closed;x', ['"never closed', 'x']],
])('directory data 2: FINESS cells with CSV quoting splits %s', (line, cells) => {
  expect(splitFinessLine(line)).toEqual(cells);
});
