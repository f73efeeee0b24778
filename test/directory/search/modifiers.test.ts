// fhir-stu3 Search, ":exact, :contains, :missing, :not, :text keep their STU3 meaning where supported; an unsupported modifier
// is 400 with location": each modifier by fhir-kit-client, and every row of the parameter tables.

import { describe, expect, it } from '@jest/globals';
import { CROWD, PROFESSION } from '#support/directory/edition.ts';
import { idsOf, linksOf, pagesFrom } from '#support/directory/reading.ts';
import { type Finds, indexedDirectory, itSearches, type Refuses } from '#support/directory/set-up.ts';

const PEOPLE: readonly Finds[] = [
  [':exact is letter for letter', { 'family:exact': 'LEBŒUF' }, ['prat-2']],
  [':exact heeds case', { 'family:exact': 'Lebœuf' }, []],
  [':exact heeds accents', { 'given:exact': 'Helene' }, []],
  [':exact heeds no way of encoding', { 'given:exact': 'He\u0301le\u0300\u200bne' }, ['prat-1']],
  [':exact is the whole of a given name', { 'given:exact': 'Marie' }, ['prat-1']],
  [':exact is no beginning', { 'given:exact': 'Mar' }, []],
  [':exact of a name is one of its parts', { 'name:exact': 'Hélène' }, ['prat-1']],
  [':exact of a name is not all parts together', { 'name:exact': 'LEBŒUF Jean' }, []],
  [':exact with alternatives', { 'family:exact': 'WU,LEBŒUF,Wu' }, ['prat-2', 'prat-5']],
  [
    ':exact with another criterion',
    { 'family:exact': 'ZIMMER', given: 'paula', identifier: '10000100001' },
    ['crowd-1'],
  ],
  [':exact of an address is one of its parts', { 'address:exact': '3 BD DU GAL LECLERC' }, ['prat-1']],
  [':exact finds no abbreviation', { 'address:exact': '3 BOULEVARD DU GAL LECLERC' }, []],
  [':missing=true', { 'address:missing': 'true' }, ['prat-4', 'prat-5']],
  [':missing=false', { 'qualification:missing': 'false' }, ['prat-1', 'prat-2', 'prat-3', 'prat-4']],
  [':missing=false of telecom', { 'telecom:missing': 'false' }, ['prat-1', 'prat-2']],
  [':missing=true of what everybody has', { 'identifier:missing': 'true' }, []],
  [':missing=true of _id', { '_id:missing': 'true' }, []],
  [':not', { 'active:not': 'true' }, ['prat-3']],
  [':not: also who has none', { 'qualification:not': '10', _id: 'prat-1,prat-3,prat-5' }, ['prat-3', 'prat-5']],
  [':not: none of the alternatives', { 'qualification:not': '10,50', _id: 'prat-1,prat-3,prat-5' }, ['prat-5']],
  [':not: system|', { 'qualification:not': `${PROFESSION}|`, name: 'wu' }, ['prat-5']],
  [':not: a label', { 'qualification:not': 'medecin', 'address:missing': 'true' }, ['prat-4', 'prat-5']],
  [':not of _id', { '_id:not': 'prat-1', address: 'paris' }, ['prat-3']],
  [':missing=false of a system', { 'mailbox-mss:missing': 'false' }, ['prat-1', 'prat-2']],
  [':missing=false of what nobody has', { 'phone:missing': 'false' }, []],
  [':not of a mail address as a number', { 'phone:not': 'helene.duval@mail.example', name: 'duval' }, ['prat-1']],
  [':exact of a mailbox heeds case', { 'mailbox-mss:exact': 'jean.leboeuf@mail.example' }, []],
  [':exact of a mailbox', { 'mailbox-mss:exact': 'Jean.Leboeuf@mail.example' }, ['prat-2']],
  [':text is the beginning of a label', { 'qualification:text': 'audio' }, ['prat-4']],
  [':text of several words', { 'qualification:text': 'SAGE fem' }, ['prat-3']],
  [':text is no inner word', { 'qualification:text': 'femme' }, []],
  [':text with alternatives', { 'qualification:text': 'pharm,audio' }, ['prat-2', 'prat-4']],
];

const PEOPLE_REFUSED: readonly Refuses[] = [
  ['two modifiers', { 'name:exact:missing': 'true' }, 'http.name:exact:missing', /not supported/],
  [':exact keeps the least length', { 'name:exact': 'x' }, 'http.name:exact', /at least 2/],
  [':not of what cannot be an id', { '_id:not': '***' }, 'http._id:not', /_id:not is an id: 1 to 64 letters.*"\*\*\*"/],
  [':not is checked as its parameter', { 'active:not': 'maybe' }, 'http.active:not', /true or false/],
];

const STRUCTURES: readonly Finds[] = [
  [':exact of a name', { 'name:exact': 'SERVICE DE PÉDIATRIE' }, ['org-2']],
  [':exact heeds case', { 'name:exact': 'CH St-luc' }, []],
  [':missing=true of a parent', { 'partof:missing': 'true' }, ['org-1', 'org-4']],
  [':missing=false of a parent', { 'part-of:missing': 'false' }, ['org-3', 'org-2']],
  [':not', { 'type:not': '355' }, ['org-3', 'org-4', 'org-2']],
  [':[type]', { 'partof:Organization': 'org-1' }, ['org-3', 'org-2']],
  [':not of a label', { 'type:not': 'Centre Hospitalier (C.H.)', name: 'ehpad,ch' }, ['org-3']],
  [':missing=true of a system', { 'mailbox-mss:missing': 'true' }, ['org-3', 'org-4', 'org-2']],
];

const STRUCTURES_REFUSED: readonly Refuses[] = [
  [':[type] of another type', { 'partof:Practitioner': 'x' }, 'http.partof:Practitioner', /partof takes :Organization/],
];

const ROLES: readonly Finds[] = [
  [':[type]', { 'practitioner:Practitioner': 'prat-1' }, ['prat-1-a', 'prat-1-b']],
  [':missing=false', { 'specialty:missing': 'false' }, ['prat-1-a', 'prat-3-a']],
  [':not', { 'role:not': 'FON-01', practitioner: 'prat-1,prat-3' }, ['prat-1-b', 'prat-3-a']],
];

const ROLES_REFUSED: readonly Refuses[] = [
  [
    ':[type] of another type',
    { 'practitioner:Organization': 'x' },
    'http.practitioner:Organization',
    /practitioner takes :Practitioner/,
  ],
];

describe('fhir-stu3 modifiers', () => {
  const on = indexedDirectory();
  describe('of Practitioner', () =>
    itSearches(on, { section: 'fhir-stu3', type: 'Practitioner', token: 'both' }, PEOPLE, PEOPLE_REFUSED));
  describe('of Organization', () =>
    itSearches(on, { section: 'fhir-stu3', type: 'Organization', token: 'both' }, STRUCTURES, STRUCTURES_REFUSED));
  describe('of PractitionerRole', () =>
    itSearches(on, { section: 'fhir-stu3', type: 'PractitionerRole', token: 'both' }, ROLES, ROLES_REFUSED));

  it('links keep the modifier, and the pages of :exact repeat and drop nobody', async () => {
    const client = on.directory.client();
    const searchParams = { 'family:exact': 'ZIMMER', 'given:exact': 'Paul', _count: '20', _sort: '-name' };
    const first = await client.search({ resourceType: 'Practitioner', searchParams });
    expect(new URL(linksOf(first)['self'] ?? '').searchParams.get('family:exact')).toBe('ZIMMER');
    const bundles = await pagesFrom(client, first);
    const pages = bundles.map((page) => idsOf(page));
    expect(new Set(pages.flat()).size).toBe(Math.ceil(CROWD / 2));
    expect(pages.flat()).toHaveLength(Math.ceil(CROWD / 2));
    const back = await client.prevPage({ bundle: bundles.at(-1) as never });
    expect(idsOf(back ?? {})).toEqual(pages.at(-2));
  });
});
