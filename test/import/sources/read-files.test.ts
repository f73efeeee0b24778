// Directory import: files that cannot be read, JSON in chunks, and the characters of a text.

import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ImportError } from '#import/collect/import-error.ts';
import { listInputs } from '#import/sources/inputs.ts';
import { type JsonValue, jsonValues } from '#import/sources/json-values.ts';
import { zip } from '#support/import/archive.ts';
import { activity, openBench, registerText } from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';
import '#support/seed.ts';
import { cleanText } from '#import/sources/clean-text.ts';

// Directory data, section 4: a file that cannot be read is named, with what is wrong in words and the remedy, whichever step
// meets the error; errors that may go away later differ from those that somebody must correct.
describe('import: errors of reading', () => {
  const bench = openedForEach(openBench);

  const content = registerText('activities', [activity()]);
  const messageOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'read',
      (error: Error) => (error instanceof ImportError ? '' : 'raw ') + error.message.replaceAll(`${bench.folder}/`, ''),
    );

  describe('directory data 4: files that cannot be read', () => {
    it('gone, or another thing in its place, between being listed and being read', async () => {
      for (const [name, bytes] of [
        ['pa.txt', content],
        ['pa.zip', zip('pa.txt', Buffer.from(content))],
      ] as const) {
        const [input] = await listInputs([bench.file(name, bytes)]);
        const read = async () => {
          for await (const _ of (await input?.open(() => {})) ?? []);
        };
        rmSync(join(bench.folder, name));
        expect(await messageOf(read())).toMatch(new RegExp(`^${name}: is not there any more`));
        mkdirSync(join(bench.folder, name));
        expect(await messageOf(read())).toMatch(
          new RegExp(`^${name}: (is a folder now|was changed while it was read)`),
        );
      }
    });

    it('links that lead nowhere or in circles, and paths through files', async () => {
      const folder = join(bench.folder, 'in');
      mkdirSync(folder);
      symlinkSync('round', join(folder, 'round'));
      expect(await messageOf(bench.run([folder]))).toBe(
        'in/round: is a link that leads back to itself. Repair it, or remove it from the folder.',
      );
      bench.file('pa.txt', content);
      expect(await messageOf(bench.run([join(bench.folder, 'pa.txt', 'inner')]))).toBe(
        'pa.txt/inner: is not there: a part of its path is a file. Check the path.',
      );
    });
  });
});

// Large JSON files are parsed chunk by chunk, wherever the chunks end.
describe('import: JSON in chunks', () => {
  async function read(text: string, size: number): Promise<JsonValue[]> {
    const bytes = Buffer.from(text);
    const found: JsonValue[] = [];
    const selection = { array: 'entry', members: ['type'], unit: 'entry' };
    for await (const values of jsonValues(chunks(), 'x', selection)) found.push(...values);
    return found;

    async function* chunks() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
  }

  it('gives the elements numbered and in order, and the wanted members of the root alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(undefined, 2),
        async (elements, size, indent) => {
          const root = { a: { entry: [1], type: 'no' }, entry: elements, type: 'batch', b: 'entry' };
          expect(await read(JSON.stringify(root, null, indent), size)).toEqual([
            ...(JSON.parse(JSON.stringify(elements)) as unknown[]).map((value, index) => ({
              key: index + 1,
              value,
              flaws: {},
            })),
            { key: 'type', value: 'batch', flaws: {} },
          ]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each([
    ['{"entry":[{"a":1},{"a":', 'x: behind entry 1: it ends before it is closed: it is truncated'],
    ['{"entry":[{"a":1}]} {', 'x: behind entry 1: it is not valid JSON'],
    ['{"entry":[{"a":1} {"b":1}]}', 'x: behind entry 1: it is not valid JSON'],
    ['{entry:[1]}', 'x: behind entry 0: it is not valid JSON'],
  ])('refuses %j', async (text, message) => {
    for (const size of [1, 7, 1000]) {
      await expect(read(text, size)).rejects.toThrow(ImportError);
      await expect(read(text, size)).rejects.toThrow(message);
    }
  });
});

// Directory import: what is done to the characters of a register's text, one class after the other; and what is odd in FHIR.
it.each([
  ['plain', "D'HERVÉ-Œuvre ² ß ﬁ ’ €", "D'HERVÉ-Œuvre ² ß ﬁ ’ €", []],
  ['control characters, C1 too', 'a\u0000\u0007b\u0085c', 'a b c', ['control-character']],
  ['zero-width characters', 'a\u200bb\u200cc\u200dd\u2060e\ufefff', 'abcdef', ['invisible-character']],
  ['soft hyphens, marks of direction', 'a\u00adb\u200e\u202a\u202c\u2066\u2069c', 'abc', ['invisible-character']],
  ['fillers, noncharacters, annotations', 'a\u3164\u034f\ufdd0\uffff\ufff9b', 'ab', ['invisible-character']],
  ['blanks of all kinds', 'a\u00a0b\u202fc\u2007d\u3000e\u2028f', 'a b c d e f', ['unusual-form']],
  ['accents apart', 'E\u0301\u0327', '\u0228\u0301', ['unusual-form']],
  ['half a character', 'a\ud800b\udc00', 'a\ufffdb\ufffd', ['broken-character']],
  ['a whole one', 'a\ud83d\ude00', 'a\ud83d\ude00', []],
  ['all at once', '\u0001\u200b\u00a0', '  ', ['control-character', 'invisible-character', 'unusual-form']],
])("a register's text %s", (_, text, kept, kinds) => {
  const heard: string[] = [];
  expect(cleanText(text, (kind) => heard.push(kind))).toBe(kept);
  expect(heard).toEqual(kinds);
});
