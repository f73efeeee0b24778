// Specification 2.4 and 4.5, GET /Organization: each search key and its matching rule, by fhir-kit-client.

import { expect, it } from '@jest/globals';
import { FINESS } from '#support/directory/edition.ts';
import { idsOf } from '#support/directory/reading.ts';
import { describeOnEveryEngine, type Finds, itSearches, type Refuses } from '#support/directory/set-up.ts';

const FINDS: readonly Finds[] = [
  ['name: the beginning of a word', { name: 'ped' }, ['org-2']],
  ['name: not the middle of a word', { name: 'diatrie' }, []],
  ['name: the alias too', { name: 'ch st luc' }, ['org-1']],
  ['name: st finds saint', { name: 'centre st luc' }, ['org-1']],
  ['name: boulevard finds bd', { name: 'boulevard' }, ['org-4']],
  ['name: words within one name', { name: 'luc centre' }, ['org-1']],
  ['name: words of two names do not mix', { name: 'hospitalier ch-st' }, []],
  ['name: the ligature', { name: 'oeillets' }, ['org-3']],
  ['identifier: value', { identifier: '250000015' }, ['org-1']],
  ['identifier: system|value', { identifier: `${FINESS}|250000023` }, ['org-2']],
  ['identifier: exact only', { identifier: '25000001' }, []],
  ['identifier: system|', { identifier: `${FINESS}|`, name: 'pharm' }, ['org-4']],
  ['address: words by their beginning', { address: 'rue faubourg pont' }, ['org-1', 'org-2']],
  ['address: only a whole abbreviation stands for its word', { address: 'rue faub pont' }, ['org-2']],
  ['address: chemin finds che', { address: 'chemin nancy' }, ['org-3']],
  ['part-of: Organization/<id>', { 'part-of': 'Organization/org-1' }, ['org-3', 'org-2']],
  ['part-of: <id>', { 'part-of': 'org-1' }, ['org-3', 'org-2']],
  ['part-of: a parent without children', { 'part-of': 'Organization/org-4' }, []],
  ['part-of: an address elsewhere', { 'part-of': 'https://other.example/fhir/Organization/org-1' }, []],
  ['part-of with name', { 'part-of': 'Organization/org-1', name: 'ehpad' }, ['org-3']],
  ['part-of: the comma is OR', { 'part-of': 'Organization/org-4,Organization/org-1' }, ['org-3', 'org-2']],
  ["partof, HL7's spelling", { partof: 'Organization/org-1' }, ['org-3', 'org-2']],
  ['type', { type: '500' }, ['org-3']],
  ['active', { active: 'true', name: 'ehpad' }, ['org-3']],
  ['address-city', { 'address-city': 'pont' }, ['org-1', 'org-2']],
  ['address-postalcode', { 'address-postalcode': '540' }, ['org-3']],
  ['_id', { _id: 'org-2' }, ['org-2']],
];

const REFUSES: readonly Refuses[] = [
  ['name: 1 character', { name: 'p' }, 'http.name', /at least 2 characters/],
  ['name: 1 character and a sign', { name: 'p.' }, 'http.name', /at least 2 characters/],
  ['part-of: another type', { 'part-of': 'Practitioner/prat-1' }, 'http.part-of', /Organization\/ID/],
  ['part-of: no reference', { 'part-of': 'Organization/' }, 'http.part-of', /Organization\/ID/],
  ['part-of: a version', { 'part-of': 'Organization/org-1/_history/1' }, 'http.part-of', /Organization\/ID/],
  ['a key of people', { qualification: '10' }, 'http.qualification', /no search parameter of Organization/],
  ['a modifier', { 'part-of:above': 'org-1' }, 'http.part-of:above', /modifier/],
];

describeOnEveryEngine('2.4 Organization', (on) => {
  itSearches(on, { section: '2.4', type: 'Organization', token: 'organizations' }, FINDS, REFUSES);

  it("2.4 part-of: the parent's absolute address here", async () => {
    const searchParams = { 'part-of': `${on.directory.base}/Organization/org-1` };
    const bundle = await on.directory.client().search({ resourceType: 'Organization', searchParams });
    expect(idsOf(bundle)).toEqual(['org-3', 'org-2']);
  });
});
