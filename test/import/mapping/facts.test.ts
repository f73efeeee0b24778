// What one line of each register says of a structure, as a whole: names, numbers, kinds, contacts and the address.

import { describe, expect, it } from '@jest/globals';
import {
  activityAddress,
  communeCode,
  distinctAddresses,
  finessAddress,
  identityOf,
  locatedAddress,
  mailboxAddress,
  siteOf,
} from '#import/mapping/addresses.ts';
import { CODE_SYSTEMS, EXTENSIONS, ownIdentifierSystems } from '#import/mapping/code-systems.ts';
import { createConcepts } from '#import/mapping/codeable-concepts.ts';
import { factsOfActivity, factsOfFiness, factsOfMailbox, factsOfReference } from '#import/mapping/structure-facts.ts';
import { finessRow } from '#import/registers/finess-row.ts';
import { A, M } from '#import/registers/person-columns.ts';
import { lineOf } from '#support/import/lines.ts';

const finess = (cells: Readonly<Record<string, string>>) => finessRow(new Map(Object.entries(cells)));
function heard() {
  const warnings: string[] = [];
  const warn = (kind: string, example: string) => void warnings.push(`${kind} ${example}`);
  return { context: { namespace: 'https://hygie.example', concepts: createConcepts(), warn }, warnings };
}
const phone = (value: string, identity = value) => ({
  element: { system: 'phone', value, use: 'work' },
  identity: `phone|${identity}`,
});
const concept = (system: string, code: string, display?: string) => ({
  element: { coding: [{ system, code, ...(display !== undefined && { display }) }] },
  order: `${code}|${display ?? ''}||`,
});
const PLACE = {
  ...{ addressee: 'SERVICE X', locality: 'BATIMENT C', number: '12', numberIndex: 'B', streetTypeLabel: 'Boulevard' },
  ...{ street: 'LECLERC', mention: 'BP 10', cedex: '25304 PONTARLIER CEDEX', postalCode: '25304', commune: '2A  462' },
  ...{ city: 'Pontarlier', country: 'France', department: 'DOUBS' },
};
const PLACE_PARTS = {
  ...{ above: ['SERVICE X', 'BATIMENT C'], street: '12 B Boulevard LECLERC', mention: 'BP 10' },
  ...{ cedex: '25304 PONTARLIER CEDEX', postalCode: '25304', city: 'Pontarlier', commune: '2A  462' },
  ...{ district: 'DOUBS', country: 'France' },
};
const PLACE_ELEMENT = {
  extension: [{ url: EXTENSIONS.commune, valueCoding: { system: CODE_SYSTEMS.commune, code: '2A 462' } }],
  ...{ use: 'work', line: ['SERVICE X', 'BATIMENT C', '12 B Boulevard LECLERC', 'BP 10', '25304 PONTARLIER CEDEX'] },
  ...{ city: 'Pontarlier', district: 'DOUBS', postalCode: '25304', country: 'France' },
};

describe('directory data 3: facts of a line', () => {
  it('of the activities', () => {
    const { context, warnings } = heard();
    const cells = {
      ...{ name: 'CH', tradeName: 'HOPITAL', finess: '690000013', siret: '99020264000019', siren: '990202640' },
      ...{ formerId: '1690000013', legalFiness: '690000021', sector: 'SA01', sectorLabel: 'Public' },
      ...{ phone: '01 99 00 00 01', phone2: '0000', fax: '0199000003', mail: 'A@lilas.example', ...PLACE },
    };
    expect(factsOfActivity(lineOf(A, cells), context)).toEqual({
      ...{ source: 'activities', name: 'CH', aliases: ['HOPITAL'], finess: '690000013', siret: '99020264000019' },
      ...{ siren: '990202640', nationalId: '1690000013', partOf: 'F690000021' },
      types: [concept(CODE_SYSTEMS.sector, 'SA01', 'Public')],
      address: { element: PLACE_ELEMENT, parts: PLACE_PARTS },
      contacts: [
        phone('01 99 00 00 01', '0199000001'),
        { element: { system: 'fax', value: '0199000003', use: 'work' }, identity: 'fax|0199000003' },
        { element: { system: 'email', value: 'A@lilas.example', use: 'work' }, identity: 'email|a@lilas.example' },
      ],
    });
    expect(warnings).toEqual(['meaningless-number 0000']);
    expect(factsOfActivity(lineOf(A, { tradeName: 'HOPITAL', mail: 'nobody' }), context)).toEqual({
      ...{ source: 'activities', name: 'HOPITAL', aliases: ['HOPITAL'], finess: '', siret: '', siren: '' },
      ...{ nationalId: '', partOf: '', types: [undefined], address: undefined, contacts: [] },
    });
    expect(warnings).toEqual(['meaningless-number 0000', 'not-an-address nobody']);
  });

  it('of FINESS', () => {
    const { context, warnings } = heard();
    const cells = {
      ...{ line: 'structureet', finess: '690000013', legalFiness: '690000021', siret: '99020264000019', siren: '99' },
      ...{ name: 'CENTRE', shortName: 'CH', category: '355', categoryLabel: 'Centre', status: '13' },
      ...{ statusLabel: 'Public', publicService: '1\u00022', publicServiceLabel: 'ESPIC', postalCode: '69003' },
      ...{ phone: '0199000001\u00020199000002', fax: '', mail: 'a@x.example\u0002b', routing: 'LYON' },
    };
    expect(factsOfFiness(finess(cells), context)).toEqual({
      ...{ source: 'establishment', name: 'CENTRE', aliases: ['CH'], finess: '690000013', siret: '99020264000019' },
      ...{ siren: '99', nationalId: '1690000013', partOf: 'F690000021' },
      types: [
        concept(CODE_SYSTEMS.establishmentCategory, '355', 'Centre'),
        concept(CODE_SYSTEMS.legalStatus, '13', 'Public'),
        concept(CODE_SYSTEMS.publicService, '1', 'ESPIC'),
        concept(CODE_SYSTEMS.publicService, '2', 'ESPIC'),
      ],
      address: expect.objectContaining({ element: { use: 'work', line: ['LYON'], city: 'LYON', postalCode: '69003' } }),
      contacts: [
        phone('0199000001'),
        phone('0199000002'),
        { element: { system: 'email', value: 'a@x.example', use: 'work' }, identity: 'email|a@x.example' },
      ],
    });
    expect(warnings).toEqual(['not-an-address b']);
    const entity = factsOfFiness(finess({ line: 'structureej', finess: '690000021', shortName: 'GROUPE' }), context);
    expect(entity).toMatchObject({ source: 'legal-entity', name: 'GROUPE', aliases: ['GROUPE'], partOf: '' });
    expect(factsOfFiness(finess({ name: 'CENTRE HOSPITALIER', shortName: 'CENTRE' }), context).aliases).toEqual([]);
  });

  it.each([
    ['FINESS', { finess: '12', siret: '', siren: '', nationalId: '112' }],
    ['siret', { finess: '', siret: '12', siren: '', nationalId: '312' }],
    ['SIREN', { finess: '', siret: '', siren: '12', nationalId: '212' }],
    ['ADELI_RANG', { finess: '', siret: '', siren: '', nationalId: '012' }],
    ['RPPS_RANG', { finess: '', siret: '', siren: '', nationalId: '412' }],
    ['OTHER', { finess: '', siret: '', siren: '', nationalId: '12' }],
  ])('of the mail register, with a number of type %s', (structureIdType, numbers) => {
    const cells = { structureIdType, structureId: '12', name: 'EHPAD', tradeName: 'LILAS', locality: 'NORD' };
    expect(factsOfMailbox(lineOf(M, cells))).toEqual({
      ...{ source: 'mailbox', name: 'EHPAD', aliases: ['LILAS'], types: [], contacts: [], partOf: '', ...numbers },
      address: expect.objectContaining({ element: { use: 'work', line: ['NORD'] } }),
    });
    expect(factsOfMailbox(lineOf(M, { tradeName: 'LILAS' })).name).toBe('LILAS');
  });

  it('of a reference', () => {
    expect(factsOfReference('690000021')).toEqual({
      ...{ source: 'reference', name: '', aliases: [], finess: '690000021', siret: '', siren: '' },
      ...{ nationalId: '1690000021', types: [], address: undefined, contacts: [], partOf: '' },
    });
  });
});

describe('directory data 3: addresses', () => {
  it('of the activities: every part, and none of an empty line', () => {
    const address = activityAddress(lineOf(A, PLACE));
    expect(address).toEqual({ element: PLACE_ELEMENT, parts: PLACE_PARTS });
    expect(address && [identityOf(address), siteOf(address)]).toEqual([
      'SERVICE X|BATIMENT C|12 B Boulevard LECLERC|BP 10|25304 PONTARLIER CEDEX|25304|Pontarlier|2A  462|DOUBS|France',
      '12 B Boulevard LECLERC|BP 10|25304 PONTARLIER CEDEX|25304|Pontarlier',
    ]);
    expect(activityAddress(lineOf(A, { country: 'France', department: 'DOUBS', commune: '25462' }))).toBeUndefined();
    const only = (cells: Record<string, string>) => activityAddress(lineOf(A, cells))?.element;
    expect([only({ city: 'Lyon' }), only({ postalCode: '69003' }), only({ mention: 'BP' })]).toEqual([
      { use: 'work', city: 'Lyon' },
      { use: 'work', postalCode: '69003' },
      { use: 'work', line: ['BP'] },
    ]);
  });

  it('of FINESS: the town without its code and its CEDEX', () => {
    const cells = {
      ...{ locality: 'NORD', distribution: 'BAT A', number: '1', streetMore: 'B', streetType: 'AV', street: 'LECLERC' },
      ...{
        mention: 'CS 1',
        routing: '97400 ST DENIS CEDEX 9',
        departmentCode: '9D',
        commune: '411',
        department: 'REUNION',
      },
    };
    expect(finessAddress(finess(cells))).toEqual({
      element: {
        extension: [{ url: EXTENSIONS.commune, valueCoding: { system: CODE_SYSTEMS.commune, code: '97411' } }],
        ...{ use: 'work', line: ['NORD', 'BAT A', '1 B AV LECLERC', 'CS 1', '97400 ST DENIS CEDEX 9'] },
        ...{ city: 'ST DENIS', district: 'REUNION', postalCode: '97400' },
      },
      parts: {
        ...{ above: ['NORD', 'BAT A'], street: '1 B AV LECLERC', mention: 'CS 1', cedex: '97400 ST DENIS CEDEX 9' },
        ...{ postalCode: '97400', city: 'ST DENIS', commune: '97411', district: 'REUNION', country: '' },
      },
    });
    const place = (routing: string, postalCode = '') => {
      const { city, postalCode: code } = finessAddress(finess({ routing, postalCode }))?.element ?? {};
      return [code, city];
    };
    expect(place('69003 LYON', '69003')).toEqual(['69003', 'LYON']);
    expect(place('LYON CEDEX', '69003')).toEqual(['69003', 'LYON']);
    expect(place('69004 LYON', '69003')).toEqual(['69003', 'LYON']);
    expect(place('69003')).toEqual(['69003', undefined]);
    expect(place('690033 LYON')).toEqual([undefined, '3 LYON']);
    expect(place('2690 LYON')).toEqual([undefined, '2690 LYON']);
  });

  it('of the mail register', () => {
    const cells = {
      ...{ locality: 'NORD', distribution: 'BAT A', number: '4', numberIndex: 'T', streetType: 'R', street: 'PASTEUR' },
      ...{ mention: 'BP', routing: '69003 LYON CEDEX 03', postalCode: '69003', country: 'FRANCE' },
    };
    expect(mailboxAddress(lineOf(M, cells))).toEqual({
      element: {
        ...{ use: 'work', line: ['NORD', 'BAT A', '4 T R PASTEUR', 'BP', '69003 LYON CEDEX 03'] },
        ...{ city: 'LYON', postalCode: '69003', country: 'FRANCE' },
      },
      parts: {
        ...{ above: ['NORD', 'BAT A'], street: '4 T R PASTEUR', mention: 'BP', cedex: '69003 LYON CEDEX 03' },
        ...{ postalCode: '69003', city: 'LYON', commune: '', district: '', country: 'FRANCE' },
      },
    });
  });

  it('with a position, behind what is there', () => {
    const degrees = (latitude: number, longitude: number) => ({
      url: 'http://hl7.org/fhir/StructureDefinition/geolocation',
      extension: [
        { url: 'latitude', valueDecimal: latitude },
        { url: 'longitude', valueDecimal: longitude },
      ],
    });
    expect(locatedAddress({ city: 'LYON' }, { latitude: 45, longitude: 4 })).toEqual({
      extension: [degrees(45, 4)],
      city: 'LYON',
    });
    const own = { url: 'x', valueString: 'y' };
    expect(locatedAddress({ extension: [own] }, { latitude: 1, longitude: 2 })).toEqual({
      extension: [own, degrees(1, 2)],
    });
  });

  it('each once, in the order of what they say', () => {
    const [b, a, other] = [
      activityAddress(lineOf(A, { city: 'B', addressee: 'x' })),
      activityAddress(lineOf(A, { city: 'A' })),
      activityAddress(lineOf(A, { city: 'B', addressee: 'y' })),
    ];
    expect(distinctAddresses([b, undefined, a, other, b], identityOf)).toEqual([b, other, a].toSorted(byIdentity));
    expect(distinctAddresses([other, b, a], siteOf)).toEqual([b, a].toSorted(byIdentity));
    expect(distinctAddresses([undefined, b], siteOf)).toEqual([b]);
    expect(distinctAddresses([undefined], siteOf)).toEqual([]);
  });
  type Address = ReturnType<typeof activityAddress>;
  const byIdentity = (one: Address, other: Address) => (one && other && identityOf(one) < identityOf(other) ? -1 : 1);

  it.each([
    ['', '69383', '69383'],
    ['', '2A004', '2A004'],
    ['', '2C004', ''],
    ['', '383', ''],
    ['69', '38', ''],
    ['2B', '033', '2B033'],
    ['9A', '101', '97101'],
    ['9F', '611', '97611'],
    ['9G', '611', ''],
    ['988', '001', '97001'],
    ['961', '001', ''],
  ])('the commune of department "%s" and code "%s" is "%s"', (department, commune, code) => {
    expect(communeCode(department, commune)).toBe(code);
  });

  it('identifiers of this service have its namespace', () => {
    expect(ownIdentifierSystems('https://x.example')).toEqual({
      rpps: 'https://x.example/fhir/Identifier/practitioner-rpps',
      technicalId: 'https://x.example/fhir/Identifier/organization-technical-id',
    });
  });
});
