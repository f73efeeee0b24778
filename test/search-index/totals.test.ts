// Totals of searches: which are counted, and which are remembered.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openSnapshot } from '#search-index/read/reader.ts';
import type { Clause, QueryWord } from '#search-index/snapshot.ts';
import { createSnapshotWriter } from '#search-index/write/writer.ts';
import { openedForAll } from '#support/opened.ts';
import { practitioner } from '#support/search-index/naive.ts';
import { writtenSnapshot } from '#support/search-index/written-snapshot.ts';

// Exact totals, left out where the caller did not ask for them and they cost more; nothing blocks for long.
describe('totals', () => {
  // A hundred segments, in each of which every word has a list.
  const PEOPLE = 2000;
  const words = Array.from({ length: 20 }, (_, at) => `w${String.fromCharCode(97 + at)}`);
  const alternatives = (count: number) => ({
    field: 'name',
    match: 'words' as const,
    anyOf: words.slice(0, count).map((prefix) => [{ prefix, whole: [] }]),
  });

  let folder: string;
  const snapshot = openedForAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hygie-totals-'));
    const writer = createSnapshotWriter({ folder, id: 'many-segments', limits: { segment: 20 } });
    for (let at = 0; at < PEOPLE; at++) {
      const id = String(at).padStart(4, '0');
      await writer.add(practitioner(id, id, { name: [at === 0 ? `${words.join(' ')} once` : words.join(' ')] }));
    }
    return openSnapshot(join(folder, (await writer.finish()).file));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
  });

  const search = (clause: Clause, total: boolean | 'unless-costly') =>
    snapshot.search({ type: 'Practitioner', clauses: [clause], limit: 5, total });

  it('that cost little are always counted, costly ones only on request, and the page is the same', async () => {
    const named = alternatives(10);
    const few = await search(named, 'unless-costly');
    // One list of one segment more.
    const costly: Clause = { ...named, anyOf: [...named.anyOf, [{ prefix: 'once', whole: [] }]] };
    const many = await search(costly, 'unless-costly');
    const asked = await search(costly, true);
    expect([few.total, many.total, asked.total]).toEqual([PEOPLE, undefined, PEOPLE]);
    expect(many.matches).toEqual(asked.matches);
    expect((await search(costly, 'unless-costly')).total).toBeUndefined();
  });

  it('of one beginning are remembered, and belong to no other search', async () => {
    const names = ['Le Gall', 'Legall', 'Legrand', 'Gall', 'St Leger', 'Saint'];
    await using written = await writtenSnapshot(
      names.map((name, at) => practitioner(`p${at}`, name, { name: [name], family: [name.slice(0, 2)] })),
      { limits: { inline: 1, longLists: 1, shortLists: 0 } },
    );
    const total = async (field: string, ...anyOf: QueryWord[][]) =>
      (
        await written.search({
          type: 'Practitioner',
          clauses: [{ field, match: 'words', anyOf }],
          limit: 1,
          total: true,
        })
      ).total;
    const legall = { prefix: 'legall', whole: [] };
    for (const _time of [1, 2]) {
      expect(await total('name', [legall])).toBe(1);
      expect(await total('name', [{ ...legall, joined: ['legall'] }])).toBe(2);
      expect(await total('name', [{ ...legall, whole: ['gall'] }])).toBe(3);
      expect(await total('name', [{ ...legall, whole: ['legall'] }])).toBe(1);
      expect(await total('name', [{ whole: ['legall', 'saint'] }])).toBe(2);
      expect(await total('family', [{ prefix: 'le', whole: [] }])).toBe(3);
      expect(await total('name', [{ prefix: 'le', whole: [] }])).toBe(4);
      expect(
        await total('name', [
          { prefix: 'le', whole: [] },
          { prefix: 'g', whole: [] },
        ]),
      ).toBe(1);
      expect(await total('name', [{ prefix: 'le', whole: [] }], [{ prefix: 'sa', whole: [] }])).toBe(5);
    }
  });

  it('of a single list and of everything are always known', async () => {
    const everything = await snapshot.search({ type: 'Practitioner', clauses: [], limit: 0, total: 'unless-costly' });
    expect([everything.total, (await search(alternatives(1), 'unless-costly')).total]).toEqual([PEOPLE, PEOPLE]);
  });
});
