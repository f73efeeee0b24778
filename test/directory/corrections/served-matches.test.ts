// SEC-81: whether a query finds a resource as it is served, and which spellings are told beside hidden ones.

import { describe, expect, it } from '@jest/globals';
import { servedSpellings } from '#directory/corrections/corrected-snapshots.ts';
import { matches, searched } from '#directory/corrections/matches.ts';
import type { FieldClause, QueryWord, SearchQuery, StoredResource } from '#search-index/index.ts';

describe('SEC-81 whether a query finds a resource', () => {
  const stored: StoredResource = {
    position: 0,
    id: 'o',
    versionId: '1',
    lastUpdated: '2026-11-02T05:00:00.250Z',
    json: JSON.stringify({ resourceType: 'Organization', id: 'o', name: 'LE GALL' }),
  };
  const resource = searched('Organization', stored, {
    name: ['LE GALL', 'Zoé'],
    alias: [],
    address: ['--'],
    type: ['s|10', '10', '~hopital'],
    near: ['46|6'],
  });
  const AT = Date.parse(stored.lastUpdated);
  const words = (...some: Partial<QueryWord>[]): FieldClause => ({
    field: 'name',
    match: 'words',
    anyOf: [some.map((word) => ({ whole: [], ...word }))],
  });
  it.each<[FieldClause, boolean]>([
    [{ field: 'name', match: 'present', present: true }, true],
    [{ field: 'name', match: 'present', present: false }, false],
    [{ field: 'address', match: 'present', present: true }, false],
    [{ field: 'telecom', match: 'present', present: false }, true],
    [{ field: '_lastUpdated', match: 'range', anyOf: [{ from: AT, to: AT + 1 }] }, true],
    [{ field: '_lastUpdated', match: 'range', anyOf: [{ from: AT + 1 }] }, false],
    [{ field: '_lastUpdated', match: 'range', anyOf: [{ to: AT }] }, false],
    [{ field: '_lastUpdated', match: 'range', anyOf: [{ to: AT }, {}] }, true],
    [{ field: 'type', match: 'exact', anyOf: ['x', 's|10'] }, true],
    [{ field: 'type', match: 'exact', anyOf: ['x'] }, false],
    [{ field: 'type', match: 'exact', anyOf: ['x'], not: true }, true],
    [{ field: 'type', match: 'exact', anyOf: ['10'], not: true }, false],
    [{ field: 'id', match: 'exact', anyOf: ['o'] }, true],
    [{ field: 'near', match: 'near', anyOf: [{ latitude: 46, longitude: 6, metres: 0 }] }, true],
    [{ field: 'near', match: 'near', anyOf: [{ latitude: 47, longitude: 6, metres: 111_000 }] }, false],
    [{ field: 'near', match: 'near', anyOf: [{ latitude: 47, longitude: 6, metres: 112_000 }] }, true],
    [{ field: 'type', match: 'beginning', anyOf: ['~hop'] }, true],
    [{ field: 'type', match: 'beginning', anyOf: ['~clin'] }, false],
    [{ field: 'type', match: 'beginning', anyOf: ['~clin'], whole: ['~hopital'] }, true],
    [words({ prefix: 'ga' }, { prefix: 'le' }), true],
    [words({ prefix: 'ga' }, { prefix: 'zo' }), false],
    [words({ prefix: 'all' }), false],
    [words({ whole: ['gall'] }), true],
    [words({ whole: ['gal'] }), false],
    [words({ prefix: 'legall', joined: ['legall'] }), true],
    [words({ prefix: 'legal', joined: ['legal'] }), false],
  ])('%j: %j', (clause, found) => {
    expect(matches(resource, { clauses: [clause] })).toBe(found);
  });

  it('has all clauses and all exact texts', () => {
    const [yes, no] = [words({ prefix: 'le' }), words({ prefix: 'x' })];
    const exactly = (...texts: string[]) => [{ field: 'name', texts }];
    expect([
      matches(resource, { clauses: [] }),
      matches(resource, { clauses: [yes, no] }),
      matches(resource, { clauses: [yes], exactly: exactly('LE GALL') }),
      matches(resource, { clauses: [yes], exactly: exactly('Le Gall') }),
    ]).toEqual([true, false, true, false]);
  });
});

describe('SEC-81 spellings', () => {
  const of = (id: string, name?: string) => {
    const stored = { position: 0, id, versionId: '1', lastUpdated: '2026-11-02T05:00:00Z', json: '{}' };
    return searched('Practitioner', stored, name === undefined ? {} : { name: [name] });
  };
  const affected = new Map(
    [
      { id: '1', before: of('1', 'DUPONR Eve'), after: undefined, changed: '' },
      { id: '2', before: of('2', 'DUPONR'), after: of('2', 'DUPONS'), changed: '' },
      { id: '3', before: of('3', 'MARTIN'), after: of('3', 'MARTIN'), changed: '' },
    ].map((one) => [one.id, one]),
  );

  it('count what is served, and lead to nothing that is hidden alone', async () => {
    const queries: SearchQuery[] = [];
    const served = (found: boolean) => ({
      search: async (query: SearchQuery) => {
        queries.push(query);
        return { matches: found ? [{} as StoredResource] : [], more: false };
      },
    });
    const near = [
      { key: 'duponr', count: 2 },
      { key: 'dupont', count: 3 },
      { key: 'martin', count: 4 },
    ];
    const apart: [string, string][] = [
      ['eve', 'duponr'],
      ['a', 'du'],
      ['a', 'b'],
    ];
    const spellings = (found: boolean, known = true) =>
      servedSpellings(
        served(found),
        'Practitioner',
        { field: 'name', word: 'dup', within: 5 },
        { known, near, apart },
        affected,
      );
    const left = [
      { key: 'martin', count: 4 },
      { key: 'dupont', count: 3 },
    ];
    expect(await spellings(true)).toEqual({ known: true, near: left, apart });
    expect(queries[0]).toEqual({
      type: 'Practitioner',
      limit: 1,
      total: false,
      within: 5,
      clauses: [{ field: 'name', match: 'words', anyOf: [[{ whole: ['eve'] }]] }],
    });
    expect(await spellings(false)).toEqual({ known: false, near: left, apart: [['a', 'b']] });
    expect((await spellings(true, false)).known).toBe(false);
    const other = { field: 'name', word: 'mart', within: 5 };
    const more = { known: true, near: [{ key: 'duponr', count: 5 }], apart: [] };
    expect(await servedSpellings(served(false), 'Practitioner', other, more, affected)).toEqual({
      known: true,
      near: [{ key: 'duponr', count: 3 }],
      apart: [],
    });
  });
});
