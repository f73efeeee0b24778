// fhir-stu3 Search, "_include / _revinclude between the three": which resources come with the matches, each once, and what
// is said when a page cannot take them all.

import { describe, expect, it } from '@jest/globals';
import { entriesOf } from '#support/directory/reading.ts';
import { indexedDirectory, type Query } from '#support/directory/set-up.ts';

/** Ids of the matches, then of what is included, in the order of the entries: `prat-1, org-2 org-1`. */
function gist(bundle: object): string {
  const [matches, included] = ['match', 'include'].map((mode) =>
    entriesOf(bundle).flatMap(({ search, resource }) => (search.mode === mode ? [resource.id] : [])),
  );
  const last = entriesOf(bundle).findLastIndex(({ search }) => search.mode === 'match');
  expect(matches).toHaveLength(last + 1);
  return [matches, included].map((ids = []) => ids.join(' ')).join(', ');
}

const [OF_PERSON, AT_PLACE] = ['PractitionerRole:practitioner', 'PractitionerRole:organization'] as const;

describe('fhir-stu3 _include and _revinclude', () => {
  const on = indexedDirectory();
  const search = (resourceType: string, searchParams: Query, token = 'both') =>
    on.directory.client(token).search({ resourceType, searchParams });

  it.each<[search: string, gist: string]>([
    [`PractitionerRole?practitioner=prat-1&_include=${OF_PERSON}`, 'prat-1-a prat-1-b, prat-1'],
    [
      `PractitionerRole?practitioner=prat-1&_include=${OF_PERSON}&_include=${AT_PLACE}:Organization`,
      'prat-1-a prat-1-b, prat-1 org-2 org-1',
    ],
    ['PractitionerRole?_id=prat-1-a&_include=*&_include:recurse=Organization:partof', 'prat-1-a, prat-1 org-2 org-1'],
    ['PractitionerRole?_id=prat-1-a&_include:recurse=*', 'prat-1-a, prat-1 org-2 org-1'],
    // STU3 search, "the wild card * for the search parameter name"
    ['PractitionerRole?_id=prat-1-a&_include=PractitionerRole:*', 'prat-1-a, prat-1 org-2'],
    ['Practitioner?name=duval&_revinclude=PractitionerRole:*', 'prat-1, prat-1-a prat-1-b'],
    [
      'Practitioner?name=duval&_revinclude=*&_include:recurse=PractitionerRole:*',
      'prat-1, prat-1-a prat-1-b org-2 org-1',
    ],
    ['PractitionerRole?_id=gone-a&_include=*', 'gone-a, '],
    [`PractitionerRole?_id=prat-3-a&_include=${AT_PLACE}`, 'prat-3-a, '],
    [
      `Practitioner?name=duval&_revinclude=${OF_PERSON}&_include:recurse=${AT_PLACE}`,
      'prat-1, prat-1-a prat-1-b org-2 org-1',
    ],
    [`Practitioner?name=duval&_revinclude=*&_include:iterate=${AT_PLACE}`, 'prat-1, prat-1-a prat-1-b org-2 org-1'],
    [`Practitioner?name=wu&_revinclude=${OF_PERSON}`, 'prat-5, '],
    ['Organization?name=pediatrie&_include=Organization:part-of', 'org-2, org-1'],
    // A match is no include, whoever refers to it.
    ['Organization?_id=org-1,org-2&_include=Organization:partof', 'org-1 org-2, '],
    ['Organization?_id=org-1&_revinclude=Organization:partof', 'org-1, org-3 org-2'],
    [`Organization?_id=org-4&_revinclude=${AT_PLACE}&_include:recurse=${OF_PERSON}`, 'org-4, prat-2-a prat-2'],
    ['Practitioner?_id=nobody&_revinclude=*', ', '],
    [
      'Organization?_id=org-2&_include=Organization:partof&_include=Organization:part-of&_include=*&_include:recurse=*',
      'org-2, org-1',
    ],
    // Round and round: each comes once.
    [
      'Organization?_id=org-2&_include:recurse=Organization:partof&_revinclude:recurse=Organization:partof',
      'org-2, org-1 org-3',
    ],
  ])('%s', async (asked, expected) => {
    const bundle = (await on.directory.client().request(asked)) as { total?: number };
    expect(gist(bundle)).toBe(expected);
    expect(bundle.total).toBe(expected.split(', ')[0]?.split(' ').filter(Boolean).length);
    for (const { fullUrl, resource } of entriesOf(bundle))
      expect(fullUrl).toBe(`${on.directory.base}/${resource.resourceType}/${resource.id}`);
  });

  it('an include within one type takes no further permission', async () => {
    const bundle = await search('Organization', { _id: 'org-2', _include: '*' }, 'organizations');
    expect(gist(bundle)).toBe('org-2, org-1');
  });

  it('a total alone includes nothing', async () => {
    expect(gist(await search('Practitioner', { name: 'duval', _revinclude: '*', _summary: 'count' }))).toBe(', ');
  });
});
