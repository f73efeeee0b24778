// fhir-stu3: what each refused search is told, word for word, with the parameter and the code: of values, limits, names, modifiers, chains,
// orders, pages and inclusions.

import { describe, expect, it } from '@jest/globals';
import { CODE_SYSTEM } from '#directory/resources/code-system.ts';
import { ORGANIZATION } from '#directory/resources/organization.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { PRACTITIONER } from '#directory/resources/practitioner.ts';
import { PRACTITIONER_ROLE } from '#directory/resources/practitioner-role.ts';
import { issuesOf } from './understanding.ts';

const CHAINS_OF_ROLE = 'practitioner., organization.';
const unsupported = (name: string, text: string) => [`error not-supported http.${name} ${text}`];

describe('the text of a refused value', () => {
  const TOKEN = 'is value, system|value, |value or system|. A literal | is written \\|.';
  const CONTACT =
    'is an address or a number, system|value or system|, with one of phone, fax, email, pager, url, sms, other as system. A literal | is written \\|.';
  const DATE =
    'is a date such as 2026, 2026-11, 2026-11-21, 2026-11-21T08:30Z or 2026-11-21T08:30:00.000+01:00 (+ written %2B), perhaps with eq, ne, gt, lt, ge, le, sa, eb, ap before it, not';
  const NEAR =
    'is latitude|longitude|distance|unit such as 45.7640|4.8357|5|km (unit km or m; without a distance 10 km):';
  const DEGREES = 'Degrees have a dot; a comma separates several circles.';
  it.each<[ParameterTable, string, string | string[]]>([
    [PRACTITIONER, 'name=', 'has no value: give it one, or leave it out to search every Practitioner.'],
    [PRACTITIONER_ROLE, 'role=+', 'has no value: give it one, or leave it out to search every PractitionerRole.'],
    [PRACTITIONER, 'name=ab,', 'has an empty value beside a comma: remove the comma.'],
    [PRACTITIONER, 'name=a.', 'needs at least 2 characters that are letters or digits.'],
    [PRACTITIONER, 'identifier=%7C', TOKEN],
    [PRACTITIONER, 'identifier=a%7Cb%7Cc', TOKEN],
    [PRACTITIONER, 'telecom=work%7Ca', CONTACT],
    [PRACTITIONER, 'phone=a%7Cb%7Cc', CONTACT],
    [PRACTITIONER, 'active=yes', 'is true or false.'],
    [PRACTITIONER, 'name:missing=yes', 'is true or false.'],
    [PRACTITIONER, 'family:exact=--', 'needs a letter or a digit in each value.'],
    [PRACTITIONER, 'qualification:text=a,...', 'needs a letter or a digit in each value.'],
    [PRACTITIONER, '_id=a_b', 'is an id: 1 to 64 letters, digits, - and ., not "a_b".'],
    [PRACTITIONER, '_id=Practitioner/7', 'is an id, without Practitioner/: send 7 alone.'],
    [PRACTITIONER, '_id=Practitioner/', 'is an id: 1 to 64 letters, digits, - and ., not "Practitioner/".'],
    [PRACTITIONER_ROLE, 'organization=Practitioner/7', 'is a reference of the form Organization/ID.'],
    [ORGANIZATION, 'partof:Organization=a/b/c', 'is a reference of the form Organization/ID.'],
    [PRACTITIONER, '_lastUpdated=xx2026', `${DATE} "xx2026".`],
    [ORGANIZATION, 'near=46', `${NEAR} "46" has no longitude. ${DEGREES}`],
    [ORGANIZATION, 'near=4e1|6', `${NEAR} the latitude is a number from -90 to 90, not "4e1". ${DEGREES}`],
    [ORGANIZATION, 'near=46|6|5|KM', `${NEAR} the unit is km or m, not "KM". ${DEGREES}`],
    [ORGANIZATION, 'near=91|6', `${NEAR} the latitude is a number from -90 to 90, not "91". ${DEGREES}`],
    [ORGANIZATION, 'near=46|180.5', `${NEAR} the longitude is a number from -180 to 180, not "180.5". ${DEGREES}`],
    [ORGANIZATION, 'near=46|6|0', `${NEAR} the distance is a number above 0, not "0". ${DEGREES}`],
    [ORGANIZATION, 'near=46|6|1|mi', `${NEAR} the unit is km or m, not "mi". ${DEGREES}`],
    [ORGANIZATION, 'near=46|6||km', `${NEAR} a unit needs a distance. ${DEGREES}`],
    [ORGANIZATION, 'near=46|6|1|km|x', `${NEAR} there are more than four parts. ${DEGREES}`],
    [PRACTITIONER, '_count=-1', 'is a whole number from 0 to 200.'],
    [PRACTITIONER, '_count=1&_count=1', 'stands more than once: send it once.'],
    [PRACTITIONER, '_summary=all', 'is true, text, data, count or false.'],
    [
      PRACTITIONER,
      '_elements=name.family',
      'is a list of elements of the type itself, joined by commas, such as id,name or Practitioner.name.',
    ],
    [
      PRACTITIONER,
      '_summary=true&_elements=id',
      ['error value http._elements _summary and _elements each say what is left of a resource: send one of them.'],
    ],
    [PRACTITIONER, '_pretty=yes', 'is true or false.'],
    [PRACTITIONER, '_total=many', 'is none, estimate or accurate.'],
    [PRACTITIONER, '_totalMethod=many', 'is none, estimate or accurate.'],
  ])('%#: %s', (table, query, told) => {
    const [name = ''] = query.split('=');
    expect(issuesOf(table, query)).toEqual(Array.isArray(told) ? told : [`error value http.${name} ${name} ${told}`]);
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
});

describe('the text of a refused name', () => {
  const KNOWN =
    'Known are name, identifier, qualification, address, telecom, email, phone, mailbox-mss, family, given, address-city, address-postalcode, active, _id, _lastUpdated';
  const RESULTS = '_sort, _include, _revinclude, _count, _summary, _elements, _total, _totalMethod, _format, _pretty.';
  const unknown = (name: string, guess: string) =>
    unsupported(name, `${name} is no search parameter of Practitioner${guess} ${KNOWN}, ${RESULTS}`);
  it.each(
    Object.entries({
      ...{ city: 'address-city', town: 'address-city', zip: 'address-postalcode', postalcode: 'address-postalcode' },
      ...{
        mail: 'email',
        telephone: 'phone',
        mailbox: 'mailbox-mss',
        id: '_id',
        firstname: 'given',
        LastName: 'family',
      },
      ...{ sort: '_sort', count: '_count', limit: '_count', _limit: '_count', size: '_count', format: '_format' },
      ...{ Email: 'email', Phone: 'phone', nmae: 'name', _lastupdated: '_lastUpdated' },
    }),
  )('%s: did you mean %s?', (name, meant) => {
    expect(issuesOf(PRACTITIONER, `${name}=x`)).toEqual(unknown(name, `: did you mean ${meant}?`));
  });

  const PAGING = 'Pages have no number: follow the link next of the Bundle, and set their size with _count.';
  const CHAINS_OF_PEOPLE =
    'chains of Practitioner begin with _has:PractitionerRole:practitioner: and the name of a parameter follows.';
  const CHAINS_OF_ROLES = `chains of PractitionerRole begin with ${CHAINS_OF_ROLE} and the name of a parameter follows.`;
  it.each<[ParameterTable, string, string | string[]]>([
    [PRACTITIONER, 'xyzzyx', unknown('xyzzyx', '.')],
    [PRACTITIONER, 'constructor', unknown('constructor', '.')],
    ...['page', 'offset', '_offset', '_getpages', '_getpagesoffset', '_skip', 'skip'].map(
      (name): [ParameterTable, string, string[]] => [PRACTITIONER, name, unsupported(name, `${name}: ${PAGING}`)],
    ),
    [
      PRACTITIONER,
      '_since',
      '_since belongs to an export: search with _lastUpdated=gt and the same instant for what is new or changed, or ask $export for what was removed too.',
    ],
    [PRACTITIONER, '', `A nameless parameter is no search parameter of Practitioner. ${KNOWN}, ${RESULTS}`],
    [
      PRACTITIONER,
      'name:exct',
      'name:exct: this modifier is not supported: did you mean :exact? Else use name alone: name takes :exact, :missing.',
    ],
    [
      PRACTITIONER,
      'name:contains',
      'name:contains: this modifier is not supported, use name alone: name takes :exact, :missing.',
    ],
    [PRACTITIONER, '_count:exact', '_count:exact: this modifier is not supported, use _count alone.'],
    [PRACTITIONER, '_include:x', '_include:x: this modifier is not supported, use _include alone.'],
    [
      PRACTITIONER_ROLE,
      'practitioner.name:contains',
      'practitioner.name:contains: this modifier is not supported, use practitioner.name alone: practitioner.name takes :exact, :missing.',
    ],
    [
      PRACTITIONER_ROLE,
      'practitioner.city',
      `practitioner.city: city is no search parameter of Practitioner: did you mean practitioner.address-city? ${KNOWN}.`,
    ],
    [
      PRACTITIONER_ROLE,
      'practitioner.',
      `practitioner.: A nameless parameter is no search parameter of Practitioner. ${KNOWN}.`,
    ],
    [PRACTITIONER, 'organization.name', `organization.name: ${CHAINS_OF_PEOPLE}`],
    [PRACTITIONER, '_has', `_has: ${CHAINS_OF_PEOPLE}`],
    [PRACTITIONER, '_has:x', `_has:x: ${CHAINS_OF_PEOPLE}`],
    [PRACTITIONER_ROLE, 'a.name', `a.name: ${CHAINS_OF_ROLES}`],
    [CODE_SYSTEM, 'a.name', 'a.name: CodeSystem has no chains: no reference leads to it, nor from it.'],
    [
      PRACTITIONER_ROLE,
      'practitioner:Organization.name',
      'practitioner:Organization.name: practitioner leads to each Practitioner: write practitioner.name.',
    ],
    [
      PRACTITIONER_ROLE,
      'organization.partof.name',
      'organization.partof.name: a chain has one level here: search Organization by partof.name, and then PractitionerRole by organization=ID,ID with the ids that it finds.',
    ],
    [
      PRACTITIONER,
      '_has:PractitionerRole:practitioner:organization.name',
      '_has:PractitionerRole:practitioner:organization.name: a chain has one level here: search PractitionerRole by organization.name and add _include=PractitionerRole:practitioner.',
    ],
  ])('%#: %s', (table, name, told) => {
    expect(issuesOf(table, `${name}=ab`)).toEqual(Array.isArray(told) ? told : unsupported(name, told));
  });
});
