// Damages to whole lines: lost, doubled, in another order, run together.

import { FILE_KEYS, type FileKey } from '#sandbox/shipped-edition.ts';
import { withLines } from '#support/damage/edition-files.ts';
import type { Draw } from '#support/draw.ts';
import type { Damage, Expectation } from './damage.ts';

function ofLines(
  name: string,
  renewal: Expectation,
  change: (lines: string[], draw: Draw) => string[],
  { keys = FILE_KEYS, ...more }: { keys?: readonly FileKey[] } & Pick<Damage, 'firstLoad'> = {},
): Damage {
  return {
    name,
    renewal,
    ...more,
    apply: (files, { draw }) =>
      withLines(files, draw.one(keys), ([header = '', ...lines]) => [header, ...change(lines, draw)]),
  };
}

function withoutRegion(lines: string[], draw: Draw): string[] {
  const count = Math.ceil((lines.length * draw.between(110, 500)) / 1000);
  return lines.toSpliced(draw.between(0, lines.length - count), count);
}

export const LINES: readonly Damage[] = [
  ofLines('a region of 11 to 50 % of the people lost', /./, withoutRegion, { keys: ['activities'] }),
  ofLines('a region of 11 to 50 % lost', /./, withoutRegion, { firstLoad: 'unseen' }),
  ofLines(
    '5 to 10 % of the people lost',
    /unknown-people|coverage|registers/,
    (lines, draw) => {
      const count = Math.ceil((lines.length * draw.between(60, 100)) / 1000);
      return lines.toSpliced(draw.between(0, lines.length - count), count);
    },
    { keys: ['activities'] },
  ),
  ofLines('every second line of the people lost', /./, (lines) => lines.filter((_, at) => at % 2 === 0), {
    keys: ['activities', 'diplomas'],
  }),
  ofLines('every second line lost', /./, (lines) => lines.filter((_, at) => at % 2 === 0), { firstLoad: 'unseen' }),
  ofLines('some lines twice', 'same', (lines, draw) => [...lines, ...draw.some(lines, lines.length / 5)]),
  ofLines('every line twice', 'same', (lines) => lines.flatMap((line) => [line, line])),
  ofLines('every mailbox twice', 'same', (lines) => lines.flatMap((line) => [line, line]), { keys: ['mailboxes'] }),
  ofLines('in another order', 'same', (lines, draw) => draw.some(lines, lines.length)),
  ofLines('one line a hundred thousand times', /./, (lines, draw) => [
    ...lines,
    ...Array.from({ length: 100_000 }, () => lines[0] as string),
    draw.one(lines),
  ]),
  ofLines('one line in the place of all', /./, (lines, draw) => lines.fill(draw.one(lines))),
  ofLines('every twentieth line run into the next', /unusable-lines|unreadable/, (lines) =>
    lines.flatMap((line, at) => (at % 20 === 0 ? [`${line}${lines[at + 1] ?? ''}`] : at % 20 === 1 ? [] : [line])),
  ),
  ofLines('every twentieth line broken in two', /unusable-lines|unreadable/, (lines) =>
    lines.flatMap((line, at) =>
      at % 20 === 0 ? [line.slice(0, line.length / 2), line.slice(line.length / 2)] : [line],
    ),
  ),
  ofLines('empty lines between', 'same', (lines) => lines.flatMap((line) => [line, ''])),
  {
    name: 'without its first line',
    // The first line of FINESS says no more than the name of the file.
    renewal: ['same', /unreadable|partial|registers/],
    apply: (files, { draw }) => withLines(files, draw.one(FILE_KEYS), (lines) => lines.slice(1)),
  },
  {
    name: 'two halves joined, each with its first line',
    renewal: 'same',
    apply: (files, { draw }) =>
      withLines(files, draw.one(FILE_KEYS), (lines) => lines.toSpliced(lines.length / 2, 0, lines[0] as string)),
  },
];
