// Pages of results: what is on them, and how many resources are read for them.

import { describe, expect, it } from '@jest/globals';
import { searchPage } from '#search-index/read/result-page.ts';
import type { SearchQuery, StoredResource } from '#search-index/snapshot.ts';

describe('a page of results', () => {
  /** Resources of which every one matches the clauses, and `hasTexts` decides. */
  function source(count: number, hasTexts: (position: number) => boolean = () => true, hasKeys = hasTexts) {
    const read: number[] = [];
    const resource = (position: number) => ({ position }) as StoredResource;
    return {
      read: (position: number) => {
        read.push(position);
        return resource(position);
      },
      space: {
        segmentStarts: Uint32Array.from([0, Math.min(count, 60_000), ...(count > 60_000 ? [count] : [])]),
      } as never,
      hasKeys: ({ position }: StoredResource) => hasKeys(position),
      hasTexts: ({ position }: StoredResource) => hasTexts(position),
      abandoned: () => false,
      reads: () => read.splice(0).length,
    };
  }
  const query = (more: Partial<SearchQuery> = {}): SearchQuery => ({
    type: 'Practitioner',
    clauses: [],
    limit: 3,
    total: true,
    ...more,
  });
  const exactly = [{ field: 'name', texts: ['x'] }];
  const page = async (of: ReturnType<typeof source>, asked: SearchQuery) => {
    const { matches, ...rest } = await searchPage(of, asked);
    return { positions: matches.map(({ position }) => position), ...rest };
  };

  it('has what follows or precedes, in order, and says whether there is more', async () => {
    expect(await page(source(10), query())).toEqual({ positions: [0, 1, 2], more: true, total: 10 });
    expect(await page(source(3), query())).toEqual({ positions: [0, 1, 2], more: false, total: 3 });
    expect(await page(source(10), query({ after: 7, total: false }))).toEqual({ positions: [8, 9], more: false });
    expect(await page(source(10), query({ before: 5 }))).toEqual({ positions: [2, 3, 4], more: true, total: 10 });
    expect(await page(source(10), query({ before: 2 }))).toEqual({ positions: [0, 1], more: false, total: 10 });
    // A link of another snapshot may name a position that is beyond the last one of this snapshot.
    expect(await page(source(10), query({ before: 12 }))).toEqual({ positions: [7, 8, 9], more: true, total: 10 });
    expect(await page(source(10), query({ after: 12 }))).toEqual({ positions: [], more: false, total: 10 });
    expect(await page(source(10), query({ limit: 0 }))).toEqual({ positions: [], more: true, total: 10 });
    expect(await page(source(60_002), query({ after: 59_998 }))).toEqual({
      positions: [59_999, 60_000, 60_001],
      more: false,
      total: 60_002,
    });
    expect(await page(source(60_002), query({ before: 60_001 }))).toMatchObject({
      positions: [59_998, 59_999, 60_000],
      more: true,
    });
    const descending = { by: 'alphabet', descending: true } as const;
    expect(await page(source(10), query({ order: descending }))).toEqual({
      positions: [9, 8, 7],
      more: true,
      total: 10,
    });
    expect(await page(source(10), query({ order: descending, before: 7 }))).toEqual({
      positions: [9, 8],
      more: false,
      total: 10,
    });
    expect(await page(source(10), query({ order: descending, after: 2 }))).toEqual({
      positions: [1, 0],
      more: false,
      total: 10,
    });
  });

  it('leaves out what a hash found wrongly, also of its total', async () => {
    const odd = source(
      10,
      () => true,
      (position) => position !== 1,
    );
    expect(await page(odd, query())).toEqual({ positions: [0, 2], more: true, total: 9 });
  });

  it('of exact texts reads as many as decide, and counts them where that is wanted or costs little', async () => {
    const even = (position: number) => position % 2 === 0;
    expect(await page(source(10, even), query({ exactly }))).toEqual({ positions: [0, 2, 4], more: true, total: 5 });
    expect(await page(source(6, even), query({ exactly }))).toEqual({ positions: [0, 2, 4], more: false, total: 3 });
    expect(await page(source(10, even), query({ exactly, total: false }))).toEqual({
      positions: [0, 2, 4],
      more: true,
    });
    expect(await page(source(6, even), query({ exactly, total: false }))).toEqual({
      positions: [0, 2, 4],
      more: false,
    });
    expect(await page(source(10, even), query({ exactly, after: 4 }))).toEqual({
      positions: [6, 8],
      more: false,
      total: 5,
    });
    expect(await page(source(10, even), query({ exactly, before: 8 }))).toEqual({
      positions: [2, 4, 6],
      more: true,
      total: 5,
    });
    const cheap = query({ exactly, total: 'unless-costly' });
    expect(await page(source(1000, even), cheap)).toEqual({ positions: [0, 2, 4], more: true, total: 500 });
    expect(await page(source(1001, even), cheap)).toEqual({ positions: [0, 2, 4], more: true });
    expect(await page(source(1001, even), query({ exactly }))).toMatchObject({ total: 501 });
    const wrong = source(
      10,
      () => true,
      (position) => position !== 1,
    );
    expect(await page(wrong, query({ exactly }))).toEqual({ positions: [0, 2, 3], more: true, total: 9 });
  });

  it('reads in batches that grow, and 20,000 resources at most', async () => {
    const none = (count: number) => source(count, () => false);
    const all = none(20_000);
    expect([await page(all, query({ exactly, total: false })), all.reads()]).toEqual([
      { positions: [], more: false },
      20_000,
    ]);
    const many = none(20_001);
    await expect(page(many, query({ exactly, total: false }))).rejects.toThrow(
      'more than 20000 resources would have to be read: narrow the search by another criterion, and leave _total out',
    );
    expect(many.reads()).toBe(20_000);
    const few = source(5000);
    expect([await page(few, query({ exactly, total: false })), few.reads()]).toMatchObject([
      { positions: [0, 1, 2] },
      4,
    ]);
  });
});
