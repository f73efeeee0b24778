// Large JSON files are parsed chunk by chunk, wherever the chunks end.

import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ImportError } from '#import/collect/import-error.ts';
import { type JsonValue, jsonValues } from '#import/sources/json-values.ts';
import '#support/seed.ts';

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
