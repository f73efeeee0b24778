// The examples that are found in an edition, whole, of fictional and of real people.

import { describe, expect, it } from '@jest/globals';
import type { Organization, Practitioner, PractitionerRole } from 'fhir/r3.js';
import { examplesIn } from '#directory/metadata/edition-examples.ts';
import { EXAMPLES } from '#directory/metadata/parameter-examples.ts';
import { indexResource } from '#import/fhir/index-entries.ts';
import { SCANNED_AT, scanSnapshot } from '#support/directory/scan-snapshot.ts';

const own = { base: 'https://connect.example/directory/v2', namespace: 'https://connect.example' };

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
      name: 'hopital du',
      'name:exact': 'Hôpital du b\\, Nord',
      identifier: '2b',
      type: '101',
      near: '45.5|4.5|10|km',
      'part-of': 'Organization/group',
      partof: 'Organization/group',
      telecom: '01\\,23',
      email: '<mailbox>',
      phone: '01\\,23',
      'mailbox-mss': '<mailbox>',
      address: 'lyon',
      'address:exact': 'LYON',
      'address-city': 'lyon',
      'address-city:exact': 'LYON',
      'part-of.name': 'groupe sud',
      'partof.name': 'groupe sud',
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
      ...EXAMPLES.values,
      ...OF_STRUCTURE,
      _lastUpdated: 'le2026-11-20',
      'SearchParameter.url': `${own.base}/SearchParameter/Organization-part-of`,
      ...of('Practitioner', {
        name: 'le',
        'name:exact': 'Le Marsault\\, fils',
        family: 'le',
        'family:exact': 'Le Marsault\\, fils',
        given: 'anne',
        'given:exact': 'Anne-Marie',
        identifier: 'urn:rpps|1p2',
        address: 'rue paris',
        'address:exact': '12 RUE HAUTE',
        ...ADDRESS,
        qualification: 'Médecin',
        'qualification:text': 'mede',
        telecom: 'c@x.example',
        email: 'c@x.example',
        'mailbox-mss': 'c@x.example',
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
      ...EXAMPLES.values,
      ...OF_STRUCTURE,
      ...OF_SEARCHES,
      'SearchParameter.url': `${own.base}/SearchParameter/Organization-part-of`,
      ...of('Practitioner', {
        name: 'ma',
        address: 'rue',
        family: 'ma',
        'address-city': 'paris',
        'address-postalcode': '75',
        identifier: 'https://rpps.esante.gouv.fr|<RPPS>',
        telecom: '<mailbox>',
        email: '<mailbox>',
        'mailbox-mss': '<mailbox>',
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
