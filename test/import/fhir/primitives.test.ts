// The forms of STU3's primitive types, the codes of its bindings, and what is said of a resource that does not follow it.

import { describe, expect, it } from '@jest/globals';
import { bindingOf, isOfType, typeIssueOf } from '#import/fhir/primitives.ts';
import { resourceIssue } from '#import/fhir/validate.ts';
import { role } from '#support/import/fhir-resources.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';

describe('directory import: primitive types', () => {
  it.each<[string, unknown[], unknown[]]>([
    ['string', ['a', ' a ', 'é\n'], ['', ' ', 7, null]],
    ['markdown', ['*a*'], [' ', true]],
    ['uri', ['a', 'urn:oid:1.2.0', 'urn:oid:0.10', 'https://x/é'], ['a b', 'urn:oid:3.1', 'urn:oid:1.01', 'urn:oid:1']],
    ['uri', ['urn:uuid:01234567-89ab-cdef-0123-456789abcdef', 'urn:x'], ['urn:uuid:1', '']],
    ['oid', ['urn:oid:1.2'], ['urn:oid:5.1', '1.2']],
    ['id', ['a', 'A-1.z', 'x'.repeat(64)], ['', 'x'.repeat(65), 'a/b', 'é']],
    ['code', ['a', 'a b'], [' a', 'a ', 'a  b', '']],
    ['base64Binary', ['iVBORw0KGgo=', 'a b'], ['é', '']],
    [
      'date',
      ['2026', '2026-02', '2024-02-29'],
      ['0000', '2026-13', '2026-00-01', '2026-02-32', '2026-2-1', '20260201'],
    ],
    ['dateTime', ['2026', '2026-02-28T23:59:59Z'], ['2026-02-28T24:00:00Z', '2026-02-28T00:60:00Z']],
    ['dateTime', ['2026-02-28T00:00:00.123-13:59'], ['2026-02-28T00:00:00', '2026-02T00:00:00Z']],
    ['dateTime', ['2026-02-28T00:00:00+14:00'], ['2026-02-28T00:00:00+14:01']],
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
  withOwnSnapshots(import.meta.filename);

  const person = (more: object) => ({ resourceType: 'Practitioner', id: 'x', ...more });
  const clinic = (more: object) => ({ resourceType: 'Organization', id: 'x', name: 'A', ...more });
  const extension = (more: object) => ({ url: 'https://x.example', ...more });
  const nested = (depth: number): object =>
    extension(depth > 0 ? { extension: [nested(depth - 1)] } : { valueString: 'x' });

  it('names the element and the rule', () => {
    const invalid: unknown[] = [
      null,
      { resourceType: 7 },
      { resourceType: 'X'.repeat(50) },
      { resourceType: 'Organization', id: 7 },
      person({ id: `/${'x'.repeat(90)}` }),
      person({ implicitRules: 'x' }),
      person({ modifierExtension: [] }),
      person({ contained: [] }),
      person({ name: [{ family: 'A' }, { given: ['B', 7] }] }),
      person({ name: [{ family: 7 }] }),
      person({ name: [] }),
      person({ name: {} }),
      person({ name: ['A'] }),
      person({ name: [{}] }),
      person({ gender: 'F' }),
      person({ qualification: [{ issuer: { display: 'x' } }] }),
      person({ _name: {} }),
      person({ nick: 'x' }),
      person({ _birthDate: {} }),
      person({ _birthDate: 'x' }),
      person({ _birthDate: { value: 'x' } }),
      person({ name: [{ given: ['A'], _given: {} }] }),
      person({ name: [{ given: ['A'], _given: [null, { id: 'x' }] }] }),
      person({ name: [{ given: ['A', 'B'], _given: [null, {}] }] }),
      person({ name: [{ period: { start: '2020-02', end: '2020-01-31' } }] }),
      person({ name: [{ period: { start: '2020-01-01T02:00:00+02:00', end: '2019-12-31T23:59:59Z' } }] }),
      person({ telecom: [{ value: 'x' }] }),
      person({ extension: [extension({})] }),
      person({ extension: [extension({ valueCode: 'a', valueString: 'b' })] }),
      person({ extension: [extension({ valueCode: 'a', extension: [extension({ valueCode: 'a' })] })] }),
      person({ extension: [nested(16)] }),
      { resourceType: 'Organization', id: 'x', active: true },
      clinic({ telecom: [{ system: 'phone', use: 'home' }] }),
      clinic({ address: [{ use: 'work' }, { use: 'home' }] }),
      clinic({ partOf: { reference: '#a' } }),
      clinic({ partOf: { reference: 'urn:uuid:1' } }),
      clinic({ partOf: { reference: 'Group/1' } }),
      clinic({ partOf: { reference: `x${'y'.repeat(90)}` } }),
      clinic({ endpoint: [{ reference: 'x' }] }),
      { ...role, practitioner: { reference: 'x' } },
      { ...role, organization: { reference: 'x' } },
      { ...role, location: [{ reference: 'x' }] },
      { ...role, healthcareService: [{ reference: 'x' }] },
      person({ qualification: [{ code: { text: 'x' }, issuer: { reference: 'x' } }] }),
      person({ identifier: [{ value: '1', assigner: { reference: 'https://x.example/fhir/Group/1' } }] }),
      person({ extension: [extension({ valueReference: { reference: 'x' } })] }),
    ];
    const said = invalid.map((resource) => `${JSON.stringify(resource).slice(0, 250)}\n  ${resourceIssue(resource)}`);
    expect(said.join('\n')).toMatchSnapshot();
  });

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
