// Issue 3, "Load": large JSON files are cut into pieces chunk by chunk, wherever the chunks end.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createSplitter, JsonSyntaxError } from '../../../src/import/sources/json-stream.ts';
import { type JsonPiece, jsonLines, withoutMark } from '../../../src/import/sources/ndjson.ts';
import '../../support/seed.ts';

function chunksOf(bytes: Buffer, size: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}

const textOf = ({ bytes }: JsonPiece) => bytes?.toString('utf8');

function split(text: string, size: number, limit = 1 << 20) {
  const splitter = createSplitter({ array: 'entry', limit });
  const pieces: JsonPiece[] = [];
  const members: Record<string, string> = {};
  for (const chunk of chunksOf(Buffer.from(text), size)) {
    const found = splitter.push(chunk);
    pieces.push(...found.pieces);
    for (const { key, bytes } of found.members) members[key] = bytes.toString('utf8');
  }
  splitter.end();
  return { pieces, members, keys: splitter.keys };
}

const jsonValue = fc.jsonValue({ maxDepth: 3 });

describe('issue 3: elements of an array of the root object', () => {
  it('come out whole, in order and numbered, for any values, layout and size of chunks', () => {
    fc.assert(
      fc.property(
        fc.array(jsonValue, { maxLength: 6 }),
        fc.dictionary(
          fc.string().filter((key) => key !== 'entry'),
          jsonValue,
          { maxKeys: 3 },
        ),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(undefined, 2, '\t'),
        fc.boolean(),
        (elements, others, size, indent, last) => {
          const root = last ? { ...others, entry: elements } : { entry: elements, ...others };
          const { pieces, members, keys } = split(JSON.stringify(root, null, indent), size);
          expect(pieces.map(({ number }) => number)).toEqual(elements.map((_, index) => index + 1));
          expect(pieces.map((piece) => JSON.parse(textOf(piece) ?? ''))).toEqual(JSON.parse(JSON.stringify(elements)));
          const found = Object.fromEntries(Object.entries(members).map(([key, text]) => [key, JSON.parse(text)]));
          expect(found).toEqual(JSON.parse(JSON.stringify(others)));
          expect(new Set(keys)).toEqual(new Set(Object.keys(root)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('looks for the name at the root alone, and is not misled by texts', () => {
    const text = String.raw`{"a":{"entry":[1]},"b":["entry",[2]],"entry":[{"entry":[3,"]}"]}],"c":"\"entry\":[4]"}`;
    for (let size = 1; size <= text.length; size++) {
      expect(split(text, size).pieces.map(textOf)).toEqual(['{"entry":[3,"]}"]}']);
    }
  });

  it('passes over a piece that is too large without holding it, and takes the next', () => {
    const { pieces } = split(`{"entry":[{"a":"${'x'.repeat(5000)}"},{"b":1}]}`, 64, 1000);
    expect(pieces.map(({ number }) => number)).toEqual([1, 2]);
    expect(pieces.map(textOf)).toEqual([undefined, '{"b":1}']);
  });

  it.each([
    ['{"entry":[{"a":1},{"a":', 'ends before it is closed'],
    ['{"entry":[{"a":1}]', 'ends before it is closed'],
    ['', 'ends before it is closed'],
    ['[{"a":1}]', 'is not a JSON object'],
    ['{"entry":[{"a":1}]} {', 'something follows'],
    ['{"entry":[{"a":1} {"b":1}]}', 'a comma is missing'],
    ['{"entry":[{"a":[1}]}', 'brackets do not match'],
    ['{"entry" [1]}', 'a colon is missing'],
    ['{entry:[1]}', 'a name is missing'],
    ['{"a":,"entry":[1]}', 'a value is missing'],
    [`{"entry":[${'['.repeat(600)}`, 'levels deep'],
  ])('refuses %j', (text, message) => {
    for (const size of [1, 7, 1000]) {
      expect(() => split(text, size)).toThrow(JsonSyntaxError);
      expect(() => split(text, size)).toThrow(message);
    }
  });

  it('says how many elements were whole', () => {
    const fault = (() => {
      try {
        split('{"entry":[1,2,{"a":', 3);
      } catch (error) {
        return error;
      }
    })();
    expect((fault as JsonSyntaxError).element).toBe(2);
  });
});

describe('issue 3: lines of NDJSON', () => {
  async function linesOf(text: string, size: number, limit = 1 << 20) {
    const found: { number: number; text: string | undefined; finished: boolean }[] = [];
    const stream = (async function* () {
      yield* chunksOf(Buffer.from(text), size);
    })();
    for await (const lines of jsonLines(withoutMark(stream), limit)) {
      for (const line of lines) found.push({ number: line.number, text: textOf(line), finished: line.finished });
    }
    return found;
  }

  it('are numbered as in the file; empty ones are left out; a mark at the beginning and CRLF are none of theirs', async () => {
    for (const size of [1, 2, 3, 5, 100]) {
      expect(await linesOf('\ufeff{"a":1}\r\n\n  \n{"b":"é"}\n{"c":3}', size)).toEqual([
        { number: 1, text: '{"a":1}', finished: true },
        { number: 4, text: '{"b":"é"}', finished: true },
        { number: 5, text: '{"c":3}', finished: false },
      ]);
    }
  });

  it('one that is too large is noted and not held', async () => {
    expect(await linesOf(`{"a":1}\n${'x'.repeat(3000)}\n{"b":2}\n`, 100, 1000)).toEqual([
      { number: 1, text: '{"a":1}', finished: true },
      { number: 2, text: undefined, finished: true },
      { number: 3, text: '{"b":2}', finished: true },
    ]);
  });
});
