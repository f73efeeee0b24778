// fhir-stu3: what each refused search is told, word for word, with the parameter and the code: of values, names, modifiers, chains, orders and
// inclusions.

import { describe, expect, it } from '@jest/globals';
import { PRACTITIONER } from '#directory/resources/practitioner.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { issuesOf, saidOf } from './understanding.ts';

const each = (names: string, value: string) =>
  names
    .split(' ')
    .map((name) => `Practitioner?${name}=${value}`)
    .join(' ');

describe('the text of a refused search', () => {
  withOwnSnapshots(import.meta.filename);

  it.each([
    [
      'a value',
      `Practitioner?name= PractitionerRole?role=+ Practitioner?name=ab, Practitioner?name=a.
      Practitioner?identifier=%7C Practitioner?identifier=a%7Cb%7Cc Practitioner?telecom=work%7Ca Practitioner?phone=a%7Cb%7Cc
      Practitioner?active=yes Practitioner?name:missing=yes Practitioner?family:exact=-- Practitioner?qualification:text=a,...
      Practitioner?_id=a_b Practitioner?_id=Practitioner/7 Practitioner?_id=Practitioner/
      PractitionerRole?organization=Practitioner/7 Organization?partof:Organization=a/b/c Practitioner?_lastUpdated=xx2026`,
    ],
    [
      'a place',
      `Organization?near=46 Organization?near=4e1|6 Organization?near=46|6|5|KM Organization?near=91|6 Organization?near=46|180.5
      Organization?near=46|6|0 Organization?near=46|6|1|mi Organization?near=46|6||km Organization?near=46|6|1|km|x`,
    ],
    [
      'a result parameter',
      `Practitioner?_count=-1 Practitioner?_count=1&_count=1 Practitioner?_summary=all Practitioner?_elements=name.family
      Practitioner?_summary=true&_elements=id Practitioner?_pretty=yes Practitioner?_total=many Practitioner?_totalMethod=many`,
    ],
    [
      'a name',
      `${each('xyzzyx constructor page offset _offset _getpages _getpagesoffset _skip skip _since', 'ab')} Practitioner?=ab`,
    ],
    [
      'a modifier',
      `${each('name:exct name:contains _count:exact _include:x', 'ab')} PractitionerRole?practitioner.name:contains=ab`,
    ],
    [
      'a chain',
      `PractitionerRole?practitioner.city=ab PractitionerRole?practitioner.=ab ${each('organization.name _has _has:x', 'ab')}
      PractitionerRole?a.name=ab CodeSystem?a.name=ab PractitionerRole?practitioner:Organization.name=ab
      PractitionerRole?organization.partof.name=ab Practitioner?_has:PractitionerRole:practitioner:organization.name=ab`,
    ],
    [
      'an order',
      `Practitioner?_sort=-family,-given Practitioner?_sort=%20family%20,%20given Practitioner?_sort=-family,given
      CodeSystem?_sort=url Practitioner?_sort=name&_sort=family Organization?_sort=near Organization?_sort=-near&near=46|6,47|6
      Organization?_sort=-near&near=46|6 Organization?_sort=name&near=46|6,47|6`,
    ],
    [
      'an inclusion',
      `PractitionerRole?_include=PractitionerRole:practitioner PractitionerRole?_include=PractitionerRole:practitioner:Practitioner
      Practitioner?_include:recurse=Organization:partof PractitionerRole?_include=PractitionerRole:practitioner:Organization
      PractitionerRole?_include=PractitionerRole:practitioner:Practitioner:x PractitionerRole?_include=Organization:partof
      Practitioner?_include=x Practitioner?_include:iterate=x Practitioner?_revinclude=x CodeSystem?_include=x
      CodeSystem?_revinclude:recurse=x Practitioner?_include=`,
    ],
  ])('%s', (_what, searches) => {
    expect(saidOf(searches, issuesOf)).toMatchSnapshot();
  });

  it('all faults are told at once, those of the query first', () => {
    expect(
      issuesOf(PRACTITIONER, 'name=a&foo=1&_count=x&_sort=x').map((issue) => issue.split(' ', 3).join(' ')),
    ).toEqual([
      'error value http.name',
      'error not-supported http.foo',
      'error value http._count',
      'error not-supported http._sort',
    ]);
  });

  it.each(
    Object.entries({
      city: 'address-city',
      town: 'address-city',
      zip: 'address-postalcode',
      postalcode: 'address-postalcode',
      mail: 'email',
      telephone: 'phone',
      mailbox: 'mailbox-mss',
      id: '_id',
      firstname: 'given',
      specialty: 'qualification',
      Speciality: 'qualification',
      profession: 'qualification',
      sort: '_sort',
      count: '_count',
      limit: '_count',
      _limit: '_count',
      size: '_count',
      format: '_format',
      LastName: 'family',
      Email: 'email',
      Phone: 'phone',
      nmae: 'name',
      _lastupdated: '_lastUpdated',
    }),
  )('%s: did you mean %s?', (name, meant) => {
    const [first = '', ...others] = issuesOf(PRACTITIONER, 'xyzzyx=x');
    const text = first.replaceAll('xyzzyx', name).replace('Practitioner.', `Practitioner: did you mean ${meant}?`);
    expect([issuesOf(PRACTITIONER, `${name}=x`), others]).toEqual([[text], []]);
  });
});
