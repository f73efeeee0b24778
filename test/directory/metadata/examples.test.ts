// The fixed examples of the descriptions.

import { describe, expect, it } from '@jest/globals';
import { chainExamples, EXAMPLES, exampleId, exampleOf, isWhole } from '#directory/metadata/parameter-examples.ts';
import { ORGANIZATION } from '#directory/resources/organization.ts';
import { PRACTITIONER } from '#directory/resources/practitioner.ts';
import { PRACTITIONER_ROLE } from '#directory/resources/practitioner-role.ts';
import { SERVED } from '#directory/resources/resource-types.ts';

describe('the fixed examples', () => {
  it('are these, of each parameter', () => {
    const shown = SERVED.map((table) => [
      table.type,
      Object.fromEntries(table.parameters.map((parameter) => [parameter.name, exampleOf(table, parameter, EXAMPLES)])),
    ]);
    const address = { 'address-city': 'strasbourg', 'address-postalcode': '67' };
    const every = { active: 'true', _lastUpdated: 'ge2026-01' };
    const mailbox = 'camille.exemple@medecin.mssante.example';
    const office = 'accueil@hopital.mssante.example';
    expect(Object.fromEntries(shown)).toEqual({
      Practitioner: {
        name: 'mart',
        identifier: 'urn:oid:1.2.250.1.71.4.2.1|810000000011',
        qualification: 'Médecin',
        address: 'rue paris',
        telecom: mailbox,
        email: mailbox,
        phone: '<telephone>',
        'mailbox-mss': mailbox,
        family: 'martin',
        given: 'anne',
        ...address,
        ...every,
        _id: '810000000011',
      },
      Organization: {
        name: 'hopital st',
        identifier: '250000015',
        address: 'bd pontarlier',
        type: '355',
        'part-of': 'Organization/F250000015',
        partof: 'Organization/F250000015',
        near: '48.8566|2.3522|10|km',
        telecom: 'phone|0381000000',
        email: office,
        phone: '03 81 00 00 00',
        'mailbox-mss': office,
        ...address,
        ...every,
        _id: 'F250000015',
      },
      PractitionerRole: {
        practitioner: 'Practitioner/810000000011',
        organization: 'Organization/F250000015',
        role: 'L',
        specialty: 'SM54',
        ...every,
        _id: '810000000011-0a1b2c3d4e5f6g',
      },
      SearchParameter: {
        url: 'http://hl7.org/fhir/SearchParameter/Organization-partof',
        code: 'part-of',
        base: 'Organization',
        type: 'reference',
        _id: 'Organization-part-of',
      },
      CodeSystem: {
        url: 'https://mos.esante.gouv.fr/NOS/TRE_G15-ProfessionSante/FHIR/TRE-G15-ProfessionSante',
        name: 'ProfessionSante',
        _id: 'TRE-G15-ProfessionSante',
      },
    });
    expect(EXAMPLES.since).toBe('2026-11-20T05:00:00.000Z');
    expect(EXAMPLES.values).toMatchObject({
      'Practitioner.phone:missing': 'true',
      'Organization.type:text': 'centre',
      'PractitionerRole.role:text': 'lib',
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
        ...words,
        ...contacts,
        ...every,
        identifier: '10',
        type: '10',
        near: '10',
        _id: 'o',
        'part-of': 'Organization/o',
        partof: 'Organization/o',
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
    const shown = (examples: typeof EXAMPLES) =>
      [PRACTITIONER, ORGANIZATION, PRACTITIONER_ROLE].flatMap((table) =>
        chainExamples(table, examples).map(({ name, example, linked, reverse }) => [name, example, linked, reverse]),
      );
    expect(shown(EXAMPLES)).toEqual([
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
