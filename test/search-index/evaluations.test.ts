// What a search reads: no list twice for a total that is known, no segment that cannot match, and what is remembered is not read again.

import { describe, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { SCHEMA } from '#search-index/file-layout.ts';
import { openInstants, storeInstants } from '#search-index/last-updated-index.ts';
import { BitmapPool } from '#search-index/read/doc-id-bitmap.ts';
import {
  type EvaluatedQuery,
  evaluateQuery,
  everyMatch,
  type OrderedSpace,
} from '#search-index/read/evaluate-query.ts';
import type { OpenField, PostingList } from '#search-index/read/term-dictionary.ts';
import { cacheFieldExists } from '#search-index/read/type-reader.ts';
import { createYielder } from '#search-index/read/yield-event-loop.ts';
import type { Clause, QueryWord } from '#search-index/snapshot.ts';

/** Three segments of ten, and words with their members by segment. */
function searched(words: Record<string, Record<number, number[]>[]>) {
  const read: string[] = [];
  const totals = new Map<string, number>();
  const listOf = (word: string, members: Record<number, number[]>): PostingList => ({
    docFreq: Object.values(members).flat().length,
    segments: Object.keys(members).map(Number),
    part: (segment) => {
      read.push(`${word}${segment}`);
      return members[segment] && Uint16Array.from(members[segment]);
    },
  });
  const space = {
    segmentStarts: Uint32Array.from([0, 10, 20, 30]),
    fieldOf: (name: string) => ({ number: 1, name, kind: 'words', bits: 0 }),
    itemParents: () => undefined,
    bitmaps: new BitmapPool(),
    terms: {
      ofWord: (_field: OpenField, { prefix = '' }: QueryWord) =>
        (words[prefix] ?? []).map((members) => listOf(prefix, members)),
    },
    totals,
  } as unknown as OrderedSpace;
  const ask = async (query: Partial<EvaluatedQuery>) => {
    const found = await evaluateQuery(space, { clauses: [], limit: 9, total: true, ...query }, {});
    return { ...found, read: read.splice(0).join(' ') };
  };
  return { space, ask, totals };
}
const words = (...all: QueryWord[]): Clause => ({ field: 'name', match: 'words', anyOf: [all] });
const word = (prefix: string, more: Partial<QueryWord> = {}): QueryWord => ({ prefix, whole: [], ...more });

describe('an evaluation', () => {
  const A = [
    { 0: [1, 2], 2: [5] },
    { 0: [2], 1: [7] },
  ];
  const B = [{ 0: [2, 3], 1: [0] }];

  it('ends when the page is full, unless it counts, and leaves out segments without a match', async () => {
    const { ask } = searched({ a: A, b: B });
    expect(await ask({ clauses: [words(word('a'))], total: false, limit: 2 })).toEqual({
      positions: [1, 2],
      read: 'a0 a0',
    });
    expect(await ask({ clauses: [words(word('a'))], total: false, limit: 3 })).toEqual({
      positions: [1, 2, 17],
      read: 'a0 a0 a1 a1',
    });
    expect(await ask({ clauses: [words(word('a'), word('b'))] })).toEqual({
      positions: [2],
      total: 1,
      read: 'b0 a0 a0 b1 a1 a1',
    });
    expect(await ask({ clauses: [words(word('a')), words(word('b'))], limit: 0 })).toMatchObject({
      positions: [],
      total: 1,
    });
    const down = { by: 'alphabet', descending: true } as const;
    expect(await ask({ clauses: [words(word('a'))], total: false, limit: 1, order: down })).toEqual({
      positions: [25],
      read: 'a2 a2',
    });
    expect(await ask({ clauses: [words(word('a'))], total: false, limit: 2, after: 2 })).toMatchObject({
      positions: [17, 25],
      read: 'a0 a0 a1 a1 a2 a2',
    });
  });

  it('counts a single beginning once, and remembers it by its field and its forms', async () => {
    const { ask, totals } = searched({ a: A, b: B });
    const one = { clauses: [words(word('a'))], limit: 0 };
    expect(await ask(one)).toEqual({ positions: [], total: 4, read: 'a0 a0 a1 a1 a2 a2' });
    expect([await ask(one), await ask({ ...one, total: 'unless-costly' })]).toEqual(
      Array(2).fill({ positions: [], total: 4, read: '' }),
    );
    expect(await ask({ ...one, limit: 1 })).toEqual({ positions: [1], total: 4, read: 'a0 a0' });
    expect(await ask({ ...one, total: false })).toEqual({ positions: [], read: '' });
    expect([...totals]).toEqual([['name a +', 4]]);
    await ask({ clauses: [words(word('a', { whole: ['x', 'y'], joined: ['z'] }))], limit: 0 });
    expect([...totals.keys()]).toEqual(['name a +', 'name a x y + z']);
    // Neither two words nor two criteria are one beginning; a single list needs no counting.
    await ask({ clauses: [words(word('a'), word('b'))] });
    await ask({ clauses: [words(word('a')), words(word('b'))] });
    expect(await ask({ clauses: [words(word('b'))], limit: 0 })).toEqual({ positions: [], total: 3, read: '' });
    expect(totals.size).toBe(2);
  });

  it('of every match keeps the members of each segment', async () => {
    const { space } = searched({ a: A, b: B });
    const found = await everyMatch(space, [words(word('a')), words(word('b'))], createYielder());
    expect([found.total, found.segments.map((members) => [...members])]).toEqual([1, [[2], [], []]]);
  });
});

describe('what is remembered of an open file', () => {
  it('is which resources have a field, for all who ask', async () => {
    const { space } = searched({ '': [{ 0: [1], 2: [3] }] });
    const exists = cacheFieldExists(space);
    const field = space.fieldOf('name');
    const first = exists(field);
    expect([exists(field) === first, exists({ ...field, number: 2 }) === first]).toEqual([true, false]);
    const { total, segments } = await first;
    expect([total, segments.length]).toEqual([2, 3]);
    const all = await exists({ ...field, number: 3, name: 'id' });
    expect(all.total).toBe(30);
  });

  it('is the time of each edition in a segment; of a range only its part is read, or what is beside it', () => {
    const statements: string[] = [];
    const database = new BetterSqlite3(':memory:', { verbose: (sql) => void statements.push(String(sql)) });
    database.exec(SCHEMA);
    const order = Uint32Array.from([3, 1, 0, 2, 4]);
    const instantOf = Uint32Array.from([0, 1, 0, 1, 2]);
    storeInstants(
      database,
      7,
      { instantOf, instants: [2000, 1000, 3000] },
      { order, segmentStarts: Uint32Array.from([0, 4, 5]) },
    );
    const lookUp = openInstants(database, new BitmapPool());
    statements.length = 0;
    const found = (...ranges: { from?: number; to?: number }[]) => {
      const { docFreq, segments, part } = lookUp(7, ranges);
      const members = segments.map((segment) => {
        const some = part(segment) ?? [];
        return some instanceof Uint16Array
          ? [...some]
          : [0, 1, 2, 3].filter((member) => ((some[0] ?? 0) >>> member) & 1);
      });
      return [docFreq, segments, members, part(9), statements.splice(0).length];
    };
    // The first look reads the times of both segments.
    expect(found({ from: 1000, to: 2000 })).toEqual([2, [0], [[0, 1]], undefined, 2]);
    expect(found({ from: 2000 })).toEqual([3, [0, 1], [[2, 3], [0]], undefined, 1]);
    expect(found({})).toEqual([5, [0, 1], [[0, 1, 2, 3], [0]], undefined, 0]);
    expect(found({ to: 1000 })).toEqual([0, [], [], undefined, 0]);
    expect(found({ from: 1500, to: 2500 }, { from: 2400, to: 3001 }, { from: 5, to: 5 })).toEqual([
      3,
      [0, 1],
      [[2, 3], [0]],
      undefined,
      1,
    ]);
    database.close();
  });
});
