// An edition of 5,000 resources and more is built in threads, one for each type, and their files are joined. Whatever the resources, that
// file and the one of its renewal have the rows that one thread writes, in every table.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import fc from 'fast-check';
import { INDEX_FIELDS, type IndexedResource, RESOURCE_TYPES, type ResourceType } from '#search-index/snapshot.ts';
import { createSnapshotWriter } from '#search-index/write/writer.ts';
import '#support/seed.ts';

const WORDS = ['rue', 'de', 'la', 'paix', 'paris', 'st', 'Élodie', 'martin', 'martine', 'mart', '75002'];
const KEYS = ['true', 'sys|a', 'sys|', '|b', 'c'];

interface Drawn {
  type: ResourceType;
  name: string[];
  keys: string[];
}
const drawn: fc.Arbitrary<Drawn> = fc.record({
  type: fc.constantFrom(...RESOURCE_TYPES),
  name: fc.array(
    fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((words) => words.join(' ')),
    { maxLength: 3 },
  ),
  keys: fc.array(fc.constantFrom(...KEYS), { maxLength: 3 }),
});

/** Whatever is drawn, each type has resources with several items, and some that the renewal changes and removes. */
const EACH = RESOURCE_TYPES.flatMap((type) =>
  Array.from({ length: 9 }, (): Drawn => ({ type, name: ['rue de paris', 'st martin'], keys: ['sys|', 'true'] })),
);

/** Every field of the type has the drawn words or keys. */
function resourceOf({ type, name, keys }: Drawn, at: number, elements: object): IndexedResource {
  const id = `r${(at * 7919) % 1009}`;
  const fields = Object.entries(INDEX_FIELDS[type]).map(([field, match]) => [field, match === 'words' ? name : keys]);
  const resource = { resourceType: type, id, name, ...elements };
  return { type, id, sortKey: name[0] ?? '', resource, index: Object.fromEntries(fields) };
}

/** Writes an edition, and upon it another one that lacks each third resource and changes each fourth. */
async function write(folder: string, all: readonly Drawn[], threadsFrom: number): Promise<string[]> {
  const limits = { inline: 2, segment: 16, longLists: 1, shortLists: 1 };
  const files: string[] = [];
  for (const [id, created, left] of [
    ['first', new Date('2026-11-20T05:00:00Z'), () => true],
    ['renewed', new Date('2026-11-21T05:00:00Z'), (at: number) => at % 3 > 0],
  ] as const) {
    const previous = files[0];
    const options = { folder, id, created, limits, threadsFrom, ...(previous !== undefined && { previous }) };
    const writer = createSnapshotWriter(options);
    for (const [at, one] of all.entries())
      if (left(at)) await writer.add(resourceOf(one, at, at % 4 === 0 ? { edition: id } : {}));
    files.push(join(folder, (await writer.finish()).file));
  }
  return files;
}

function tablesOf(file: string): Record<string, unknown[]> {
  const database = new BetterSqlite3(file, { readonly: true });
  const names = database.prepare<[], string>("select name from sqlite_master where type = 'table'").pluck().all();
  const tables = names.map((name) => [name, database.prepare(`select * from ${name} order by 1, 2`).raw().all()]);
  database.close();
  return Object.fromEntries(tables);
}

describe('a snapshot built in threads', () => {
  it('has the rows of one that was built in one thread, and so has its renewal', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { maxLength: 60 }), async (some) => {
        const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'hygie-builders-'))) as [string, string];
        try {
          const all = [...EACH, ...some];
          const [one, many] = [await write(folders[0], all, 1e6), await write(folders[1], all, 1)];
          for (const at of [0, 1]) {
            const expected = tablesOf(one[at] as string);
            expect(tablesOf(many[at] as string)).toEqual(expected);
            const empty = Object.keys(expected).filter((name) => expected[name]?.length === 0);
            expect(empty).toEqual(at === 0 ? ['gone'] : []);
          }
        } finally {
          for (const folder of folders) rmSync(folder, { recursive: true, force: true });
        }
      }),
      { numRuns: 5 },
    );
  });
});
