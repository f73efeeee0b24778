// Damages to the bytes of a file, whatever it holds: downloads that break off, disks, programs that store it in another encoding.

import { gzipSync } from 'node:zlib';
import { FILE_KEYS, type FileKey } from '#sandbox/shipped-edition.ts';
import { withContent } from '#support/damage/edition-files.ts';
import type { Draw } from '#support/draw.ts';
import type { Damage, Expectation } from './damage.ts';

type Change = (content: Buffer, draw: Draw) => Buffer;

interface Where extends Pick<Damage, 'firstLoad'> {
  /** Files one of which is damaged; absent: any. */
  keys?: readonly FileKey[];
}

function ofBytes(
  name: string,
  renewal: Expectation,
  change: Change,
  { keys = FILE_KEYS, ...more }: Where = {},
): Damage {
  return {
    name,
    renewal,
    ...more,
    apply: (files, { draw }) => withContent(files, draw.one(keys), (content) => change(content, draw)),
  };
}

/** Files of many blocks. */
const LARGE: Where = { keys: ['activities', 'diplomas', 'mailboxes'] };
const PEOPLE: Where = { keys: ['activities'] };
/** Nothing before it says how much there should be, and other registers hold only some of its people. */
const ANY: Where = { firstLoad: 'unseen' };
const cutAtLine: Change = (content, draw) => content.subarray(0, lineStart(content, place(content, draw, 0.3, 0.85)));
const withoutRegion: Change = (content, draw) => {
  const start = place(content, draw, 0.1, 0.5);
  return Buffer.concat([content.subarray(0, start), content.subarray(start + content.length * 0.15)]);
};
const withBlanks: Change = (content, draw) => {
  const start = place(content, draw, 0.1, 0.5);
  return Buffer.from(content).fill(32, start, start + Math.floor(content.length * 0.15));
};
const withZeros: Change = (content, draw) => {
  const start = place(content, draw, 0.1, 0.7);
  return Buffer.from(content).fill(0, start, start + Math.min(BLOCK, content.length >> 2));
};

const NEWLINE = 10;
const BLOCK = 4096;
const place = (content: Buffer, draw: Draw, from = 0.02, to = 0.98) =>
  draw.between(Math.ceil(content.length * from), Math.floor(content.length * to));
const lineStart = (content: Buffer, at: number) => content.lastIndexOf(NEWLINE, at) + 1;
const headerEnd = (content: Buffer) => content.indexOf(NEWLINE) + 1;

export const BYTES: readonly Damage[] = [
  ofBytes('cut at any byte', /unreadable|registers/, (content, draw) =>
    content.subarray(0, place(content, draw, 0.02, 0.9)),
  ),
  ofBytes('people cut at the end of a line', /./, cutAtLine, PEOPLE),
  ofBytes('cut at the end of a line', /./, cutAtLine, ANY),
  ofBytes('cut behind its first line', /./, (content) => content.subarray(0, headerEnd(content))),
  ofBytes('cut within its first line', /unreadable|partial|registers/, (content, draw) =>
    content.subarray(0, draw.between(3, headerEnd(content) - 3)),
  ),
  ofBytes('cut within its last line', /./, (content, draw) =>
    content.subarray(0, content.length - draw.between(2, content.length - lineStart(content, content.length - 2) - 2)),
  ),
  ofBytes('cut before its last line break and separator', /./, (content) =>
    content.subarray(0, content.at(-2) === 124 ? -2 : -4),
  ),
  ofBytes('without its last line break', ['same', /unreadable/], (content) => content.subarray(0, -1)),
  ofBytes('empty', /./, () => Buffer.alloc(0)),
  ofBytes('as many zeros', /./, (content) => Buffer.alloc(content.length)),
  ofBytes('a hole of zeros among people', /./, withZeros, PEOPLE),
  ofBytes('a hole of zeros', /./, withZeros),
  ofBytes('a hole of blanks among people', /./, withBlanks, PEOPLE),
  ofBytes('a hole of blanks', /./, withBlanks, ANY),
  ofBytes('a region of people lost', /./, withoutRegion, PEOPLE),
  ofBytes('a region lost', /./, withoutRegion, ANY),
  ofBytes('bits flipped', /./, (content, draw) => {
    const flipped = Buffer.from(content);
    for (let at = draw.between(0, 60); at < flipped.length; at += draw.between(1, 300))
      flipped[at] = (flipped[at] ?? 0) ^ (1 << draw.between(0, 7));
    return flipped;
  }),
  ofBytes(
    'its blocks in another order',
    /./,
    (content, draw) => {
      const blocks = Array.from({ length: Math.ceil(content.length / BLOCK) }, (_, at) =>
        content.subarray(at * BLOCK, (at + 1) * BLOCK),
      );
      return Buffer.concat(draw.some(blocks, blocks.length));
    },
    LARGE,
  ),
  ofBytes(
    'each block twice',
    /./,
    (content) =>
      Buffer.concat(
        Array.from({ length: Math.ceil(content.length / BLOCK) }, (_, at) =>
          content.subarray(at * BLOCK, (at + 1) * BLOCK),
        ).flatMap((block) => [block, block]),
      ),
    LARGE,
  ),
  ofBytes('random bytes', /./, (content, draw) => Buffer.from(content.map(() => draw.between(0, 255)))),
  ofBytes('an error page of a proxy', /./, () =>
    Buffer.from('<!DOCTYPE html>\n<html><body><h1>502 Bad Gateway</h1></body></html>\n'),
  ),
  ofBytes('an error as JSON', /./, () => Buffer.from('{"error":"not found","status":404}\n')),
  ofBytes('lines that end as on Windows', 'same', (content) =>
    Buffer.from(content.toString().replaceAll('\n', '\r\n')),
  ),
  ofBytes('a byte order mark', 'same', (content) => Buffer.concat([Buffer.from('\uFEFF'), content])),
  ofBytes('in UTF-16', /unreadable/, (content) => Buffer.from(`\uFEFF${content}`, 'utf16le')),
  ofBytes('in Latin-1', ['same', /unreadable/], (content) => Buffer.from(content.toString(), 'latin1')),
  ofBytes('packed with gzip', 'same', (content) => gzipSync(content)),
  ofBytes('packed with gzip and cut', /unreadable/, (content, draw) => {
    const packed = gzipSync(content);
    return packed.subarray(0, place(packed, draw, 0.1, 0.99));
  }),
  ofBytes('packed with gzip, one bit flipped', /unreadable/, (content, draw) => {
    const packed = gzipSync(content);
    const at = place(packed, draw, 0.1, 0.99);
    packed[at] = (packed[at] ?? 0) ^ (1 << draw.between(0, 7));
    return packed;
  }),
];
