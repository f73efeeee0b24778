// A snapshot in memory of resources that the directory makes itself: found, ordered and paged as those of the index.

import { describe, expect, it } from '@jest/globals';
import { markOf, shelfSnapshot, shelved } from '#directory/resources/shelf.ts';
import type { SearchQuery } from '#search-index/index.ts';

describe('a shelf', () => {
  const INSTANT = '2026-11-20T08:00:00.000Z';
  const made = ['c', 'a', 'd', 'b', 'e'].map((id) => ({ resourceType: 'CodeSystem', id, name: `Name ${id}` }));
  const shelf = shelved(made, INSTANT, ({ name, id }) => ({ name: [name], ...(id < 'c' && { kind: ['early', id] }) }));
  const snapshot = shelfSnapshot('shelf', async () => shelf);
  const search = (query: Partial<SearchQuery>) =>
    snapshot.search({ type: 'Organization', clauses: [], limit: 10, total: true, ...query });
  const ids = async (query: Partial<SearchQuery>) => {
    const { matches, more, total } = await search(query);
    return [matches.map(({ id }) => id).join(''), more, total];
  };

  it('holds resources in the order of their ids, with a version that changes with the content', async () => {
    const [first] = (await search({})).matches;
    const versionId = markOf({ resourceType: 'CodeSystem', id: 'a', name: 'Name a' });
    expect(versionId).toMatch(/^[A-Za-z0-9-]{16}$/);
    expect(markOf({ resourceType: 'CodeSystem', id: 'a', name: 'Name A' })).not.toBe(versionId);
    const meta = { versionId, lastUpdated: INSTANT };
    const json = JSON.stringify({ resourceType: 'CodeSystem', id: 'a', meta, name: 'Name a' });
    expect(first).toEqual({ position: 0, id: 'a', ...meta, json });
    expect(await snapshot.read('Organization', 'a')).toEqual(first);
    expect(await snapshot.read('Organization', 'x')).toBeUndefined();
  });

  it.each<[string, Partial<SearchQuery>, [string, boolean, number | undefined]]>([
    ['all', {}, ['abcde', false, 5]],
    ['no total', { total: false }, ['abcde', false, undefined]],
    ['exactly as many', { limit: 5 }, ['abcde', false, 5]],
    ['the first two', { limit: 2 }, ['ab', true, 5]],
    ['those after', { limit: 2, after: 1 }, ['cd', true, 5]],
    ['the last ones', { limit: 2, after: 2 }, ['de', false, 5]],
    ['those before', { limit: 2, before: 3 }, ['bc', true, 5]],
    ['the first ones before', { limit: 2, before: 2 }, ['ab', false, 5]],
    ['descending', { limit: 2, order: { by: 'alphabet', descending: true } }, ['ed', true, 5]],
    ['descending, after', { limit: 2, after: 3, order: { by: 'alphabet', descending: true } }, ['cb', true, 5]],
    ['descending, before', { limit: 2, before: 1, order: { by: 'alphabet', descending: true } }, ['dc', true, 5]],
    ['the number alone', { limit: 0 }, ['', true, 5]],
    ['by key', { clauses: [{ field: 'kind', match: 'exact', anyOf: ['x', 'early'] }] }, ['ab', false, 2]],
    ['by no key', { clauses: [{ field: 'kind', match: 'exact', anyOf: ['early'], not: true }] }, ['cde', false, 3]],
    ['by id', { clauses: [{ field: 'id', match: 'exact', anyOf: ['d', 'b'] }] }, ['bd', false, 2]],
    ['with a field', { clauses: [{ field: 'kind', match: 'present', present: true }] }, ['ab', false, 2]],
    ['without a field', { clauses: [{ field: 'kind', match: 'present', present: false }] }, ['cde', false, 3]],
    [
      'by words',
      { clauses: [{ field: 'name', match: 'words', anyOf: [[{ prefix: 'na', whole: [] }, { whole: ['d'] }]] }] },
      ['d', false, 1],
    ],
    [
      'by a beginning',
      { clauses: [{ field: 'name', match: 'words', anyOf: [[{ prefix: 'am', whole: [] }]] }] },
      ['', false, 0],
    ],
    [
      'by two clauses',
      {
        clauses: [
          { field: 'kind', match: 'exact', anyOf: ['early'] },
          { field: 'id', match: 'exact', anyOf: ['b', 'c'] },
        ],
      },
      ['b', false, 1],
    ],
  ])('is searched: %s', async (_what, query, found) => {
    expect(await ids(query)).toEqual(found);
  });

  it('refuses what it has no keys for', async () => {
    const clauses = [{ field: 'name', match: 'beginning' as const, anyOf: ['a'] }];
    await expect(search({ clauses })).rejects.toThrow('name is not matched by beginning');
  });
});
