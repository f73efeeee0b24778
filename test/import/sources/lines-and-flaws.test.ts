// How bytes become lines and cells, and what a parser of JSON would hide.

import { describe, expect, it } from '@jest/globals';
import { flawsOf, isObject, jsonValues, repeatedIssue } from '#import/sources/json-values.ts';
import { cellBounds, eachLine, type LineBlock, lineBlocks, PIPE } from '#import/sources/lines.ts';

async function* streamOf(...chunks: (string | Buffer)[]) {
  for (const chunk of chunks) yield Buffer.from(chunk as string);
}

describe('import: blocks of lines', () => {
  const blocksOf = async (...chunks: (string | Buffer)[]) => {
    const blocks: LineBlock[] = [];
    for await (const block of lineBlocks(streamOf(...chunks))) blocks.push(block);
    return blocks.map(({ bytes, ...rest }) => ({ ...rest, text: bytes.toString('latin1') }));
  };
  const block = (text: string, firstLine: number, more: object = {}) => ({
    text,
    firstLine,
    utf8: true,
    unfinished: false,
    endless: false,
    ...more,
  });

  it('are whole lines, without a byte order mark at the beginning', async () => {
    expect(await blocksOf('\ufeffa\nb', 'c\n', '\n\n', 'd')).toEqual([
      block('a\n', 1),
      block('bc\n', 2),
      block('\n\n', 3),
      block('d', 5, { unfinished: true }),
    ]);
    expect(await blocksOf('\ufeff')).toEqual([]);
    expect(await blocksOf('\ufeffa')).toEqual([block('a', 1, { unfinished: true })]);
    expect(await blocksOf('\ufeff'.repeat(2), 'a\n')).toEqual([block('\u00ef\u00bb\u00bfa\n', 1)]);
    expect(await blocksOf('a\n', '\ufeffb\n')).toEqual([block('a\n', 1), block('\u00ef\u00bb\u00bfb\n', 2)]);
  });

  it('say whether they are UTF-8', async () => {
    expect(await blocksOf(Buffer.from('é\n', 'latin1'), 'é\n', Buffer.from('é', 'latin1'))).toEqual([
      block('é\n', 1, { utf8: false }),
      block('\u00c3\u00a9\n', 2),
      block('é', 3, { utf8: false, unfinished: true }),
    ]);
  });

  it('are parts of a line that is longer than four mebibytes', async () => {
    const part = 'x'.repeat(1 << 20);
    const blocks = await blocksOf('a\n', part, part, part, part, 'y\n');
    expect(blocks.map(({ text, ...rest }) => [text.length, rest])).toEqual([
      [2, { utf8: true, firstLine: 1, unfinished: false, endless: false }],
      [4 << 20, { utf8: true, firstLine: 2, unfinished: false, endless: true }],
      [2, { utf8: true, firstLine: 2, unfinished: false, endless: false }],
    ]);
  });

  it('have lines with their numbers, and lines have cells', () => {
    const bytes = Buffer.from('a\r\n\n\r\nb\r');
    const lines: unknown[] = [];
    eachLine({ bytes, utf8: true, firstLine: 7, unfinished: true, endless: false }, (start, end, line) =>
      lines.push([bytes.toString('utf8', start, end), line]),
    );
    expect(lines).toEqual([
      ['a', 7],
      ['', 8],
      ['', 9],
      ['b', 10],
    ]);
    const line = Buffer.from('x|a|  b c ||d |y|');
    const cells = [0, 1, 2, 3, 4].map((index) => {
      const bounds = cellBounds(line, 2, 14, index);
      return bounds && line.toString('utf8', ...bounds);
    });
    expect([...cells, PIPE]).toEqual(['a', 'b c', '', 'd', undefined, 124]);
    expect(cellBounds(Buffer.from('   '), 0, 3, 0)).toEqual([3, 3]);
  });
});

describe('import: what a parser of JSON would hide', () => {
  it.each<[string, object]>([
    ['{"a":1,"b":{"a":2}}', {}],
    ['[{"a":1},{"a":2}]', {}],
    ['{"a":1,"a":2}', { repeated: 'a' }],
    ['{"a":1,"b":[{"c":1,"c":2}],"a":2}', { repeated: 'c' }],
    ['{"a" : 1, "a" : 2}', { repeated: 'a' }],
    ['{"a":"\\":","b":1}', {}],
    ['{"\\u0061":1,"a":2}', { repeated: 'a' }],
    ['[1.5,-2,0,1e21]', { rewritten: '1e21' }],
    ['{"a":1.0,"b":2.50}', { rewritten: '1.0' }],
    ['{"a": 1E2}', { rewritten: '1E2' }],
    ['{"a":-0.0}', { rewritten: '-0.0' }],
    ['{"a":1e-7}', {}],
    ['{"a":0.0000001}', { rewritten: '0.0000001' }],
    ['{"a":9007199254740993,"b":1.0}', { beyond: '9007199254740993', rewritten: '1.0' }],
    ['{"a":1234567890123456}', {}],
    ['{"a":0.12345678901234567891}', { beyond: '0.12345678901234567891' }],
    ['{"a":-1e400}', { beyond: '-1e400' }],
    ['"1.0"', {}],
    ['1.0', {}],
    ['null', {}],
  ])('%s: %j', (text, flaws) => expect(flawsOf(text, JSON.parse(text))).toEqual(flaws));

  it('a member that stands twice is said with its first 40 letters', () => {
    expect([repeatedIssue({}), repeatedIssue({ repeated: 'x'.repeat(50) })]).toEqual([
      undefined,
      `the member "${'x'.repeat(40)}" stands twice in one object`,
    ]);
    expect([isObject({}), isObject([]), isObject(null), isObject('x')]).toEqual([true, false, false, false]);
  });

  it('arrays are chosen by name, and their elements numbered over all of them', async () => {
    const values: unknown[] = [];
    const selection = { array: (name: string) => name.startsWith('a'), members: ['type'], unit: 'entry' };
    const text = '{"type":"x","a":[1,1.0],"b":[2],"a2":[{"c":1,"c":2}],"d":3}';
    for await (const some of jsonValues(streamOf(text.slice(0, 20), text.slice(20)), 'f', selection))
      values.push(...some);
    expect(values).toEqual([
      { key: 'type', value: 'x', flaws: {} },
      { key: 1, value: 1, flaws: {} },
      { key: 2, value: 1, flaws: { rewritten: '1.0' } },
      { key: 3, value: { c: 2 }, flaws: { repeated: 'c' } },
    ]);
  });

  const readAll = async (...chunks: string[]) => {
    let count = 0;
    for await (const values of jsonValues(streamOf(...chunks), 'f.json', { array: 'e', unit: 'entry' }))
      count += values.length;
    return count;
  };
  it.each([
    [
      ['{"e":[1,2,'],
      'f.json: behind entry 2: it ends before it is closed: it is truncated. Download or export it again.',
    ],
    [
      ['{"e":[1],"e":[2]}'],
      'f.json: behind entry 1: it is not valid JSON in UTF-8 (the member "e" stands twice). Download or export it again.',
    ],
    [
      [`{"e":[${'['.repeat(99)}`],
      'behind entry 0: it is not valid JSON in UTF-8 (more than 100 objects and arrays lie within each other).',
    ],
    [
      ['{"e":[1,"', ...Array.from({ length: 17 }, () => 'x'.repeat(1 << 20))],
      'f.json: behind entry 1: the next one is larger than 16 MiB.',
    ],
  ])('%#: is refused', async (chunks, message) => {
    await expect(readAll(...chunks)).rejects.toThrow(message);
  });

  it('sixteen mebibytes between two values are read', async () => {
    const parts = Array.from({ length: 15 }, () => 'x'.repeat(1 << 20));
    expect(await readAll('{"e":[1', ',"', ...parts, '",', '2]}')).toBe(3);
  });
});
