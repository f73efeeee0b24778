// What one line of each register says of a structure, as a whole: names, numbers, kinds and contacts.

import { describe, expect, it } from '@jest/globals';
import { CODE_SYSTEMS } from '#import/mapping/code-systems.ts';
import { createConcepts } from '#import/mapping/codeable-concepts.ts';
import { factsOfActivity, factsOfFiness, factsOfMailbox, factsOfReference } from '#import/mapping/structure-facts.ts';
import { A, M } from '#import/registers/person-columns.ts';
import { lineOf } from '#support/import/lines.ts';
import { finess, PLACE, PLACE_ELEMENT, PLACE_PARTS } from '#support/import/place.ts';

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
describe('directory data 3: facts of a line', () => {
  it('of the activities', () => {
    const { context, warnings } = heard();
    const cells = {
      name: 'CH',
      tradeName: 'HOPITAL',
      finess: '690000013',
      siret: '99020264000019',
      siren: '990202640',
      formerId: '1690000013',
      legalFiness: '690000021',
      sector: 'SA01',
      sectorLabel: 'Public',
      phone: '01 99 00 00 01',
      phone2: '0000',
      fax: '0199000003',
      mail: 'A@lilas.example',
      ...PLACE,
    };
    expect(factsOfActivity(lineOf(A, cells), context)).toEqual({
      source: 'activities',
      name: 'CH',
      aliases: ['HOPITAL'],
      finess: '690000013',
      siret: '99020264000019',
      siren: '990202640',
      nationalId: '1690000013',
      partOf: 'F690000021',
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
      source: 'activities',
      name: 'HOPITAL',
      aliases: ['HOPITAL'],
      finess: '',
      siret: '',
      siren: '',
      nationalId: '',
      partOf: '',
      types: [undefined],
      address: undefined,
      contacts: [],
    });
    expect(warnings).toEqual(['meaningless-number 0000', 'not-an-address nobody']);
  });

  it('of FINESS', () => {
    const { context, warnings } = heard();
    const cells = {
      line: 'structureet',
      finess: '690000013',
      legalFiness: '690000021',
      siret: '99020264000019',
      siren: '99',
      name: 'CENTRE',
      shortName: 'CH',
      category: '355',
      categoryLabel: 'Centre',
      status: '13',
      statusLabel: 'Public',
      publicService: '1\u00022',
      publicServiceLabel: 'ESPIC',
      postalCode: '69003',
      phone: '0199000001\u00020199000002',
      fax: '',
      mail: 'a@x.example\u0002b',
      routing: 'LYON',
    };
    expect(factsOfFiness(finess(cells), context)).toEqual({
      source: 'establishment',
      name: 'CENTRE',
      aliases: ['CH'],
      finess: '690000013',
      siret: '99020264000019',
      siren: '99',
      nationalId: '1690000013',
      partOf: 'F690000021',
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
      source: 'mailbox',
      name: 'EHPAD',
      aliases: ['LILAS'],
      types: [],
      contacts: [],
      partOf: '',
      ...numbers,
      address: expect.objectContaining({ element: { use: 'work', line: ['NORD'] } }),
    });
    expect(factsOfMailbox(lineOf(M, { tradeName: 'LILAS' })).name).toBe('LILAS');
  });

  it('of a reference', () => {
    expect(factsOfReference('690000021')).toEqual({
      source: 'reference',
      name: '',
      aliases: [],
      finess: '690000021',
      siret: '',
      siren: '',
      nationalId: '1690000021',
      types: [],
      address: undefined,
      contacts: [],
      partOf: '',
    });
  });
});
