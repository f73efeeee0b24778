// STU3 search 3.1.1.5.6 and 3.1.1.5.7 over HTTP: criteria on linked resources, forwards and backwards, with the permissions of both
// types, in pages, with includes and without what is hidden.

import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { ResourceType } from '#search-index/snapshot.ts';
import type { Correction } from '#store/snapshots/corrections.ts';
import { corrected, correction, indexedEdition } from '#support/directory/corrected.ts';
import { CROWD } from '#support/directory/edition.ts';
import { openIndex } from '#support/directory/open-index.ts';
import { idsOf, issuesOf, refusalOf } from '#support/directory/reading.ts';
import { startDirectory } from '#support/directory/service.ts';
import { indexedDirectory, type Query } from '#support/directory/set-up.ts';
import { openedForAll } from '#support/opened.ts';

const CROWD_IDS = Array.from({ length: CROWD }, (_, number) => `crowd-${number}`);
const HAS_ROLE = '_has:PractitionerRole:practitioner';
const HAS_STAFF = '_has:PractitionerRole:organization';

type Chains = readonly [type: ResourceType, query: Query, ids: readonly string[]];

const FORWARDS: readonly Chains[] = [
  ['PractitionerRole', { 'practitioner.name': 'duval' }, ['prat-1-a', 'prat-1-b']],
  ['PractitionerRole', { 'practitioner.name': 'duval', 'organization.name': 'pediatrie' }, ['prat-1-a']],
  ['PractitionerRole', { 'practitioner.name': 'duval,leboeuf', role: 'FON-01' }, ['prat-1-a', 'prat-2-a']],
  ['PractitionerRole', { 'practitioner.name': ['duval', 'marie'] }, ['prat-1-a', 'prat-1-b']],
  ['PractitionerRole', { 'practitioner.identifier': '10000000029' }, ['prat-2-a']],
  ['PractitionerRole', { 'practitioner.family:exact': 'LEBŒUF' }, ['prat-2-a']],
  ['PractitionerRole', { 'practitioner.qualification:text': 'sage' }, ['prat-3-a']],
  [
    'PractitionerRole',
    { 'practitioner.qualification:not': '10', role: 'FON-01', 'organization:missing': 'false' },
    crowdRoles(3),
  ],
  ['PractitionerRole', { 'practitioner.telecom:missing': 'false' }, ['prat-1-a', 'prat-1-b', 'prat-2-a']],
  ['PractitionerRole', { 'practitioner._id': 'prat-3,nobody' }, ['prat-3-a']],
  ['PractitionerRole', { 'practitioner._lastUpdated': 'lt2026-11' }, []],
  [
    'PractitionerRole',
    { 'organization._lastUpdated': 'ge2026-11', 'organization.type:missing': 'true' },
    ['prat-1-a', 'prat-2-a'],
  ],
  ['PractitionerRole', { 'organization.part-of:Organization': 'org-1', _id: 'prat-1-a,prat-1-b' }, ['prat-1-a']],
  ['Organization', { 'partof.name': 'saint luc' }, ['org-3', 'org-2']],
  ['Organization', { 'part-of:Organization.identifier': '250000015', name: 'ehpad' }, ['org-3']],
  ['Organization', { 'partof.name': `${'-'.repeat(3)}zz` }, []],
];

const BACKWARDS: readonly Chains[] = [
  ['Practitioner', { [`${HAS_ROLE}:specialty`]: 'SM40' }, ['prat-1', 'prat-3']],
  ['Practitioner', { [`${HAS_ROLE}:organization`]: 'Organization/org-2' }, ['prat-1']],
  // Each `_has` is a criterion of its own: another role may fulfil it.
  ['Practitioner', { [`${HAS_ROLE}:organization`]: 'org-1', [`${HAS_ROLE}:specialty`]: 'SM40' }, ['prat-1']],
  ['Practitioner', { [`${HAS_ROLE}:organization`]: ['org-1', 'org-2'] }, ['prat-1']],
  ['Practitioner', { [`${HAS_ROLE}:organization:missing`]: 'true' }, ['prat-3']],
  ['Practitioner', { [`${HAS_ROLE}:role:not`]: 'FON-01', name: 'duval' }, ['prat-1']],
  ['Organization', { [`${HAS_STAFF}:practitioner`]: 'prat-1' }, ['org-1', 'org-2']],
  ['Organization', { '_has:Organization:partof:name': 'oeillets' }, ['org-1']],
  ['Organization', { '_has:Organization:part-of:address-city:exact': 'NANCY' }, ['org-1']],
  ['Organization', { '_has:Organization:partof:_id': 'org-1,org-4' }, []],
];

/** Roles of the crowd whose number is a multiple of `step`, in the order of their ids. */
function crowdRoles(step: number): string[] {
  return CROWD_IDS.filter((_, number) => number % step === 0)
    .map((id) => `${id}-a`)
    .sort();
}

const REFUSED: readonly (readonly [type: ResourceType, name: string, value: string, text: RegExp])[] = [
  ['PractitionerRole', 'practitioner._count', '3', /is no search parameter of Practitioner/],
  ['Organization', `partof._has:PractitionerRole:organization:role`, 'x', /one level here/],
  ['PractitionerRole', '_has:PractitionerRole:practitioner:role', 'x', /begin with practitioner\., organization\./],
  ['Organization', `${HAS_STAFF}:practitioner`, 'Organization/1', /is a reference of the form Practitioner\/ID/],
  ['Organization', `${HAS_STAFF}:active`, 'maybe', /is true or false/],
];

describe('STU3 search 3.1.1.5.6 and 3.1.1.5.7: chains', () => {
  const on = indexedDirectory();
  const search = (resourceType: string, searchParams: Query, token = 'both') =>
    on.directory.client(token).search({ resourceType, searchParams });

  it.each([...FORWARDS, ...BACKWARDS])('%s?%j', async (type, query, ids) => {
    const bundle = await search(type, { ...query, _count: '200' });
    expect(idsOf(bundle)).toEqual(ids);
    expect(bundle['total']).toBe(ids.length);
    expect((await search(type, { ...query, _summary: 'count' }))['total']).toBe(ids.length);
  });

  it.each(REFUSED)('refused: %s?%s=%s', async (type, name, value, text) => {
    const refused = await refusalOf(search(type, { [name]: value }));
    expect(refused.status).toBe(400);
    expect(issuesOf(refused)).toMatchObject([{ diagnostics: expect.stringMatching(text) }]);
    expect(issuesOf(refused)[0]?.location?.[0]).toContain(`http.${name.split(':')[0]}`);
  });

  it('begin as the CapabilityStatement says of each type', async () => {
    const { body } = await request(on.directory.address).get('/metadata');
    const resources = body.rest[0].resource as { type: ResourceType; documentation: string }[];
    const starts = resources.flatMap(({ type, documentation }) => {
      const [, list = ''] = /Chains begin with (.*?[.:])\.(?: |$)/.exec(documentation) ?? [];
      return list.split(', ').flatMap((start) => (start === '' ? [] : [[type, start] as const]));
    });
    expect(starts).toHaveLength(8);
    for (const [type, start] of starts)
      expect(await search(type, { [`${start}_id`]: 'a' })).toMatchObject({ total: 0 });
  });

  it.each<[token: string, type: ResourceType, name: string, lacking: string]>([
    ['practitioners', 'Practitioner', `${HAS_ROLE}:specialty`, 'ORGANIZATION_READ'],
    ['organizations', 'Organization', `${HAS_STAFF}:specialty`, 'PRACTITIONER_READ'],
    ['organizations', 'PractitionerRole', 'organization.name', 'PRACTITIONER_READ'],
    ['openid', 'Practitioner', `${HAS_ROLE}:specialty`, 'PRACTITIONER_READ and ORGANIZATION_READ'],
  ])('SEC-20 a chain takes the permissions of both types: %s, %s?%s', async (token, type, name, lacking) => {
    const refused = await refusalOf(search(type, { [name]: 'SM40' }, token));
    expect(refused.status).toBe(403);
    expect(issuesOf(refused)[0]?.diagnostics).toContain(lacking);
  });
});

describe('SEC-81 chains', () => {
  const HIDDEN: readonly Correction[] = [
    correction('Practitioner/prat-1', 'record'),
    correction('Practitioner/prat-2', 'mailbox'),
    correction('Organization/org-3', 'address'),
  ];
  const raw = openedForAll(() => openIndex(indexedEdition()));
  const directory = openedForAll(() => startDirectory(corrected(raw, () => HIDDEN)));

  it.each<Chains>([
    ['PractitionerRole', { 'practitioner.name': 'duval' }, []],
    ['PractitionerRole', { 'practitioner.telecom': 'jean2@other.example' }, []],
    [
      'PractitionerRole',
      { 'practitioner.telecom:missing': 'true', 'practitioner.name': 'jean,anne' },
      ['prat-2-a', 'prat-3-a'],
    ],
    ['PractitionerRole', { 'organization.address-city': 'nancy' }, []],
    ['Practitioner', { [`${HAS_ROLE}:specialty`]: 'SM40' }, ['prat-3']],
    ['Organization', { [`${HAS_STAFF}:practitioner`]: 'prat-1' }, []],
    ['Organization', { '_has:Organization:partof:address-city': 'nancy' }, []],
  ])('find nobody by what is hidden: %s?%j', async (resourceType, searchParams, ids) => {
    const bundle = await directory.client().search({ resourceType, searchParams });
    expect([idsOf(bundle), bundle['total']]).toEqual([ids, ids.length]);
  });
});
