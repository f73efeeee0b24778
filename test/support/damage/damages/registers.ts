// Damages to an edition as a whole: registers that are missing, misnamed, half, of another day or of other people.

import { FILE_KEYS, PIPE_REGISTERS } from '#sandbox/shipped-edition.ts';
import { type EditionFiles, nameOf, withLines } from '#support/damage/edition-files.ts';
import type { Damage, Expectation } from './damage.ts';

function ofEdition(
  name: string,
  renewal: Expectation,
  apply: Damage['apply'],
  more: Pick<Damage, 'firstLoad'> = {},
): Damage {
  return { name, renewal, ...more, apply };
}

function renamed(files: EditionFiles, name: string, other: string): EditionFiles {
  const changed = new Map(files);
  changed.delete(name);
  return changed.set(other, files.get(name) as Buffer);
}

/** The content of one register under the name of another. */
function exchanged(files: EditionFiles, from: string, into: string): EditionFiles {
  return new Map(files).set(into, files.get(from) as Buffer);
}

export const REGISTERS: readonly Damage[] = [
  ofEdition('half of the register of activities', /./, (files) =>
    withLines(files, 'activities', (lines) => lines.slice(0, lines.length / 2)),
  ),
  ofEdition('half of every register of people', /./, (files) =>
    PIPE_REGISTERS.reduce((some, key) => withLines(some, key, (lines) => lines.slice(0, lines.length / 2)), files),
  ),
  ofEdition('the skills under the name of the diplomas', /./, (files) =>
    exchanged(files, nameOf(files, 'skills'), nameOf(files, 'diplomas')),
  ),
  ofEdition('two registers under the names of each other', /misnamed/, (files, { draw }) => {
    const [one, other] = draw.some(FILE_KEYS, 2).map((key) => nameOf(files, key)) as [string, string];
    return new Map([...files, [one, files.get(other) as Buffer], [other, files.get(one) as Buffer]]);
  }),
  ofEdition('a register missing', /registers|partial/, (files, { draw }) => {
    const missing = nameOf(files, draw.one(FILE_KEYS));
    return new Map([...files].filter(([name]) => name !== missing));
  }),
  ofEdition('a register still being written, by its name', /registers|partial/, (files, { draw }) => {
    const name = nameOf(files, draw.one(FILE_KEYS));
    return renamed(files, name, `${name}.part`);
  }),
  ofEdition('a register under a name that says nothing', 'same', (files, { draw }) =>
    renamed(files, nameOf(files, draw.one(PIPE_REGISTERS)), 'export 20261009.txt'),
  ),
  ofEdition('a register a second time under another name', 'same', (files, { draw }) =>
    new Map(files).set('copy 20261009.txt', files.get(nameOf(files, draw.one(FILE_KEYS))) as Buffer),
  ),
  ofEdition('a register of the year 2099, by its name', /./, (files, { draw }) => {
    const name = nameOf(files, draw.one(FILE_KEYS));
    return renamed(files, name, name.replace('2026', '2099'));
  }),
  ofEdition(
    'a register of two months ago, by its name',
    /older-edition|registers-apart|unreadable/,
    (files, { draw }) => {
      const name = nameOf(files, draw.one(PIPE_REGISTERS));
      return renamed(files, name, name.replace('20261009', '20260801'));
    },
  ),
  ofEdition(
    'the files of the day before beside them',
    'same',
    (files, { dayBefore }) => new Map([...dayBefore, ...files]),
  ),
  ofEdition(
    'the day before under the names of today, one register of other people',
    /./,
    (files, { draw, otherPeople }) => {
      const key = draw.one(PIPE_REGISTERS);
      return new Map(files).set(nameOf(files, key), otherPeople.get(nameOf(otherPeople, key)) as Buffer);
    },
  ),
  ofEdition('all registers of other people', /removed/, (_files, { otherPeople }) => otherPeople, {
    firstLoad: 'unseen',
  }),
  ofEdition(
    'a folder within the folder, and files that are none',
    'same',
    (files) =>
      new Map([
        ...files,
        ['README.md', Buffer.from('# Files\n')],
        ['thumbs.db', Buffer.from([0xd0, 0xcf, 0x11, 0xe0])],
      ]),
  ),
];
