// A search for roles of a speciality says that people without a role are not among them, and names the search that finds them all.

import { describe, expect, it } from '@jest/globals';
import type { Issue } from '#directory/errors.ts';
import { labelKey, referenceKey, tokenKeys } from '#search-index/exact-keys.ts';
import type { IndexedResource } from '#search-index/snapshot.ts';
import { SPECIALTY } from '#support/directory/edition.ts';
import { openIndex } from '#support/directory/open-index.ts';
import { type Entry, entriesOf, idsOf } from '#support/directory/reading.ts';
import { startDirectory } from '#support/directory/service.ts';
import type { Query } from '#support/directory/set-up.ts';
import { openedForAll } from '#support/opened.ts';

const LABEL = 'Cardiologie, maladies';
const coding = (code: string) => ({ coding: [{ system: SPECIALTY, code, display: LABEL }] });
const keys = (code: string) => [...tokenKeys({ system: SPECIALTY, value: code }), labelKey(LABEL)];

function person(id: string, code: string): IndexedResource {
  const resource = { resourceType: 'Practitioner' as const, id, qualification: [{ code: coding(code) }] };
  return { type: 'Practitioner', id, sortKey: id, resource, index: { qualification: keys(code) } };
}

function role(of: string, code: string): IndexedResource {
  const id = `role-${of}`;
  const practitioner = { reference: referenceKey('Practitioner', of) };
  const resource = { resourceType: 'PractitionerRole' as const, id, practitioner, specialty: [coding(code)] };
  const index = { practitioner: [practitioner.reference], specialty: keys(code) };
  return { type: 'PractitionerRole', id, sortKey: '', resource, index };
}

const RESOURCES = [person('a', 'SM04'), person('b', 'SM04'), person('c', 'SM05'), role('a', 'SM04'), role('c', 'SM05')];

describe('fhir-stu3 people without a role', () => {
  const snapshot = openedForAll(() => openIndex(RESOURCES));
  const directory = openedForAll(() => startDirectory(snapshot));

  const search = (searchParams: Query, resourceType = 'PractitionerRole') =>
    directory.client().search({ resourceType, searchParams });
  const notesOf = (bundle: object) =>
    entriesOf(bundle)
      .filter(({ search: { mode } }) => mode === 'outcome')
      .flatMap(({ resource }) => (resource as Entry['resource'] & { issue: Issue[] }).issue);

  it.each<[what: string, query: Query, people: RegExp, ids: string[]]>([
    ['a code', { specialty: 'SM04' }, /finds all 2 people/, ['a', 'b']],
    ['system and code', { specialty: `${SPECIALTY}|SM05` }, /finds the one person/, ['c']],
    ['alternatives', { specialty: 'SM04,SM05' }, /finds all 3 people/, ['a', 'b', 'c']],
    ['a label with a comma', { specialty: 'cardiologie\\, maladies' }, /finds all 3 people/, ['a', 'b', 'c']],
  ])('%s', async (_what, query, people, ids) => {
    const bundle = await search({ ...query, _include: 'PractitionerRole:practitioner' });
    const notes = notesOf(bundle);
    expect(notes).toMatchObject([{ severity: 'information', location: ['http.specialty'] }]);
    const { diagnostics = '' } = notes[0] ?? {};
    expect(diagnostics).toMatch(people);
    const [, named = ''] = / Practitioner\?(\S+) finds /.exec(diagnostics) ?? [];
    const found = await search(Object.fromEntries(new URLSearchParams(named)), 'Practitioner');
    expect(idsOf(found)).toEqual(ids);
    // A note is no match.
    const matches = entriesOf(bundle).filter(({ search: { mode } }) => mode === 'match');
    expect(bundle['total']).toBe(matches.length);
  });

  it('stands on the first page alone', async () => {
    const first = await search({ specialty: 'SM04,SM05', _count: '1' });
    expect(notesOf(first)).toHaveLength(1);
    expect(notesOf((await directory.client().nextPage({ bundle: first as never })) as object)).toEqual([]);
  });

  it.each<[what: string, query: Query, type: string]>([
    ['nobody has the speciality', { specialty: 'SM99' }, 'PractitionerRole'],
    ['another criterion wants roles', { specialty: 'SM04', practitioner: 'a' }, 'PractitionerRole'],
    ['no speciality is asked for', { practitioner: 'a' }, 'PractitionerRole'],
    ['every role is asked for', {}, 'PractitionerRole'],
    ['another speciality is', { 'specialty:not': 'SM04' }, 'PractitionerRole'],
    ['people are searched', { qualification: 'SM04' }, 'Practitioner'],
    ['the total alone is', { specialty: 'SM04', _summary: 'count' }, 'PractitionerRole'],
  ])('is left out where %s', async (_what, query, type) => {
    const notes = notesOf(await search(query, type)).map(({ diagnostics }) => diagnostics);
    expect(notes.filter((text) => text.startsWith('People without a role'))).toEqual([]);
  });
});
