// fhir-stu3 Search, "_include / _revinclude between the three": which resources come with the matches, each once, and what
// is said when a page cannot take them all.

import { describe, expect, it } from '@jest/globals';
import { LIMITS } from '#directory/limits.ts';
import { referenceKey } from '#search-index/exact-keys.ts';
import type { IndexedResource, ResourceType } from '#search-index/snapshot.ts';
import { CROWD } from '#support/directory/edition.ts';
import { ENGINES } from '#support/directory/engines.ts';
import { type Entry, entriesOf, issuesOf, linksOf, refusalOf } from '#support/directory/reading.ts';
import { startDirectory } from '#support/directory/service.ts';
import { describeOnEveryEngine, type Query } from '#support/directory/set-up.ts';
import { openedForAll } from '#support/opened.ts';
import { rounds } from '#support/rounds.ts';

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

const REFUSED: readonly (readonly [type: ResourceType, query: Query, location: string, text: RegExp])[] = [
  ['Practitioner', { _include: 'Practitioner:organization' }, 'http._include', /nothing to follow.*_include:recurse/],
  ['Practitioner', { _revinclude: 'nonsense' }, 'http._revinclude', /takes PractitionerRole:practitioner or \*/],
  ['Organization', { _include: 'nonsense' }, 'http._include', /takes Organization:part-of, Organization:partof or \*/],
  [
    'Practitioner',
    { '_include:recurse': 'nonsense' },
    'http._include:recurse',
    /takes .*PractitionerRole:organization/,
  ],
  ['PractitionerRole', { _include: 'PractitionerRole:organization:Practitioner' }, 'http._include', /takes/],
  ['Practitioner', { _include: 'PractitionerRole:organization' }, 'http._include', /write _include:recurse/],
  ['Practitioner', { _revinclude: 'Organization:partof' }, 'http._revinclude', /write _revinclude:recurse/],
  ['Practitioner', { '_include:exact': '*' }, 'http._include:exact', /modifier/],
  ['Practitioner', { _include: '' }, 'http._include', /no value/],
];

describeOnEveryEngine('fhir-stu3 _include and _revinclude', (on) => {
  const search = (resourceType: string, searchParams: Query, token = 'both') =>
    on.directory.client(token).search({ resourceType, searchParams });

  it.each(INCLUDES)('%s?%j', async (type, query, expected) => {
    const bundle = await search(type, query);
    expect(gist(bundle)).toEqual(expected);
    expect(bundle['total']).toBe(expected.filter((one) => one.startsWith('match')).length);
    for (const { fullUrl, resource } of entriesOf(bundle))
      expect(fullUrl).toBe(`${on.directory.base}/${resource.resourceType}/${resource.id}`);
  });

  it.each(REFUSED)('refused: %s?%j', async (type, query, location, text) => {
    const refused = await refusalOf(search(type, query));
    expect(refused.status).toBe(400);
    expect(issuesOf(refused)).toMatchObject([{ location: [location], diagnostics: expect.stringMatching(text) }]);
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
    const client = on.directory.client();
    let bundle = await search('PractitionerRole', { organization: 'org-3', _include: '*', _count: '50' });
    let people = 0;
    for (const _page of rounds()) {
      expect(new URL(linksOf(bundle)['self'] ?? '').searchParams.get('_include')).toBe('*');
      const matches = gist(bundle).filter((one) => one.startsWith('match'));
      const included = entriesOf(bundle).filter(({ search: { mode } }) => mode === 'include');
      people += included.length - 1;
      // The people of these roles, and the one structure of them all.
      expect(new Set(included.map(({ resource }) => resource.id))).toEqual(
        new Set(['org-3', ...matches.map((one) => one.replace(/^match (.*)-a$/, '$1'))]),
      );
      const next = await client.nextPage({ bundle: bundle as never });
      if (!next) break;
      bundle = next as typeof bundle;
    }
    expect(people).toBe(CROWD);
  });

  it('a total alone includes nothing', async () => {
    expect(gist(await search('Practitioner', { name: 'duval', _revinclude: '*', _summary: 'count' }))).toEqual([]);
  });
});

describe.each(ENGINES)('fhir-stu3 _revinclude of more than a page takes, on $name', ({ open }) => {
  const STAFF = LIMITS.included + 1;
  const snapshot = openedForAll(() => open(hospital(STAFF)));
  const directory = openedForAll(() => startDirectory(snapshot));

  it('leaves out wholly who has too many, names the search that finds them, and keeps the others', async () => {
    const bundle = await directory
      .client()
      .search({ resourceType: 'Organization', searchParams: { _revinclude: 'PractitionerRole:organization' } });
    const outcomes = entriesOf(bundle).filter(({ search }) => search.mode === 'outcome');
    const others = gist(bundle).filter((one) => !one.startsWith('outcome'));
    expect(others).toEqual(['match large', 'match small', 'include role-small']);
    expect(outcomes).toHaveLength(1);
    const { issue } = (outcomes[0] as Entry & { resource: { issue: { severity: string; diagnostics: string }[] } })
      .resource;
    expect(issue).toMatchObject([{ severity: 'warning', code: 'too-costly' }]);
    const left =
      /Left out of _revinclude=PractitionerRole:organization: (\S+)\. /.exec(issue[0]?.diagnostics ?? '')?.[1] ?? '';
    const [resourceType = '', organization = ''] = left.split('?organization=');
    const found = await directory.client().search({ resourceType, searchParams: { organization, _summary: 'count' } });
    expect(found['total']).toBe(STAFF);
  });
});

describe.each(ENGINES)('fhir-stu3 shares of what is included, on $name', ({ open }) => {
  const snapshot = openedForAll(() => open(clinics(LIMITS.included)));
  const directory = openedForAll(() => startDirectory(snapshot));

  it('many roles leave room for their people, and each issue names its inclusion', async () => {
    const bundle = await directory.client().search({
      resourceType: 'Organization',
      searchParams: {
        _revinclude: 'PractitionerRole:organization',
        '_include:recurse': 'PractitionerRole:practitioner',
        _count: '200',
      },
    });
    const of = (type: string) => entriesOf(bundle).filter(({ resource }) => resource.resourceType === type).length;
    expect([of('PractitionerRole'), of('Practitioner')]).toEqual([500, 500]);
    const outcome = entriesOf(bundle).find(({ search }) => search.mode === 'outcome')?.resource;
    const { issue } = outcome as unknown as { issue: { location: string[]; diagnostics: string }[] };
    expect(issue.map(({ location }) => location)).toEqual([['http._revinclude']]);
    expect(issue[0]?.diagnostics).toMatch(/Left out of _revinclude=PractitionerRole:organization: /);
  });
});

/** Structures with five roles each, of as many people. */
function clinics(roles: number): IndexedResource[] {
  const resources: IndexedResource[] = [];
  for (let number = 0; number < roles; number++) {
    const [person, clinic] = [`person-${number}`, `clinic-${Math.floor(number / 5)}`];
    const keys = [referenceKey('Practitioner', person), referenceKey('Organization', clinic)] as const;
    if (number % 5 === 0)
      resources.push({
        ...{ type: 'Organization', id: clinic, sortKey: clinic, index: {} },
        resource: { resourceType: 'Organization', id: clinic, name: clinic },
      });
    resources.push(
      {
        ...{ type: 'Practitioner', id: person, sortKey: person, index: {} },
        resource: { resourceType: 'Practitioner', id: person },
      },
      {
        ...{ type: 'PractitionerRole', id: `role-${number}`, sortKey: '' },
        resource: {
          ...{ resourceType: 'PractitionerRole', id: `role-${number}` },
          ...{ practitioner: { reference: keys[0] }, organization: { reference: keys[1] } },
        },
        index: { practitioner: [keys[0]], organization: [keys[1]] },
      },
    );
  }
  return resources;
}

/** A structure with so many roles, and another with one. */
function hospital(staff: number): IndexedResource[] {
  const structure = (id: string): IndexedResource => ({
    type: 'Organization',
    id,
    sortKey: id,
    resource: { resourceType: 'Organization', id, name: id },
    index: { name: [id] },
  });
  const role = (id: string, of: string): IndexedResource => {
    const key = referenceKey('Organization', of);
    return {
      type: 'PractitionerRole',
      id,
      sortKey: '',
      resource: { resourceType: 'PractitionerRole', id, organization: { reference: key } },
      index: { organization: [key] },
    };
  };
  return [
    structure('large'),
    structure('small'),
    role('role-small', 'small'),
    ...Array.from({ length: staff }, (_, number) => role(`role-${number}`, 'large')),
  ];
}
