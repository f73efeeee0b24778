// Directory data, section 4: a file that was cut off is refused wherever its bytes show it, and a whole one is read, whether
// or not its last line has a line break.

import { describe, expect, it } from '@jest/globals';
import { benchForAll } from '#support/import/bench.ts';
import {
  activity,
  finessEstablishment,
  finessFile,
  finessLegalEntity,
  registerText,
} from '#support/import/register-files.ts';

const bench = benchForAll();

/** `read`, or why not, without the path. */
const reading = (name: string, content: string): Promise<string> =>
  bench.run([bench.file(name, content)], { dryRun: true }).then(
    () => 'read',
    (error: Error) => error.message.replace(`${bench.folder}/`, ''),
  );
const cut = (content: string, bytes: number) => content.slice(0, content.length - bytes);
const cutAt = (name: string, line: number) =>
  `${name}, line ${line}: the file ends in the middle of this line: it is truncated. Download it again. If it is whole as it is, add a line break at its end.`;

describe('directory data 4: registers of persons cut in their last line', () => {
  const skill = { 2: '819000000018', 9: 'S', 11: 'SM26', 12: 'Générale' };
  const crlf = (text: string) => text.replaceAll('\n', '\r\n');
  const skills = registerText('skills', [skill, skill]);
  const plainSkills = registerText('skills', [skill, skill], false);
  const mailboxes = registerText('mailboxes', [{ 0: 'PER', 1: 'a@b.example', 2: '819000000018', 30: 'FRANCE' }]);

  it.each([
    ['its line break is missing, behind the separator that the header demands', skills, 1, 'read'],
    ['the separator that the header demands is missing', skills, 2, cutAt('sf', 3)],
    ['within the last cell', skills, 5, cutAt('sf', 3)],
    ['behind an earlier separator', skills, skills.length - skills.lastIndexOf('SM26') - 5, cutAt('sf', 3)],
    ['the header has no separator at its end: nothing shows that the line is whole', plainSkills, 1, cutAt('sf', 3)],
    ['within the last cell, without separators', plainSkills, 4, cutAt('sf', 3)],
    ['between the two bytes of its line break', crlf(plainSkills), 1, 'read'],
    ['before both bytes of its line break', crlf(plainSkills), 2, cutAt('sf', 3)],
    ['in the header', skills.slice(0, skills.indexOf('\n')), 1, cutAt('sf', 1)],
  ])('%s', async (_where, content, bytes, expected) => {
    expect(await reading('sf', cut(content, bytes))).toBe(expected);
  });

  it('the mail register, which has no separators at the ends of its lines', async () => {
    expect(await reading('mss', mailboxes)).toBe('read');
    expect(await reading('mss', cut(mailboxes, 1))).toBe(cutAt('mss', 2));
    expect(await reading('mss', cut(mailboxes, 3))).toBe(cutAt('mss', 2));
  });
});

describe('directory data 4: FINESS text cut in its last line or behind its establishments', () => {
  const dated = (cells = {}) => finessEstablishment({ 30: '2026-10-08', ...cells });
  const coordinates = (finess: string) => `geolocalisation;${finess};1.0;2.0;BAN;2026-10-08`;
  const numbers = ['690000013', '690000039', '690000047', '690000054'];
  const establishments = numbers.map((finess) => dated({ 1: finess }));
  const withCoordinates = (count: number) => finessFile(...establishments, ...numbers.slice(0, count).map(coordinates));

  it.each([
    ['establishments', finessFile(dated(), dated())],
    ['legal entities', finessFile(finessLegalEntity({ 22: '2026-10-08' }))],
    ['coordinates', finessFile(dated(), coordinates('690000013'))],
  ])('%s: the date at the end of a line shows that it is whole', async (_kind, content) => {
    const last = content.split('\n').length - 1;
    expect(await reading('f.csv', content)).toBe('read');
    expect(await reading('f.csv', cut(content, 1))).toBe('read');
    expect(await reading('f.csv', cut(content, 3))).toBe(cutAt('f.csv', last));
    expect(await reading('f.csv', content.slice(0, -30))).toBe(cutAt('f.csv', last));
  });

  it('a file with coordinates has them for its establishments', async () => {
    const name = 'etalab-cs1100507-stock-20261008-0830.csv';
    const refusal = (count: number) =>
      `${name}, line ${5 + count}: the file ends here with coordinates for ${count} of its 4 establishments: it is truncated. Download it again.`;
    expect(await reading(name, withCoordinates(4))).toBe('read');
    // Some establishments have no coordinates, and nothing is read of them.
    expect(await reading(name, withCoordinates(2))).toBe('read');
    expect(await reading(name, withCoordinates(1))).toBe(refusal(1));
    expect(await reading(name, withCoordinates(0))).toBe(refusal(0));
    // Whatever its name, once it has any.
    expect(await reading('f.csv', withCoordinates(1))).toContain('coordinates for 1 of its 4');
    expect(await reading('f.csv', withCoordinates(0))).toBe('read');
  });
});

describe('directory data 2: lines of a register in one text', () => {
  it('a line of 64 KiB is read, a longer one is left out, and one without end refuses the file', async () => {
    const start = registerText('activities', [activity()]);
    const line = (length: number) => {
      const text = registerText('activities', [activity({ 1: '19000000026', 2: '819000000026' })]).split('\n')[1] ?? '';
      return text.replace('VICTOR HUGO', 'V'.repeat(length - Buffer.byteLength(text) + 'VICTOR HUGO'.length));
    };
    const run = async (length: number) =>
      (await bench.run([bench.file('pa', `${start}${line(length)}\n`)], { dryRun: true })).linesLeftOut.examples;
    expect(await run(1 << 16)).toEqual([]);
    expect(await run((1 << 16) + 1)).toEqual([expect.objectContaining({ line: 3, reason: 'longer than 64 KiB' })]);
    expect(await reading('pa', `${start}${'x'.repeat(5 << 20)}`)).toMatch(
      /^pa, line 3: this line goes on for more than \d\.\d MB: no register has such lines\. Take the file as published\.$/,
    );
  });
});
