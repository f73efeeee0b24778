// fhir-stu3 Search, "_include / _revinclude between the three": which resources come with the matches, each once, and what
// is said when a page cannot take them all.

import { describe, expect, it } from '@jest/globals';
import type { ResourceType } from '#search-index/snapshot.ts';
import { CROWD } from '#support/directory/edition.ts';
import { entriesOf, issuesOf, linksOf, pagesFrom, refusalOf } from '#support/directory/reading.ts';
import { indexedDirectory, type Query } from '#support/directory/set-up.ts';

/** `match prat-1`, `include org-2` ... in the order of the entries. */
function gist(bundle: object): string[] {
  return entriesOf(bundle).map(({ search, resource }) => [search.mode, resource.id].filter(Boolean).join(' '));
}

type Includes = readonly [type: ResourceType, query: Query, gist: readonly string[]];

const INCLUDES: readonly Includes[] = [
  [
    'PractitionerRole',
    { practitioner: 'prat-1', _include: 'PractitionerRole:practitioner' },
    ['match prat-1-a', 'match prat-1-b', 'include prat-1'],
  ],
  [
    'PractitionerRole',
    {
      practitioner: 'prat-1',
      _include: ['PractitionerRole:practitioner', 'PractitionerRole:organization:Organization'],
    },
    ['match prat-1-a', 'match prat-1-b', 'include prat-1', 'include org-2', 'include org-1'],
  ],
  [
    'PractitionerRole',
    { _id: 'prat-1-a', _include: '*', '_include:recurse': 'Organization:partof' },
    ['match prat-1-a', 'include prat-1', 'include org-2', 'include org-1'],
  ],
  [
    'PractitionerRole',
    { _id: 'prat-1-a', '_include:recurse': '*' },
    ['match prat-1-a', 'include prat-1', 'include org-2', 'include org-1'],
  ],
  ['PractitionerRole', { _id: 'gone-a', _include: '*' }, ['match gone-a']],
  ['PractitionerRole', { _id: 'prat-3-a', _include: 'PractitionerRole:organization' }, ['match prat-3-a']],
  [
    'Practitioner',
    {
      name: 'duval',
      _revinclude: 'PractitionerRole:practitioner',
      '_include:recurse': 'PractitionerRole:organization',
    },
    ['match prat-1', 'include prat-1-a', 'include prat-1-b', 'include org-2', 'include org-1'],
  ],
  [
    'Practitioner',
    { name: 'duval', _revinclude: '*', '_include:iterate': 'PractitionerRole:organization' },
    ['match prat-1', 'include prat-1-a', 'include prat-1-b', 'include org-2', 'include org-1'],
  ],
  ['Practitioner', { name: 'wu', _revinclude: 'PractitionerRole:practitioner' }, ['match prat-5']],
  ['Organization', { name: 'pediatrie', _include: 'Organization:part-of' }, ['match org-2', 'include org-1']],
  // A match is no include, whoever refers to it.
  ['Organization', { _id: 'org-1,org-2', _include: 'Organization:partof' }, ['match org-1', 'match org-2']],
  [
    'Organization',
    { _id: 'org-1', _revinclude: 'Organization:partof' },
    ['match org-1', 'include org-3', 'include org-2'],
  ],
  [
    'Organization',
    { _id: 'org-4', _revinclude: 'PractitionerRole:organization', '_include:recurse': 'PractitionerRole:practitioner' },
    ['match org-4', 'include prat-2-a', 'include prat-2'],
  ],
  ['Practitioner', { _id: 'nobody', _revinclude: '*' }, []],
  [
    'Organization',
    { _id: 'org-2', _include: ['Organization:partof', 'Organization:part-of', '*'], '_include:recurse': '*' },
    ['match org-2', 'include org-1'],
  ],
  // Round and round: each comes once.
  [
    'Organization',
    { _id: 'org-2', '_include:recurse': 'Organization:partof', '_revinclude:recurse': 'Organization:partof' },
    ['match org-2', 'include org-1', 'include org-3'],
  ],
];

describe('fhir-stu3 _include and _revinclude', () => {
  const on = indexedDirectory();
  const search = (resourceType: string, searchParams: Query, token = 'both') =>
    on.directory.client(token).search({ resourceType, searchParams });

  it.each(INCLUDES)('%s?%j', async (type, query, expected) => {
    const bundle = await search(type, query);
    expect(gist(bundle)).toEqual(expected);
    expect(bundle['total']).toBe(expected.filter((one) => one.startsWith('match')).length);
    for (const { fullUrl, resource } of entriesOf(bundle))
      expect(fullUrl).toBe(`${on.directory.base}/${resource.resourceType}/${resource.id}`);
  });

  it.each<[string, ResourceType, Query, string]>([
    ['practitioners', 'Practitioner', { _revinclude: 'PractitionerRole:practitioner' }, 'ORGANIZATION_READ'],
    ['organizations', 'Organization', { _revinclude: '*' }, 'PRACTITIONER_READ'],
  ])('SEC-20 what is included takes its own permission: %s, %s?%j', async (token, type, query, lacking) => {
    const refused = await refusalOf(search(type, query, token));
    expect(refused.status).toBe(403);
    expect(issuesOf(refused)[0]?.diagnostics).toContain(lacking);
  });

  it('an include within one type takes no further permission', async () => {
    const bundle = await search('Organization', { _id: 'org-2', _include: '*' }, 'organizations');
    expect(gist(bundle)).toEqual(['match org-2', 'include org-1']);
  });

  it('every page includes for its own matches, and the links keep the wish', async () => {
    const first = await search('PractitionerRole', { organization: 'org-3', _include: '*', _count: '50' });
    let people = 0;
    for (const bundle of await pagesFrom(on.directory.client(), first)) {
      expect(new URL(linksOf(bundle)['self'] ?? '').searchParams.get('_include')).toBe('*');
      const matches = gist(bundle).filter((one) => one.startsWith('match'));
      const included = entriesOf(bundle).filter(({ search: { mode } }) => mode === 'include');
      people += included.length - 1;
      // The people of these roles, and the one structure of them all.
      expect(new Set(included.map(({ resource }) => resource.id))).toEqual(
        new Set(['org-3', ...matches.map((one) => one.replace(/^match (.*)-a$/, '$1'))]),
      );
    }
    expect(people).toBe(CROWD);
  });

  it('a total alone includes nothing', async () => {
    expect(gist(await search('Practitioner', { name: 'duval', _revinclude: '*', _summary: 'count' }))).toEqual([]);
  });
});
