// The addresses that lines of the registers become.

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
import { A, M } from '#import/registers/person-columns.ts';
import { lineOf } from '#support/import/lines.ts';
import { finess, PLACE, PLACE_ELEMENT, PLACE_PARTS } from '#support/import/place.ts';

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
      locality: 'NORD',
      distribution: 'BAT A',
      number: '1',
      streetMore: 'B',
      streetType: 'AV',
      street: 'LECLERC',
      mention: 'CS 1',
      routing: '97400 ST DENIS CEDEX 9',
      departmentCode: '9D',
      commune: '411',
      department: 'REUNION',
    };
    expect(finessAddress(finess(cells))).toEqual({
      element: {
        extension: [{ url: EXTENSIONS.commune, valueCoding: { system: CODE_SYSTEMS.commune, code: '97411' } }],
        use: 'work',
        line: ['NORD', 'BAT A', '1 B AV LECLERC', 'CS 1', '97400 ST DENIS CEDEX 9'],
        city: 'ST DENIS',
        district: 'REUNION',
        postalCode: '97400',
      },
      parts: {
        above: ['NORD', 'BAT A'],
        street: '1 B AV LECLERC',
        mention: 'CS 1',
        cedex: '97400 ST DENIS CEDEX 9',
        postalCode: '97400',
        city: 'ST DENIS',
        commune: '97411',
        district: 'REUNION',
        country: '',
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
      locality: 'NORD',
      distribution: 'BAT A',
      number: '4',
      numberIndex: 'T',
      streetType: 'R',
      street: 'PASTEUR',
      mention: 'BP',
      routing: '69003 LYON CEDEX 03',
      postalCode: '69003',
      country: 'FRANCE',
    };
    expect(mailboxAddress(lineOf(M, cells))).toEqual({
      element: {
        use: 'work',
        line: ['NORD', 'BAT A', '4 T R PASTEUR', 'BP', '69003 LYON CEDEX 03'],
        city: 'LYON',
        postalCode: '69003',
        country: 'FRANCE',
      },
      parts: {
        above: ['NORD', 'BAT A'],
        street: '4 T R PASTEUR',
        mention: 'BP',
        cedex: '69003 LYON CEDEX 03',
        postalCode: '69003',
        city: 'LYON',
        commune: '',
        district: '',
        country: 'FRANCE',
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
