// The examples of the descriptions: the fixed ones, and those that are found in an edition, whole, of fictional and of real people.

import { describe, expect, it } from '@jest/globals';
import type { Organization, Practitioner, PractitionerRole } from 'fhir/r3.js';
import { examplesIn } from '#directory/metadata/edition-examples.ts';
import { chainExamples, EXAMPLES, exampleId, exampleOf, isWhole } from '#directory/metadata/parameter-examples.ts';
import { ORGANIZATION } from '#directory/resources/organization.ts';
import { PRACTITIONER } from '#directory/resources/practitioner.ts';
import { PRACTITIONER_ROLE } from '#directory/resources/practitioner-role.ts';
import { SERVED } from '#directory/resources/resource-types.ts';
import { indexResource } from '#import/fhir/index-entries.ts';
import { SCANNED_AT, scanSnapshot } from '#support/directory/scan-snapshot.ts';

const own = { base: 'https://connect.example/directory/v2', namespace: 'https://connect.example' };

describe('the fixed examples', () => {
  it('are these, of each parameter', () => {
    const shown = SERVED.map((table) => [
      table.type,
      Object.fromEntries(table.parameters.map((parameter) => [parameter.name, exampleOf(table, parameter)])),
    ]);
    const address = { 'address-city': 'strasbourg', 'address-postalcode': '67' };
    const every = { active: 'true', _lastUpdated: 'ge2026-01' };
    const mailbox = 'camille.exemple@medecin.mssante.example';
    const office = 'accueil@hopital.mssante.example';
    expect(Object.fromEntries(shown)).toEqual({
      Practitioner: {
        ...{ name: 'mart', identifier: 'urn:oid:1.2.250.1.71.4.2.1|810000000011', qualification: 'Médecin' },
        ...{ address: 'rue paris', telecom: mailbox, email: mailbox, phone: '<telephone>', 'mailbox-mss': mailbox },
        ...{ family: 'martin', given: 'anne', ...address, ...every, _id: '810000000011' },
      },
      Organization: {
        ...{ name: 'hopital st', identifier: '250000015', address: 'bd pontarlier', type: '355' },
        ...{ 'part-of': 'Organization/F250000015', partof: 'Organization/F250000015' },
        ...{ near: '48.8566|2.3522|10|km', telecom: 'phone|0381000000', email: office, phone: '03 81 00 00 00' },
        ...{ 'mailbox-mss': office, ...address, ...every, _id: 'F250000015' },
      },
      PractitionerRole: {
        ...{ practitioner: 'Practitioner/810000000011', organization: 'Organization/F250000015' },
        ...{ role: 'L', specialty: 'SM54', ...every, _id: '810000000011-0a1b2c3d4e5f6g' },
      },
      SearchParameter: {
        ...{ url: 'http://hl7.org/fhir/SearchParameter/Organization-partof', code: 'part-of', base: 'Organization' },
        ...{ type: 'reference', _id: 'Organization-part-of' },
      },
      CodeSystem: {
        url: 'https://mos.esante.gouv.fr/NOS/TRE_G15-ProfessionSante/FHIR/TRE-G15-ProfessionSante',
        ...{ name: 'ProfessionSante', _id: 'TRE-G15-ProfessionSante' },
      },
    });
    expect(EXAMPLES.since).toBe('2026-11-20T05:00:00.000Z');
    expect(EXAMPLES.values).toMatchObject({
      ...{
        'Practitioner.phone:missing': 'true',
        'Organization.type:text': 'centre',
        'PractitionerRole.role:text': 'lib',
      },
    });
  });

  it('follow from the matching rule where none is fixed', () => {
    const none = { values: {}, ids: { Organization: 'o' }, since: '' };
    const shown = [PRACTITIONER, ORGANIZATION, PRACTITIONER_ROLE].map((table) =>
      Object.fromEntries(table.parameters.map((parameter) => [parameter.name, exampleOf(table, parameter, none)])),
    );
    const words = { address: 'martin', 'address-city': 'martin', 'address-postalcode': 'martin', name: 'martin' };
    const contacts = { telecom: '10', email: '10', phone: '10', 'mailbox-mss': '10' };
    const every = { active: 'true', _lastUpdated: 'ge2026-01' };
    expect(shown).toEqual([
      {
        ...words,
        ...contacts,
        ...every,
        identifier: '10',
        qualification: '10',
        family: 'martin',
        given: 'martin',
        _id: '1',
      },
      {
        ...{ ...words, ...contacts, ...every, identifier: '10', type: '10', near: '10', _id: 'o' },
        ...{ 'part-of': 'Organization/o', partof: 'Organization/o' },
      },
      {
        ...every,
        practitioner: 'Practitioner/1',
        organization: 'Organization/o',
        role: '10',
        specialty: '10',
        _id: '1',
      },
    ]);
    expect([exampleId('Organization', none), exampleId('Practitioner', none), exampleId('Patient')]).toEqual([
      'o',
      '1',
      '1',
    ]);
    expect(['<id>', 'a<', 'id'].map(isWhole)).toEqual([false, false, true]);
  });

  it('of chains have the usual parameter at the end', () => {
    const shown = (examples?: typeof EXAMPLES) =>
      [PRACTITIONER, ORGANIZATION, PRACTITIONER_ROLE].flatMap((table) =>
        chainExamples(table, examples).map(({ name, example, linked, reverse }) => [name, example, linked, reverse]),
      );
    expect(shown()).toEqual([
      ['_has:PractitionerRole:practitioner:specialty', 'SM54', 'PractitionerRole', true],
      ['part-of.name', 'hopital st', 'Organization', false],
      ['_has:Organization:part-of:name', 'hopital st', 'Organization', true],
      ['partof.name', 'hopital st', 'Organization', false],
      ['_has:Organization:partof:name', 'hopital st', 'Organization', true],
      ['_has:PractitionerRole:organization:specialty', 'SM54', 'PractitionerRole', true],
      ['practitioner.name', 'mart', 'Practitioner', false],
      ['organization.name', 'hopital st', 'Organization', false],
    ]);
    const values = { ...EXAMPLES.values, 'Organization.partof.name': 'groupe' };
    expect(shown({ ...EXAMPLES, values })).toContainEqual(['partof.name', 'groupe', 'Organization', false]);
  });
});

describe('the examples of an edition', () => {
  const NOS = 'https://mos.esante.gouv.fr/NOS';
  const coded = (system: string, code: string, display: string) => ({
    coding: [{ system: `${NOS}/${system}`, code, display }],
  });
  const MSS = { url: 'urn:x', valueCoding: { code: 'MSSANTE' } };
  const person = (id: string, value: string): Practitioner & { id: string } => ({
    resourceType: 'Practitioner',
    id,
    identifier: [{ system: 'urn:rpps', value: `1${id}` }],
    name: [{ family: 'Le Marsault, fils', given: ['Anne-Marie', 'Zoé'] }],
    telecom: [{ system: 'email', value, extension: [MSS] }],
    address: [{ line: ['12 RUE HAUTE', 'x'], city: 'PARIS 2 CEDEX', postalCode: '75002' }],
    qualification: [{ code: coded('TRE_G15', '10', 'Médecin') }],
  });
  const role = (id: string, of: string, organization?: string): PractitionerRole & { id: string } => ({
    resourceType: 'PractitionerRole',
    id,
    practitioner: { reference: `Practitioner/${of}` },
    ...(organization && { organization: { reference: `Organization/${organization}` } }),
    code: [coded('TRE_R23', 'L', 'Libéral')],
    specialty: [coded('TRE_R38', 'SM26', 'Médecine')],
  });
  const structure = (id: string, more: object = {}): Organization & { id: string } => ({
    resourceType: 'Organization',
    id,
    identifier: [
      { system: 'https://sirene.fr', value: '1' },
      { system: 'https://finess.esante.gouv.fr', value: `2${id}` },
    ],
    type: [coded('x', '9', 'X'), coded('y', '101', 'CHR')],
    name: `Hôpital du ${id}, Nord`,
    address: [
      {
        city: 'LYON',
        extension: [
          {
            url: 'http://hl7.org/fhir/StructureDefinition/geolocation',
            extension: [
              { url: 'latitude', valueDecimal: 45.5 },
              { url: 'longitude', valueDecimal: 4.5 },
            ],
          },
        ],
      },
    ],
    ...more,
  });
  const GROUP = structure('group', { name: 'GROUPE SUD', type: [] });
  const part = { partOf: { reference: 'Organization/group' } };
  const HOSPITALS = [structure('a', part), structure('b', { ...part, telecom: [{ system: 'phone', value: '01,23' }] })];
  const PEOPLE = [person('p1', 'a,b@x.example'), person('p2', 'c@x.example'), person('p3', 'd@real.com')];
  const ROLES = [
    role('r1', 'p2'),
    role('r2', 'p2', 'b'),
    role('r3', 'p1', 'b'),
    role('r4', 'p3', 'b'),
    role('r5', 'p3', 'b'),
    role('r6', 'p3', 'b'),
  ];
  const found = (resources: readonly object[], options: object = {}) =>
    examplesIn(
      scanSnapshot(
        'one',
        resources.map((one) => indexResource(one as never)),
      ),
      {
        ...own,
        fictional: true,
        ...options,
      },
    );
  const ADDRESS = {
    'address-city': 'paris 2',
    'address-city:exact': 'PARIS 2 CEDEX',
    'address-postalcode': '75',
    'address-postalcode:exact': '75002',
  };
  const of = (type: string, values: object) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [`${type}.${name}`, value]));
  const OF_STRUCTURE = {
    ...of('Organization', {
      ...{ name: 'hopital du', 'name:exact': 'Hôpital du b\\, Nord', identifier: '2b', type: '101' },
      ...{ near: '45.5|4.5|10|km', 'part-of': 'Organization/group', partof: 'Organization/group' },
      ...{ telecom: '01\\,23', email: '<mailbox>', phone: '01\\,23', 'mailbox-mss': '<mailbox>' },
      ...{ address: 'lyon', 'address:exact': 'LYON', 'address-city': 'lyon', 'address-city:exact': 'LYON' },
      ...{ 'part-of.name': 'groupe sud', 'partof.name': 'groupe sud' },
    }),
    'PractitionerRole.organization': 'Organization/b',
  };
  const OF_SEARCHES = of('Practitioner', { qualification: 'Médecin', given: 'anne' });

  it('of fictional people name the one with most roles', async () => {
    const {
      values,
      resources = {},
      ...others
    } = await found([GROUP, ...HOSPITALS, ...PEOPLE, ...ROLES], {
      created: '2026-11-20T08:00:00Z',
    });
    expect(others).toEqual({
      ids: { ...EXAMPLES.ids, Practitioner: 'p2', Organization: 'b', PractitionerRole: 'r2' },
      since: SCANNED_AT,
    });
    expect(values).toEqual({
      ...{ ...EXAMPLES.values, ...OF_STRUCTURE, _lastUpdated: 'le2026-11-20' },
      'SearchParameter.url': `${own.base}/SearchParameter/Organization-part-of`,
      ...of('Practitioner', {
        ...{ name: 'le', 'name:exact': 'Le Marsault\\, fils', family: 'le', 'family:exact': 'Le Marsault\\, fils' },
        ...{ given: 'anne', 'given:exact': 'Anne-Marie', identifier: 'urn:rpps|1p2', address: 'rue paris' },
        ...{ 'address:exact': '12 RUE HAUTE', ...ADDRESS, qualification: 'Médecin', 'qualification:text': 'mede' },
        ...{ telecom: 'c@x.example', email: 'c@x.example', 'mailbox-mss': 'c@x.example' },
      }),
      ...of('PractitionerRole', {
        practitioner: 'Practitioner/p2',
        organization: 'Organization/b',
        role: 'L',
        specialty: 'SM26',
      }),
    });
    expect(Object.entries(resources).map(([type, { id }]: [string, { id?: string }]) => [type, id])).toEqual([
      ['Organization', 'b'],
      ['Practitioner', 'p2'],
      ['PractitionerRole', 'r2'],
    ]);
  });

  it('SEC-30 of real people name nobody, and a public hospital at most', async () => {
    const { values, resources, ids } = await found([GROUP, ...HOSPITALS, ...PEOPLE, ...ROLES], { fictional: false });
    expect(ids).toEqual({ ...EXAMPLES.ids, Practitioner: '<id>', Organization: 'b', PractitionerRole: '<id>' });
    expect(Object.keys(resources ?? {})).toEqual(['Organization']);
    expect(values).toEqual({
      ...{ ...EXAMPLES.values, ...OF_STRUCTURE, ...OF_SEARCHES },
      'SearchParameter.url': `${own.base}/SearchParameter/Organization-part-of`,
      ...of('Practitioner', {
        ...{ name: 'ma', address: 'rue', family: 'ma', 'address-city': 'paris', 'address-postalcode': '75' },
        ...{
          identifier: 'https://rpps.esante.gouv.fr|<RPPS>',
          telecom: '<mailbox>',
          email: '<mailbox>',
          'mailbox-mss': '<mailbox>',
        },
      }),
      ...of('PractitionerRole', { practitioner: 'Practitioner/<id>', role: 'L', specialty: 'SM26' }),
    });
  });

  it('of an edition with neither hospital nor fictional mailbox leave what the reader fills in', async () => {
    const lone = structure('c', { type: [coded('y', '101', 'CHR')] });
    const { values, ids, resources } = await found([lone, person('p3', 'd@real.com'), role('r', 'p3')]);
    expect(ids).toEqual({ ...EXAMPLES.ids, Practitioner: '<id>', Organization: '<id>', PractitionerRole: '<id>' });
    expect([values['Organization.part-of'], values['PractitionerRole.practitioner'], resources]).toEqual([
      'Organization/<id>',
      'Practitioner/<id>',
      {},
    ]);
    const empty = await found([]);
    expect([empty.values['Practitioner.name'], empty.since]).toEqual(['mart', SCANNED_AT]);
  });
});
