// Resources that the hash of a key finds wrongly: the resource decides, at once or when it comes onto a page, and is asked no more than needed.

import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openSnapshot } from '#search-index/read/reader.ts';
import type { Clause, SearchQuery } from '#search-index/snapshot.ts';
import { practitioner } from '#support/search-index/naive.ts';
import { writtenFile } from '#support/search-index/written-snapshot.ts';

describe('a key whose hash others have', () => {
  /** People who stand in the index under the keys; those of `true` have them, too. */
  async function people(all: readonly boolean[], index: Record<string, string[]>, segment = 64_000) {
    const file = await writtenFile(
      all.map((has, at) => practitioner(`p${String(at).padStart(2, '0')}`, '', index, { has })),
      { limits: { segment } },
    );
    const asked: [field: string, keys: string, has: boolean][] = [];
    const hasKey = (_type: string, field: string, keys: ReadonlySet<string>, json: string) => {
      const { has } = JSON.parse(json);
      asked.push([field, [...keys].join(), has]);
      return has;
    };
    const snapshot = await openSnapshot(join(file), { hasKey });
    const search = async (clause: Clause, more: Partial<SearchQuery> = {}) => {
      const {
        matches,
        total,
        more: further,
      } = await snapshot.search({
        type: 'Practitioner',
        clauses: [clause],
        limit: 50,
        total: true,
        ...more,
      });
      return { ids: matches.map(({ id }) => Number(id.slice(1))), total, more: further, asked: asked.splice(0).length };
    };
    return { search, asked, snapshot };
  }
  const exact = (field: string, ...anyOf: string[]): Clause => ({ field, match: 'exact', anyOf });
  const flags = (count: number, ...has: number[]) => Array.from({ length: count }, (_, at) => has.includes(at));
  const KEYS = { identifier: ['sys|1', 'sys|'], telecom: ['01', 'phone|01', 'phone|'] };

  it.each([64_000, 3])(
    'is asked for of each of up to eight when it is looked up, once (segments of %i)',
    async (segment) => {
      const { search } = await people(flags(8, 0, 5), KEYS, segment);
      expect(await search(exact('identifier', 'sys|1'))).toEqual({ ids: [0, 5], total: 2, more: false, asked: 8 });
      expect(await search(exact('identifier', 'sys|1'), { limit: 1 })).toEqual({
        ids: [0],
        total: 2,
        more: true,
        asked: 6,
      });
      expect(await search(exact('identifier', 'none'))).toMatchObject({ ids: [], total: 0, asked: 0 });
    },
  );

  it('that nobody has finds nobody, and one that all have needs no other list', async () => {
    const none = await people(flags(12), KEYS);
    expect(await none.search(exact('identifier', 'sys|1'))).toEqual({ ids: [], total: 0, more: false, asked: 12 });
    const all = await people(flags(3, 0, 1, 2), KEYS);
    expect(await all.search(exact('identifier', 'sys|1'))).toMatchObject({ ids: [0, 1, 2], total: 3, asked: 3 });
  });

  it('of more than eight, the first decides for all, and those on the page are asked', async () => {
    const { search } = await people(flags(9, 0, 1, 3), KEYS);
    expect(await search(exact('identifier', 'sys|1'))).toEqual({ ids: [0, 1, 3], total: 3, more: false, asked: 9 });
    // Those on other pages are believed.
    expect(await search(exact('identifier', 'sys|1'), { limit: 4 })).toMatchObject({
      ids: [0, 1, 3],
      total: 8,
      more: true,
    });
    const { search: later } = await people(flags(10, 1, 2), KEYS);
    expect(await later(exact('identifier', 'sys|1'), { limit: 1 })).toMatchObject({ ids: [1], total: 2, more: true });
  });

  it('is asked for of all where a search is for those without it, or for a contact with its system', async () => {
    const { search } = await people(flags(9, 0, 1, 3), KEYS);
    const without = { ...exact('identifier', 'sys|1'), not: true } as Clause;
    expect(await search(without)).toMatchObject({ ids: [2, 4, 5, 6, 7, 8], total: 6, asked: 9 });
    const { search: contacts, asked } = await people(flags(9, 0, 1, 3), KEYS);
    const found = contacts(exact('telecom', 'phone|01'), { limit: 1 });
    expect(await found).toMatchObject({ ids: [0], total: 3, more: true, asked: 9 });
    await contacts(exact('telecom', '01', 'phone|01'));
    expect(asked).toEqual([]);
  });

  it('of a whole system, of a kind with few keys, and of an id needs no resource', async () => {
    const index = { ...KEYS, active: ['true'] };
    const { search } = await people(flags(3, 0), index);
    for (const clause of [exact('identifier', 'sys|'), exact('active', 'true'), exact('id', 'p00', 'p01', 'p02')])
      expect(await search(clause)).toMatchObject({ ids: [0, 1, 2], total: 3, asked: 0 });
    // One of several keys may be a system: nothing on the page is left out.
    expect(await search(exact('identifier', 'sys|', 'sys|1'))).toMatchObject({ ids: [0, 1, 2], total: 3 });
  });
});
