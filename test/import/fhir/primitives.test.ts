// The forms of STU3's primitive types, the codes of its bindings, and what is said of a resource that does not follow it.

import { describe, expect, it } from '@jest/globals';
import { bindingOf, isOfType, typeIssueOf } from '#import/fhir/primitives.ts';
import { resourceIssue } from '#import/fhir/validate.ts';
import { role } from '#support/import/fhir-resources.ts';

describe('directory import: primitive types', () => {
  it.each<[string, unknown[], unknown[]]>([
    ['string', ['a', ' a ', 'é\n'], ['', ' ', 7, null]],
    ['markdown', ['*a*'], [' ', true]],
    [
      'uri',
      ['a', 'urn:oid:1.2.0', 'urn:oid:0.10', 'https://x.example/é'],
      ['a b', 'urn:oid:3.1', 'urn:oid:1.01', 'urn:oid:1'],
    ],
    ['uri', ['urn:uuid:01234567-89ab-cdef-0123-456789abcdef', 'urn:x'], ['urn:uuid:1', '']],
    ['oid', ['urn:oid:1.2'], ['urn:oid:5.1', '1.2']],
    ['id', ['a', 'A-1.z', 'x'.repeat(64)], ['', 'x'.repeat(65), 'a/b', 'é']],
    ['code', ['a', 'a b'], [' a', 'a ', 'a  b', '']],
    ['base64Binary', ['iVBORw0KGgo=', 'a b'], ['é', '']],
    [
      'date',
      ['2026', '2026-02', '2024-02-29', '1999-12-31'],
      ['0000', '2026-13', '2026-00-01', '2026-02-32', '2026-2-1', '20260201'],
    ],
    [
      'dateTime',
      ['2026', '2026-02-28T23:59:59Z', '2026-02-28T00:00:00.123-13:59'],
      ['2026-02-28T24:00:00Z', '2026-02-28T00:60:00Z'],
    ],
    [
      'dateTime',
      ['2026-02-28T00:00:00+14:00'],
      ['2026-02-28T00:00:00', '2026-02-28T00:00:00+14:01', '2026-02T00:00:00Z'],
    ],
    ['instant', ['2026-02-28T00:00:00Z'], ['2026-02-28', '2026-02-28T00:00Z']],
    ['time', ['00:00:00', '23:59:59.5'], ['24:00:00', '1:00:00', '00:00']],
    ['boolean', [true, false], ['true', 0, null]],
    ['decimal', [0, -1.5], ['1', null]],
    ['integer', [-(2 ** 31), 2 ** 31 - 1], [-(2 ** 31) - 1, 2 ** 31, 0.5, '1']],
    ['unsignedInt', [0, 2 ** 31 - 1], [-1, 2 ** 31]],
    ['positiveInt', [1, 2 ** 31 - 1], [0, 2 ** 31]],
  ])('%s: %j, and not %j', (type, valid, invalid) => {
    expect(valid.filter((value) => typeIssueOf(value, type) !== undefined)).toEqual([]);
    expect(invalid.filter((value) => typeIssueOf(value, type) !== ` is not of type ${type}`)).toEqual([]);
    expect([isOfType(valid[0], type), isOfType(invalid[0], type)]).toEqual([true, false]);
  });

  it.each([
    ['2023-02-30', 'date', ' is not of type date: there is no such day'],
    ['1900-02-29', 'date', ' is not of type date: there is no such day'],
    ['2023-04-31T00:00:00Z', 'dateTime', ' is not of type dateTime: there is no such day'],
    ['2023-04-31T00:00:00Z', 'instant', ' is not of type instant: there is no such day'],
    ['2023-06', 'dateTime', undefined],
    ['a\u0007', 'string', ' holds control characters'],
    ['a\ud800', 'string', ' holds half a character (a lone surrogate)'],
    ['a\uffff', 'string', ' holds a code point that Unicode keeps free of characters'],
    ['\u200b', 'string', ' holds characters that nobody sees'],
    ['\u200b', 'markdown', ' holds characters that nobody sees'],
    ['a\u200b', 'string', undefined],
    ['a\u200b', 'code', ' holds characters that nobody sees'],
    ['é\u00fc', 'code', undefined],
  ])('%j as %s: %s', (value, type, issue) => expect(typeIssueOf(value, type)).toBe(issue));

  it.each([
    ['Practitioner', 'gender', /^(male|female|other|unknown)$/],
    ['PractitionerRole.availableTime', 'daysOfWeek', /^(mon|tue|wed|thu|fri|sat|sun)$/],
    ['Identifier', 'use', /^(usual|official|temp|secondary)$/],
    ['HumanName', 'use', /^(usual|official|temp|nickname|anonymous|old|maiden)$/],
    ['ContactPoint', 'system', /^(phone|fax|email|pager|url|sms|other)$/],
    ['ContactPoint', 'use', /^(home|work|temp|old|mobile)$/],
    ['Address', 'use', /^(home|work|temp|old)$/],
    ['Address', 'type', /^(postal|physical|both)$/],
    ['Address', 'city', undefined],
    ['Period', 'use', undefined],
  ])('%s.%s has the codes %s', (type, element, codes) => expect(bindingOf(type, element)).toEqual(codes));
});

describe('directory import: what is said of an invalid resource', () => {
  const person = (more: object) => ({ resourceType: 'Practitioner', id: 'x', ...more });
  const clinic = (more: object) => ({ resourceType: 'Organization', id: 'x', name: 'A', ...more });
  const extension = (more: object) => ({ url: 'https://x.example', ...more });
  const nested = (depth: number): object =>
    extension(depth > 0 ? { extension: [nested(depth - 1)] } : { valueString: 'x' });
  const NOT_FOLLOWED = ' can change the meaning of the resource, and is not followed';

  it.each([
    [null, 'not a JSON object'],
    [{ resourceType: 7 }, 'no resourceType'],
    [
      { resourceType: 'X'.repeat(50) },
      `a resource of type "${'X'.repeat(40)}": the directory takes Practitioner, Organization, PractitionerRole`,
    ],
    [{ resourceType: 'Organization', id: 7 }, 'Organization without id'],
    [person({ id: `/${'x'.repeat(90)}` }), `"/${'x'.repeat(79)}" is no FHIR id: letters, digits, - and ., at most 64`],
    [person({ implicitRules: 'x' }), `Practitioner.implicitRules${NOT_FOLLOWED}`],
    [person({ modifierExtension: [] }), `Practitioner.modifierExtension${NOT_FOLLOWED}`],
    [
      person({ contained: [] }),
      'Practitioner.contained is not accepted: give contained resources as resources of their own',
    ],
    [person({ name: [{ family: 'A' }, { given: ['B', 7] }] }), 'Practitioner.name[1].given[1] is not of type string'],
    [person({ name: [{ family: 7 }] }), 'Practitioner.name.family is not of type string'],
    [person({ name: [] }), 'Practitioner.name is not an array with content'],
    [person({ name: {} }), 'Practitioner.name is not an array with content'],
    [person({ name: ['A'] }), 'Practitioner.name is not an object'],
    [person({ name: [{}] }), 'Practitioner.name is empty'],
    [person({ gender: 'F' }), 'Practitioner.gender is not one of the codes of STU3'],
    [person({ qualification: [{ issuer: { display: 'x' } }] }), 'Practitioner.qualification.code is required'],
    [person({ _name: {} }), 'Practitioner._name is no element of STU3'],
    [person({ nick: 'x' }), 'Practitioner.nick is no element of STU3'],
    [person({ _birthDate: {} }), 'Practitioner._birthDate is not an object with content'],
    [person({ _birthDate: 'x' }), 'Practitioner._birthDate is not an object with content'],
    [person({ _birthDate: { value: 'x' } }), 'Practitioner._birthDate.value is no element of STU3'],
    [
      person({ name: [{ given: ['A'], _given: {} }] }),
      'Practitioner.name._given does not have as many items as its values',
    ],
    [
      person({ name: [{ given: ['A'], _given: [null, { id: 'x' }] }] }),
      'Practitioner.name._given does not have as many items as its values',
    ],
    [
      person({ name: [{ given: ['A', 'B'], _given: [null, {}] }] }),
      'Practitioner.name._given[1] is not an object with content',
    ],
    [
      person({ name: [{ period: { start: '2020-02', end: '2020-01-31' } }] }),
      'Practitioner.name.period ends before it starts',
    ],
    [
      person({ name: [{ period: { start: '2020-01-01T02:00:00+02:00', end: '2019-12-31T23:59:59Z' } }] }),
      'Practitioner.name.period ends before it starts',
    ],
    [person({ telecom: [{ value: 'x' }] }), 'Practitioner.telecom has a value without system'],
    [person({ extension: [extension({})] }), 'Practitioner.extension needs either one value or extensions'],
    [
      person({ extension: [extension({ valueCode: 'a', valueString: 'b' })] }),
      'Practitioner.extension needs either one value or extensions',
    ],
    [
      person({ extension: [extension({ valueCode: 'a', extension: [extension({ valueCode: 'a' })] })] }),
      'Practitioner.extension needs either one value or extensions',
    ],
    [person({ extension: [nested(16)] }), `Practitioner${'.extension'.repeat(17)} is nested more than 16 levels deep`],
    [{ resourceType: 'Organization', id: 'x', active: true }, 'Organization without identifier and name (org-1)'],
    [clinic({ telecom: [{ system: 'phone', use: 'home' }] }), 'Organization.telecom is of use home'],
    [clinic({ address: [{ use: 'work' }, { use: 'home' }] }), 'Organization.address is of use home'],
    [clinic({ partOf: { reference: '#a' } }), 'Organization.partOf.reference "#a" leads nowhere: write Type/id'],
    [
      clinic({ partOf: { reference: 'urn:uuid:1' } }),
      'Organization.partOf.reference "urn:uuid:1" leads nowhere: write Type/id',
    ],
    [
      clinic({ partOf: { reference: 'Group/1' } }),
      'Organization.partOf.reference "Group/1" is not of the form Organization/id',
    ],
    [
      clinic({ partOf: { reference: `x${'y'.repeat(90)}` } }),
      `Organization.partOf.reference "x${'y'.repeat(79)}" is not of the form Organization/id`,
    ],
    [clinic({ endpoint: [{ reference: 'x' }] }), 'Organization.endpoint.reference "x" is not of the form Endpoint/id'],
    [
      { ...role, practitioner: { reference: 'x' } },
      'PractitionerRole.practitioner.reference "x" is not of the form Practitioner/id',
    ],
    [
      { ...role, organization: { reference: 'x' } },
      'PractitionerRole.organization.reference "x" is not of the form Organization/id',
    ],
    [
      { ...role, location: [{ reference: 'x' }] },
      'PractitionerRole.location.reference "x" is not of the form Location/id',
    ],
    [
      { ...role, healthcareService: [{ reference: 'x' }] },
      'PractitionerRole.healthcareService.reference "x" is not of the form HealthcareService/id',
    ],
    [
      person({ qualification: [{ code: { text: 'x' }, issuer: { reference: 'x' } }] }),
      'Practitioner.qualification.issuer.reference "x" is not of the form Organization/id',
    ],
    [
      person({ identifier: [{ value: '1', assigner: { reference: 'https://x.example/fhir/Group/1' } }] }),
      'Practitioner.identifier.assigner.reference "https://x.example/fhir/Group/1" is not of the form Organization/id',
    ],
    [
      person({ extension: [extension({ valueReference: { reference: 'x' } })] }),
      'Practitioner.extension.valueReference.reference "x" is not of the form Type/id',
    ],
  ])('%j', (resource, issue) => expect(resourceIssue(resource)).toBe(issue));

  it.each([
    person({ extension: [nested(15)], _birthDate: { id: 'x' }, meta: 7, text: 7 }),
    person({ name: [{ given: ['A'], _given: [null] }, { _given: [{ id: 'x' }] }] }),
    person({ name: [{ period: { start: '2020-01-31', end: '2020-01' } }, { period: { start: '2020', end: '2020' } }] }),
    person({ name: [{ period: { start: '2020-01-01T00:00:00Z', end: '2020-01-01' } }, { period: { start: '2021' } }] }),
    person({ telecom: [{ use: 'home' }], address: [{ use: 'home' }] }),
    clinic({ partOf: { reference: 'Organization/1/_history/2' } }),
    clinic({ partOf: { reference: 'https://x.example/any' } }),
    clinic({ partOf: { reference: 'https://x.example/fhir/Organization/1' } }),
    clinic({ partOf: { display: 'x' } }),
    person({ extension: [extension({ valueReference: { reference: 'Group/1' } })] }),
    { resourceType: 'Organization', id: 'x', identifier: [{ value: '1' }] },
  ])('%j is valid', (resource) => expect(resourceIssue(resource)).toBeUndefined());
});
