// How a search is planned: the rarest criterion first, upper bounds of its matches, the segments in question, and totals that need no reading.

import { describe, expect, it } from '@jest/globals';
import {
  knownTotal,
  partsOf,
  planClauses,
  type ResourceSet,
  resourceSet,
  type SearchSpace,
} from '#search-index/read/query-plan.ts';
import type { PostingList } from '#search-index/read/term-dictionary.ts';
import { createYielder } from '#search-index/read/yield-event-loop.ts';
import type { ChainedClause, Clause, QueryWord } from '#search-index/snapshot.ts';

describe('a plan', () => {
  const list = (docFreq: number, ...segments: number[]): PostingList => ({ docFreq, segments, part: () => undefined });
  const WORDS: Record<string, PostingList[]> = {
    rare: [list(2, 1)],
    many: [list(30, 0, 1), list(20, 1, 2)],
    none: [],
  };
  const KEYS: Record<string, PostingList[]> = { a: [list(5, 0)], b: [list(7, 2)] };
  const KINDS = { name: 'words', active: 'keyword', identifier: 'hash', _lastUpdated: 'instant', near: 'position' };
  const there: ResourceSet = {
    total: 40,
    segments: [Uint16Array.from([1]), new Uint16Array(0), Uint16Array.from([2, 3])],
  };
  const chained: ChainedClause[] = [];
  const each: unknown[] = [];
  const space = {
    segmentStarts: Uint32Array.from([0, 40, 80, 100]),
    fieldOf: (name: string) => ({ number: 1, name, kind: KINDS[name as keyof typeof KINDS], bits: 0 }),
    fieldExists: async () => there,
    chained: async (clause: ChainedClause) => {
      chained.push(clause);
      return { total: 3, segments: [Uint16Array.from([1, 2, 3]), new Uint16Array(0), new Uint16Array(0)] };
    },
    terms: {
      ofWord: (_field: unknown, { prefix = '' }: QueryWord) => WORDS[prefix],
      ofKey: (_field: unknown, key: string, not?: boolean) => {
        each.push(not);
        return KEYS[key] ?? [];
      },
      ofBeginning: (_field: unknown, start: string) => KEYS[start] ?? [],
      ofRanges: () => list(9, 0, 2),
    },
  } as unknown as SearchSpace;
  const plan = async (...clauses: Clause[]) =>
    (await planClauses(space, clauses, createYielder())).map(({ cost, total, segments, not, alternatives }) => ({
      cost,
      total,
      segments: [...segments],
      not,
      alternatives: alternatives.length,
    }));
  const words = (...anyOf: string[][]): Clause => ({
    field: 'name',
    match: 'words',
    anyOf: anyOf.map((all) => all.map((prefix) => ({ prefix, whole: [] }))),
  });
  const exact = (anyOf: string[], not?: boolean): Clause => ({
    field: 'identifier',
    match: 'exact',
    anyOf,
    ...(not !== undefined && { not }),
  });
  const one = { not: false, alternatives: 1 };

  it('of keys, beginnings, ranges and presence', async () => {
    expect(await plan(exact(['a', 'b']))).toEqual([
      { not: false, alternatives: 2, cost: 12, total: undefined, segments: [1, 0, 1] },
    ]);
    expect(each.splice(0)).toEqual([undefined, undefined]);
    expect(await plan(exact(['a'], true))).toEqual([
      { not: true, alternatives: 1, cost: 95, total: 95, segments: [1, 1, 1] },
    ]);
    expect(each.splice(0)).toEqual([true]);
    expect(await plan(exact(['a', 'b'], true))).toEqual([
      { not: true, alternatives: 2, cost: 100, total: undefined, segments: [1, 1, 1] },
    ]);
    const beginning: Clause = { field: 'active', match: 'beginning', anyOf: ['a'], whole: ['b'] };
    expect(await plan(beginning)).toEqual([
      { not: false, alternatives: 2, cost: 12, total: undefined, segments: [1, 0, 1] },
    ]);
    expect(await plan({ field: '_lastUpdated', match: 'range', anyOf: [{}] })).toEqual([
      { ...one, cost: 9, total: 9, segments: [1, 0, 1] },
    ]);
    const present = (is: boolean): Clause => ({ field: 'name', match: 'present', present: is });
    expect(await plan(present(true))).toEqual([
      { not: false, alternatives: 0, cost: 40, total: 40, segments: [1, 0, 1] },
    ]);
    expect(await plan(present(false))).toEqual([
      { not: true, alternatives: 0, cost: 60, total: 60, segments: [1, 1, 1] },
    ]);
  });

  it('begins with the rarest, and follows a chain only where the others find something', async () => {
    const chain: Clause = { match: 'has', field: 'practitioner', of: 'PractitionerRole', clauses: [] };
    const costs = async (...clauses: Clause[]) => (await plan(...clauses)).map(({ cost }) => cost);
    expect([await costs(words(['many']), exact(['b']), words(['rare'])), await costs()]).toEqual([[2, 7, 50], []]);
    expect([await costs(chain, words(['many'])), chained.splice(0)]).toEqual([[3, 50], [chain]]);
    expect([await costs(chain, words(['none'])), chained]).toEqual([[0], []]);
    await expect(plan({ field: 'name', match: 'exact', anyOf: ['a'] })).rejects.toThrow(
      'the field name is not indexed for matching by exact',
    );
    const refused: [string, Clause['match'][]][] = [
      ['name', ['exact', 'beginning', 'range', 'near']],
      ['active', ['words', 'range', 'near']],
      ['identifier', ['words', 'beginning', 'range', 'near']],
      ['_lastUpdated', ['words', 'exact', 'beginning', 'near']],
      ['near', ['words', 'exact', 'beginning', 'range']],
    ];
    for (const [field, matches] of refused)
      for (const match of matches)
        await expect(plan({ field, match, anyOf: [] } as never)).rejects.toThrow(`by ${match}`);
  });

  it('knows its total without reading where it has one criterion or none, and how much an evaluation reads', async () => {
    const plans = (...clauses: Clause[]) => planClauses(space, clauses, createYielder());
    const totals = async (...clauses: Clause[]) => knownTotal(await plans(...clauses), 100);
    expect([await totals(), await totals(words(['rare'])), await totals(words(['many']))]).toEqual([100, 2, undefined]);
    expect([await totals(words(['rare']), exact(['a'])), await totals(words(['none']), exact(['a']))]).toEqual([
      undefined,
      0,
    ]);
    // Of each alternative, its lists in each of its segments.
    expect(partsOf(await plans(words(['many', 'rare'], ['many']), exact(['b'])))).toBe(1 * 3 + 3 * 2 + 1);
    expect(partsOf([])).toBe(0);
    expect(resourceSet([Uint16Array.from([1, 2]), Uint16Array.from([3])])).toMatchObject({ total: 3 });
  });
});
