// What the readers of FINESS keep of each structure, cell by cell, and what they say of those that they leave out.

import { describe, expect, it } from '@jest/globals';
import { readFinessJson } from '#import/registers/finess-json-reader.ts';
import { establishment, finessJson, legalEntity, type Names } from '#support/import/finess-json-files.ts';
import { listening } from '#support/import/finess-listening.ts';

const CONTACT = { phone: '0199000001\u00020199000002', fax: '0199000003', mail: 'accueil@lilas.example' };
const PLACE = {
  number: '12',
  streetMore: 'BIS',
  streetType: 'AV',
  distribution: 'BATIMENT A',
  mention: 'BP 7',
  commune: '69383',
  routing: '69003 LYON CEDEX 03',
  postalCode: '69003',
};
const ENTITY = {
  line: 'structureej',
  finess: '690000021',
  shortName: 'GP LILAS',
  name: 'GROUPE DES LILAS',
  locality: 'DIRECTION',
  siren: '990000001',
  status: '13',
  category: '355',
  street: 'DU SIEGE',
  ...CONTACT,
  ...PLACE,
};
const SITE = {
  line: 'structureet',
  finess: '690000013',
  legalFiness: '690000021',
  siret: '99000000100011',
  name: 'CENTRE HOSPITALIER DES LILAS',
  shortName: 'CH LILAS',
  locality: 'SITE NORD',
  category: '355',
  publicService: '1',
  street: 'DES LILAS',
  ...CONTACT,
  ...PLACE,
};
const LYON = { latitude: 45.75, longitude: 4.85 };

describe('directory import: FINESS JSON, structure by structure', () => {
  async function read(entities: readonly unknown[], edition = '2026-11-20T02:06', more: object = {}) {
    const heard = listening(edition === '' ? undefined : edition, more);
    const chunks = async function* () {
      yield Buffer.from(finessJson(entities));
    };
    await readFinessJson(chunks(), heard.source, heard.targets);
    return {
      ...heard,
      notes: (heard.source as { finessJson: { oddStates: Map<string, object>; closed: object } }).finessJson,
    };
  }

  it('every name that is read, in its cell; establishments first', async () => {
    const { kept, read: counted, report, said } = await read([legalEntity()]);
    expect(kept).toEqual([
      ['finessJson', 3, 1, SITE],
      ['finessJson', '690000013', LYON, 'legal entity 1'],
      ['finessJson', 3, 1, ENTITY],
      ['finessJson', '690000021', LYON, 'legal entity 1'],
    ]);
    expect([report.lines, counted.reduce((sum, count) => sum + count), said()]).toEqual([
      2,
      2,
      { leftOut: [], warnings: {} },
    ]);
  });

  it('the postal line of a street, towns without a code, and coordinates in metres', async () => {
    const at = (names: Names) => legalEntity({ ege: [], adresse: [{ usageAdresse: '02', ...names }] });
    const metres = {
      coordonneeX: '4.85',
      coordonneeY: '45.75',
      directionLatitude: '6520000',
      directionLongitude: '843000',
    };
    const { kept } = await read([
      at({ ligneQuatre: '12 BIS AVENUE', ligneAcheminement: '69003 LYON', codePostal: '69003' }),
      at({ ligneQuatre: '12 BIS AVENUE', typeVoie: 'AV', ligneAcheminement: 'LYON' }),
      at({ codePostal: '69003', coordonneesGeographique: metres }),
    ]);
    const places = kept.flatMap((one) => {
      const [, , , row] = one as [string, number, number, Names | string];
      return typeof row === 'string' ? [] : [[row['street'], row['routing'], row['postalCode']]];
    });
    expect(places).toEqual([
      ['12 BIS AVENUE', '69003 LYON', '69003'],
      [undefined, 'LYON', undefined],
      [undefined, undefined, '69003'],
    ]);
    expect(kept.slice(-1)).toEqual([['finessJson', '690000021', LYON, 'legal entity 3']]);
  });

  it('states: open, closed, closed with something open in it, and those that are neither', async () => {
    const state = (etatObjet: unknown, ege: Names[] = [], numFinessPm = '690000021') =>
      legalEntity({ etatObjet, ege, informationsGeneralesPMEJ: { numFinessPm, dateFermeture: '2026-11-19' } });
    const odd = 'Inconnu depuis longtemps';
    const { kept, said, notes, report } = await read([
      state('a', [establishment({ etatObjet: 'i' }), establishment({ etatObjet: 'S' })]),
      state('I', [establishment()]),
      state('I', [], '690000047'),
      state(odd),
      state(null, [establishment({ etatObjet: odd })]),
      legalEntity({ informationsGeneralesPMEJ: { numFinessPm: '12' } }),
      7,
    ]);
    expect(kept.filter((one) => typeof (one as unknown[])[1] === 'number').map((one) => (one as unknown[])[2])).toEqual(
      [...[1, 2, 2]],
    );
    const short = 'Inconnu depuis longt…';
    expect(said()).toEqual({
      leftOut: [
        '1: establishment 2: the state "S" (etatObjet) is neither A nor I',
        `4: the state "${short}" (etatObjet) is neither A nor I`,
        `5: establishment 1: the state "${short}" (etatObjet) is neither A nor I`,
        '5: no state (etatObjet)',
        '6: FINESS number of the legal entity missing or malformed (its establishments are left out with it)',
        '7: not a JSON object',
      ],
      warnings: { 'closed-structure': ['establishment 690000013', 'legal entity 690000047'] },
    });
    expect([...notes.oddStates]).toEqual([
      ['S', { count: 1, first: 'legal entity 1, FINESS 690000013' }],
      [short, { count: 2, first: 'legal entity 4, FINESS 690000021' }],
      ['', { count: 1, first: 'legal entity 5, FINESS 690000021' }],
    ]);
    expect(notes.closed).toEqual({ count: 5, open: 1 });
    expect([report.lines, report.leftOut]).toEqual([11, 6]);
  });

  it('a closing date counts once it has passed', async () => {
    const closing = (dateFermeture: string) =>
      legalEntity({ ege: [], informationsGeneralesPMEJ: { numFinessPm: '690000021', dateFermeture } });
    const counted = async (...dates: string[]) => (await read(dates.map(closing))).notes.closed;
    expect(await counted('2026-11-19', '2026-11-20', '2030-01-01', '', '19/11/2026')).toEqual({ count: 1, open: 1 });
  });

  it('what is odd about a file', async () => {
    const { said } = await read([legalEntity()], '', { schema: 'V2.1' });
    expect(said().warnings).toEqual({
      'misfit-value': ['x: generatedAt, which gives no date'],
      'later-schema': ['x: schemaVersion V2.1'],
    });
    expect((await read([legalEntity()], undefined, { schema: '1.9' })).said().warnings).toEqual({});
  });

  it('names that no structure of a large file has, from a thousand on', async () => {
    const small = { etatObjet: 'A', informationsGeneralesPMEJ: { numFinessPm: '690000021', nouveau: '1' } };
    const absent = async (count: number) =>
      (await read(Array.from({ length: count }, () => small))).collector.warnings();
    expect((await absent(999)).map(({ kind }) => kind)).toEqual(['unknown-key']);
    const [unknown, missing] = await absent(1000);
    expect(unknown?.examples).toEqual([
      'x: pmej[].informationsGeneralesPMEJ.nouveau, 1000 times, first in legal entity 1',
    ]);
    expect(missing).toMatchObject({ kind: 'absent-key', count: 25 });
    expect(missing?.examples[0]).toBe('x: pmej[].informationsGeneralesPMEJ.denominationPm, in none of 1000');
  });
});
