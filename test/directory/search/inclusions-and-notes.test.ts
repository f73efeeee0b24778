// What an inclusion reads, leaves out and says of it; and the notes of an answered search, word for word.

import { describe, expect, it } from '@jest/globals';
import { ORGANIZATION } from '#directory/resources/organization.ts';
import { PRACTITIONER_ROLE } from '#directory/resources/practitioner-role.ts';
import { INCLUDE_PATHS } from '#directory/search/include-paths.ts';
import { includedResources } from '#directory/search/includes.ts';
import { type AnsweredSearch, notesOf } from '#directory/search/notes.ts';
import {
  type SearchPage,
  type SearchQuery,
  type Snapshot,
  type StoredResource,
  TooCostly,
  Unavailable,
} from '#search-index/index.ts';
import { base, parse, stored } from './understanding.ts';

/** A snapshot that answers from a function, and the queries that it was asked. */
function asking(answer: (query: SearchQuery) => SearchPage) {
  const queries: SearchQuery[] = [];
  const reads: string[] = [];
  const snapshot = {
    search: async (query: SearchQuery) => {
      queries.push(query);
      return answer(query);
    },
    read: async (type: string, id: string) => {
      reads.push(`${type}/${id}`);
      return stored(0, id);
    },
  } as unknown as Snapshot;
  return { snapshot, queries, reads };
}

describe('what an inclusion reads', () => {
  const path = (source: string, name: string) => {
    const found = INCLUDE_PATHS.find((one) => one.source === source && one.name === name);
    if (!found) throw new Error(name);
    return found;
  };
  const forth = { path: path('PractitionerRole', 'practitioner'), reverse: false, recurse: false };
  const back = { path: path('PractitionerRole', 'practitioner'), reverse: true, recurse: false };
  const role = (id: string, reference?: string) => stored(0, id, reference ? { practitioner: { reference } } : {});

  it('one reference by a read, several by one search, each once, and none that leads elsewhere', async () => {
    const { snapshot, queries, reads } = asking(() => ({ matches: [stored(1, 'q'), stored(0, 'p')], more: false }));
    const included = async (...roles: StoredResource[]) => {
      const { included: found, incomplete } = await includedResources({ snapshot, base }, 'PractitionerRole', roles, [
        forth,
      ]);
      expect(incomplete).toEqual([]);
      return found.map(({ type, resource }) => `${type}/${resource.id}`);
    };
    expect(await included(role('1', 'Practitioner/p'), role('2', `${base}/Practitioner/p`))).toEqual([
      'Practitioner/p',
    ]);
    expect([reads, queries]).toEqual([['Practitioner/p'], []]);
    expect(await included(role('1', 'Practitioner/p'), role('2', 'Practitioner/q'))).toEqual([
      'Practitioner/p',
      'Practitioner/q',
    ]);
    expect(queries).toEqual([
      { type: 'Practitioner', clauses: [{ field: 'id', match: 'exact', anyOf: ['p', 'q'] }], limit: 2, total: false },
    ]);
    expect(
      await included(
        role('1'),
        role('2', 'https://x.example/Practitioner/p'),
        role('3', 'Organization/p'),
        role('4', 'Practitioner/'),
      ),
    ).toEqual([]);
    const escaped = stored(0, '5', { practitioner: { display: '"x"', reference: 'Practitioner/z' } });
    expect(await included(escaped)).toEqual(['Practitioner/z']);
  });

  it('those that refer to a match in groups of 50, four for each at first, and by themselves where these are more', async () => {
    const people = Array.from({ length: 51 }, (_, at) => stored(at, `p${at}`));
    const few = asking(({ clauses: [clause], limit }) => {
      const keys = (clause as unknown as { anyOf: string[] }).anyOf;
      return { matches: keys.slice(0, 2).map((key, at) => role(`r-${keys.length}-${at}`, key)), more: limit === 4 };
    });
    const { included } = await includedResources({ snapshot: few.snapshot, base }, 'Practitioner', people, [back]);
    expect(included.map(({ type, resource }) => `${type}/${resource.id}`)).toEqual([
      'PractitionerRole/r-50-0',
      'PractitionerRole/r-50-1',
    ]);
    const asked = few.queries.map(({ type, clauses: [clause], limit, total }) => [
      type,
      (clause as unknown as { anyOf: string[] }).anyOf.length,
      limit,
      total,
    ]);
    expect(asked).toEqual([
      ['PractitionerRole', 50, 200, false],
      ['PractitionerRole', 1, 4, false],
      ['PractitionerRole', 1, 0, true],
    ]);
  });

  it('what does not fit is named, twenty searches at most', async () => {
    const people = Array.from({ length: 22 }, (_, at) => stored(at, `p${at}`));
    const many = asking(({ limit }) => ({ matches: [], more: true, ...(limit === 0 && { total: 1001 }) }));
    const { included, incomplete } = await includedResources(
      { snapshot: many.snapshot, base },
      'Practitioner',
      people,
      [back],
    );
    const named = Array.from({ length: 20 }, (_, at) => `PractitionerRole?practitioner=Practitioner/p${at}`).join(', ');
    expect([included, incomplete]).toEqual([
      [],
      [
        {
          severity: 'warning',
          code: 'too-costly',
          location: ['http._revinclude'],
          diagnostics: `Not everything is included: a page takes 1000 included resources, in fair shares. Left out of _revinclude=PractitionerRole:practitioner: ${named} and 2 more. Ask for these by themselves, page by page, or take smaller pages.`,
        },
      ],
    ]);
    const twenty = await includedResources({ snapshot: many.snapshot, base }, 'Practitioner', people.slice(2), [back]);
    expect(twenty.incomplete[0]?.diagnostics).toContain('Practitioner/p21. Ask for these');
  });
});

describe('the notes of an answered search', () => {
  const answered = (table: AnsweredSearch['table'], query: string, total: number | undefined) => {
    const { snapshot, queries } = asking(() => ({ matches: [], more: false, ...(total !== undefined && { total }) }));
    const request = parse(table, query);
    const notes = notesOf({ table, request, snapshot, page: { matches: [], more: false }, abandoned: () => false });
    return { notes, queries };
  };

  it.each([
    [undefined, 'all people'],
    [1, 'the one person'],
    [2, 'all 2 people'],
  ])('of a search for roles by a speciality that %j people have', async (total, found) => {
    const { notes, queries } = answered(PRACTITIONER_ROLE, 'specialty=SM04,SM05&_sort=_id', total);
    expect(await notes).toEqual([
      {
        severity: 'information',
        code: 'informational',
        location: ['http.specialty'],
        diagnostics: `People without a role in any structure are not among these roles: Practitioner?qualification=SM04%2CSM05 finds ${found} with this speciality.`,
      },
    ]);
    const anyOf = ['SM04', '~sm04', 'SM05', '~sm05'];
    const clauses = [{ field: 'qualification', match: 'exact', anyOf }];
    expect(queries).toEqual([{ type: 'Practitioner', clauses, limit: 0, total: 'unless-costly' }]);
  });

  it.each([
    ['near=46|6', 3, '3 more Organization resources match', 'near'],
    ['name:exact=AB&near=46|6', 3, 'More Organization resources may match', 'near'],
    ['partof.near=46|6', 1, '1 more Organization resources match', 'partof.near'],
  ])('of a search around a place: %s', async (query, total, found, name) => {
    const { notes, queries } = answered(ORGANIZATION, query, total);
    expect(await notes).toEqual([
      {
        severity: 'information',
        code: 'informational',
        location: [`http.${name}`],
        diagnostics: `${found} the other criteria where no position is known, so ${name} cannot find them: ${name}:missing=true in its place lists them.`,
      },
    ]);
    const missing = { field: 'near', match: 'present', present: false };
    const { clauses = [], ...others } = queries[0] ?? {};
    expect(others).toEqual({ type: 'Organization', limit: 0, total: true });
    expect(clauses.at(-1)).toEqual(
      name === 'near' ? missing : { match: 'chained', field: 'part-of', of: 'Organization', clauses: [missing] },
    );
  });

  it('are left out where they cost too much or no thread is free, and another error is one of the directory', async () => {
    const request = parse(ORGANIZATION, 'near=46|6');
    const failing = (error: Error) => {
      const { snapshot } = asking(() => {
        throw error;
      });
      return notesOf({
        table: ORGANIZATION,
        request,
        snapshot,
        page: { matches: [], more: false },
        abandoned: () => false,
      });
    };
    expect([await failing(new TooCostly('too many')), await failing(new Unavailable('busy', 1))]).toEqual([[], []]);
    await expect(failing(new Error('disk'))).rejects.toThrow('disk');
  });

  it('are none where nothing lacks, and those of the query alone for a total', async () => {
    expect(await answered(ORGANIZATION, 'near=46|6', 0).notes).toEqual([]);
    const { notes, queries } = answered(ORGANIZATION, 'near=46|6&_summary=count', 3);
    expect([await notes, queries]).toEqual([[], []]);
  });
});
