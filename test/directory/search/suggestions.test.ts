// Issue "total: 0 helps": a search that finds nothing says what was understood, and up to three searches that find something, each with the
// total that it really gives. SEC-54: their cost is bounded. SEC-81: nothing hidden is counted or named.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Organization, Practitioner } from 'fhir/r3.js';
import type { Issue } from '#directory/errors.ts';
import { indexResource } from '#import/fhir/index-entries.ts';
import { corrected, correction } from '#support/directory/corrected.ts';
import { openIndex } from '#support/directory/open-index.ts';
import { entriesOf } from '#support/directory/reading.ts';
import { type RunningDirectory, startDirectory } from '#support/directory/service.ts';
import { openedForAll } from '#support/opened.ts';

const CARDIOLOGY = 'Cardiologie et maladies vasculaires';

function person(
  id: string,
  family: string,
  given: string,
  city: string,
  label = 'Infirmier',
): Practitioner & { id: string } {
  return {
    resourceType: 'Practitioner',
    id,
    name: [{ family, given: [given] }],
    address: [{ line: ['1 RUE NEUVE'], city, postalCode: '35000' }],
    qualification: [{ code: { coding: [{ code: `c-${label.length}`, display: label }] } }],
  };
}

const structure: Organization & { id: string } = {
  resourceType: 'Organization',
  id: 'pharmacy',
  name: 'PHARMACIE DU MARCHE',
  address: [{ line: ['2 PLACE DU MARCHE'], city: 'RENNES', postalCode: '35000' }],
};

const role = {
  resourceType: 'PractitionerRole' as const,
  id: 'role',
  practitioner: { reference: 'Practitioner/martin-2' },
  organization: { reference: 'Organization/pharmacy' },
};

const RESOURCES = [
  role,
  { ...person('martin-1', 'MARTIN', 'Anne', 'RENNES'), identifier: [{ system: 'urn:oid:1.2', value: '10001' }] },
  person('martin-2', 'MARTIN', 'Bruno', 'BREST', CARDIOLOGY),
  person('le-gallou', 'LE GALLOU', 'Claire', 'BREST'),
  person('dupont', 'DUPONT', 'Denis', 'RENNES'),
  structure,
].map(indexResource);

interface Suggestion {
  search: string;
  total: number;
}

function notesOf(bundle: object): string[] {
  const outcomes = entriesOf(bundle).filter(({ search }) => search.mode === 'outcome');
  return outcomes
    .flatMap(({ resource }) => (resource as unknown as { issue: Issue[] }).issue)
    .map((one) => one.diagnostics);
}

function suggestionsOf(bundle: object): Suggestion[] {
  return notesOf(bundle).flatMap((text) => {
    const [, search = '', total] = /^(\S+\?\S+) finds (\d+): /.exec(text) ?? [];
    return total === undefined ? [] : [{ search, total: Number(total) }];
  });
}

async function ask(directory: RunningDirectory, search: string) {
  const [resourceType = '', query = ''] = search.split('?');
  return directory.client().search({ resourceType, searchParams: Object.fromEntries(new URLSearchParams(query)) });
}

describe('a search that finds nothing', () => {
  const snapshot = openedForAll(() => openIndex(RESOURCES));
  const directory = openedForAll(() => startDirectory(snapshot));

  it.each([
    ['Practitioner?name=martim', ['Practitioner?name=martin']],
    ['Practitioner?name=matrin', ['Practitioner?name=martin']],
    ['Practitioner?name=marttin', ['Practitioner?name=martin']],
    ['Practitioner?name=anne matin', ['Practitioner?name=anne+martin']],
    ['Practitioner?name=ane matin', ['Practitioner?name=anne+martin']],
    ['Practitioner?name=dr duponr', ['Practitioner?name=dupont']],
    ['Practitioner?name=legallo', ['Practitioner?name=le+gallo']],
    ['Practitioner?name=mar ti', ['Practitioner?name=marti']],
    ['Practitioner?name=martin brest', ['Practitioner?name=martin&address-city=brest']],
    ['Practitioner?name=rennes', ['Practitioner?address-city=rennes']],
    ['Practitioner?name=martin cardiologue', ['Practitioner?name=martin&qualification=cardiologue']],
    [
      'Practitioner?qualification=cardiolo',
      ['Practitioner?qualification%3Atext=cardiolo', 'Practitioner?qualification=Cardiologie+et+maladies+vasculaires'],
    ],
    [
      'Practitioner?qualification=cardiolgue&address-city=brest',
      ['Practitioner?qualification=Cardiologie+et+maladies+vasculaires&address-city=brest'],
    ],
    ['Practitioner?qualification=http://elsewhere|c-9', ['Practitioner?qualification=c-9']],
    ['Practitioner?identifier=rpps|10001&name=martin', ['Practitioner?identifier=10001&name=martin']],
    ['Practitioner?identifier=rpps|10002', []],
    ['Practitioner?identifier=10002', []],
    ['Organization?name=farmacie', []],
    ['Organization?name=pharmacie rennes', ['Organization?name=pharmacie&address-city=rennes']],
    ['Practitioner?name=xqzwv', []],
    ['PractitionerRole?practitioner.name=martim', ['PractitionerRole?practitioner.name=martin']],
    [
      'PractitionerRole?practitioner:Practitioner.name=martin brest',
      ['PractitionerRole?practitioner%3APractitioner.name=martin&practitioner.address-city=brest'],
    ],
    [
      'PractitionerRole?practitioner.name=martin cardiologue',
      ['PractitionerRole?practitioner.name=martin&practitioner.qualification=cardiologue'],
    ],
    ['PractitionerRole?organization.name=farmacie&practitioner.name=matin', []],
    [
      'Practitioner?_has:PractitionerRole:practitioner:organization=pharmacy&name=matrin',
      ['Practitioner?_has%3APractitionerRole%3Apractitioner%3Aorganization=pharmacy&name=martin'],
    ],
  ])('2.3 %s says what finds something', async (search, expected) => {
    const bundle = await ask(directory, search);
    expect(bundle['total']).toBe(0);
    const found = suggestionsOf(bundle);
    if (found.length === 0) expect(bundle).not.toHaveProperty('entry');
    else expect(notesOf(bundle)[0]).toMatch(/^Nothing was found with all of: |left out/);
    expect(found.map((one) => one.search)).toEqual(expect.arrayContaining(expected));
    expect(found.length).toBeLessThanOrEqual(3);
    for (const one of found) {
      expect(one.total).toBeGreaterThan(0);
      expect((await ask(directory, one.search))['total']).toBe(one.total);
    }
  });

  it('SEC-54 whatever is asked, at most three searches are named, and each gives its total', async () => {
    const letters = fc.string({ unit: fc.constantFrom(...'amrtinlegoudp bsc'), minLength: 2, maxLength: 24 });
    const hostile = fc.oneof(
      letters,
      letters.map((text) => text.replaceAll(' ', "'")),
      fc.string({ unit: 'grapheme', minLength: 2, maxLength: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('name', 'family', 'address', 'qualification'), hostile, async (name, value) => {
        const searchParams = { [name]: value };
        const bundle = await directory
          .client()
          .search({ resourceType: 'Practitioner', searchParams })
          .catch(() => ({}));
        const found = suggestionsOf(bundle);
        expect(found.length).toBeLessThanOrEqual(3);
        for (const one of found) expect((await ask(directory, one.search))['total']).toBe(one.total);
      }),
      { numRuns: 40 },
    );
  });
});

describe('help beside corrections', () => {
  const names = ['DUPONR Eve', 'DUPONR Eve', 'DUPONS Eve', 'DUPONS Eve', 'L Egallo'].map((name) => name.split(' '));
  const hidden = names.map(([family = '', given = ''], at) => person(`h${at}`, family, given, 'NICE'));
  const all = openedForAll(() => openIndex([...RESOURCES, ...hidden.map(indexResource)]));
  const others = openedForAll(() => openIndex(RESOURCES.filter(({ id }) => id !== 'martin-2' && id !== 'role')));
  const records = [...hidden.map(({ id }) => id), 'martin-2'].map((id) => correction(`Practitioner/${id}`, 'record'));
  const served = openedForAll(() => startDirectory(corrected(all, () => records)));
  const without = openedForAll(() => startDirectory(others));

  it.each([
    // The commonest words within one letter, one of two wrong words, and the first of two words apart are hidden ones.
    ['Practitioner?name=duponz', 1],
    ['Practitioner?name=duponr dennis', 1],
    ['Practitioner?name=legallo', 1],
    ['Practitioner?name=martim', 1],
    ['Practitioner?name=duponr', 1],
    ['Practitioner?address-city=nic', 0],
  ])('SEC-81 %s tells what it would tell if what is hidden were not there', async (search, least) => {
    const told = notesOf(await ask(without, search));
    expect(told.length).toBeGreaterThanOrEqual(least);
    expect(notesOf(await ask(served, search))).toEqual(told);
  });
});
