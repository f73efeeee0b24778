// fhir-stu3, refusals name the remedy: chaining, names of other servers, numbers of pages, modifiers that are cut short.

import { describe, expect, it } from '@jest/globals';
import { behindPublicBase } from '#support/directory/set-up.ts';

const { get } = behindPublicBase();

const REFUSED: readonly (readonly [query: string, location: string, remedy: RegExp])[] = [
  [
    'PractitionerRole?practitioner.name=duval',
    'practitioner.name',
    /Chaining is not supported: search Practitioner by name and add _revinclude=PractitionerRole:practitioner\./,
  ],
  [
    'PractitionerRole?organization:Organization.address-city=lyon',
    'organization:Organization.address-city',
    /search Organization by address-city and add _revinclude=PractitionerRole:organization\./,
  ],
  ['PractitionerRole?organization.nonsense=x', 'organization.nonsense', /search Organization and add _revinclude=/],
  [
    'Practitioner?_has:PractitionerRole:practitioner:role=10',
    '_has:PractitionerRole:practitioner:role',
    /search PractitionerRole by role and add _include=PractitionerRole:practitioner\./,
  ],
  ['Practitioner?organization.name=x', 'organization.name', /Chaining is not supported: .*finds each Practitioner/],
  ['Practitioner?name:exct=duval', 'name:exct', /did you mean :exact\?/],
  ['Practitioner?name:contains=duval', 'name:contains', /use name alone: name takes :exact, :missing/],
  ['Practitioner?city=lyon', 'city', /did you mean address-city\?/],
  ['Practitioner?email=a@b.example', 'email', /did you mean telecom\?/],
  ['Practitioner?Phone=01', 'Phone', /did you mean telecom\?/],
  ['Practitioner?limit=10', 'limit', /did you mean _count\?/],
  ['Practitioner?page=2', 'page', /follow the link next/],
  ['Practitioner?_offset=20', '_offset', /follow the link next/],
  ['Practitioner?_totalMethod=guess', '_totalMethod', /none, estimate or accurate/],
];

describe('fhir-stu3 what is done otherwise here', () => {
  it("_totalMethod is _total by Aidbox's name, as fhirpy's count() sends it", async () => {
    const { total } = (await get('/Practitioner?name=duval&_summary=count')).body;
    const counted = (await get('/Practitioner?name=duval&_count=0&_totalMethod=count')).body;
    expect([counted.total, counted.entry]).toEqual([total, undefined]);
    expect((await get('/Practitioner?name=duval&_totalMethod=none')).body).not.toHaveProperty('total');
  });

  it.each(REFUSED)('%s', async (query, location, remedy) => {
    const { status, body } = await get(`/${query}`);
    expect(status).toBe(400);
    expect(body.issue).toEqual([
      expect.objectContaining({ location: [`http.${location}`], diagnostics: expect.stringMatching(remedy) }),
    ]);
  });

  it.each([
    ['SearchParameter?_sort=url', /^SearchParameter cannot be sorted: leave _sort out\.$/],
    ['SearchParameter?_include=*:*', /^_include has nothing to follow in a search for SearchParameter: leave it out/],
    [
      'SearchParameter?x=1',
      /Known are url, code, base, type, _id, _count, _summary, _elements, _total, _totalMethod, _format, _pretty\.$/,
    ],
    ['SearchParameter?sort=url', /is no search parameter of SearchParameter\. Known/],
    ['Practitioner?x=1', /Known are .*, _sort, _include, _revinclude, _count/],
    ['Practitioner?sort=name', /did you mean _sort\?/],
    ['Practitioner/x', /search for it by name or identifier\.$/],
    ['PractitionerRole/x', /search for it by practitioner or organization\.$/],
    ['SearchParameter/x', /search for it by url or code\.$/],
  ])('%s: the remedy is one that the type has', async (query, remedy) => {
    const { body } = await get(`/${query}`);
    expect(body.issue[0].diagnostics).toMatch(remedy);
  });

  it('a name is only meant where the type has it', async () => {
    const { body } = await get('/PractitionerRole?city=lyon');
    expect(body.issue[0].diagnostics).not.toContain('address-city');
  });
});
