// Directory data, section 3: PractitionerRole from the activity lines; Organization from PA, FINESS and MSS together.

import { describe, expect, it } from '@jest/globals';
import { createConcepts } from '#import/mapping/codeable-concepts.ts';
import { mapRoles } from '#import/mapping/practitioner-role.ts';
import {
  activity,
  type Cells,
  finessEstablishment,
  finessFile,
  finessLegalEntity,
  HEADERS,
  openBench,
  registerText,
} from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';

const row = (cells: Cells) => HEADERS.activities.split('|').map((_, column) => cells[column] ?? '');
const NO_STRUCTURE = Object.fromEntries(Array.from({ length: 28 }, (_, index) => [19 + index, '']));

describe('directory data 3: PractitionerRole', () => {
  const codes = { 50: 'A', 51: 'Titulaire', 52: 'FON-01', 53: 'Titulaire de cabinet', 54: 'GENR01', 55: 'Soin' };

  it('is one for lines that differ by skill only, and keeps its id when the label of a code changes', () => {
    const one = row(activity({ ...codes, 13: 'S', 15: 'SM26' }));
    const other = row(activity({ ...codes, 13: 'S', 15: 'SM54' }));
    const roles = mapRoles('p', [one, other], createConcepts());
    expect(roles).toHaveLength(1);
    expect(roles[0]?.specialty).toHaveLength(2);
    expect(mapRoles('p', [row(activity({ ...codes, 53: 'Autre libellé' }))], createConcepts())[0]?.id).toBe(
      roles[0]?.id,
    );
    expect(mapRoles('p', [row(activity({ ...codes, 17: 'S' }))], createConcepts())[0]?.id).not.toBe(roles[0]?.id);
  });

  it('needs a structure or a way of working', () => {
    expect(mapRoles('p', [row(activity({ ...NO_STRUCTURE, 17: '', 18: '' }))], createConcepts())).toEqual([]);
    const [role] = mapRoles('p', [row(activity(NO_STRUCTURE))], createConcepts());
    expect(role).not.toHaveProperty('organization');
  });
});

describe('directory data 3: Organization', () => {
  const bench = openedForEach(openBench);

  const hospital = {
    19: '99020264000019',
    20: '990202640',
    21: '690000013',
    22: '690000021',
    23: 'F690000013',
    24: 'CH DE LYON',
  };

  async function load(files: Record<string, string>) {
    const paths = Object.entries(files).map(([name, text]) => bench.file(name, text));
    return bench.run(paths);
  }

  it('unites what PA, FINESS and MSS say', async () => {
    await load({
      'pa.txt': registerText('activities', [
        activity({
          ...hospital,
          25: 'HOPITAL EDOUARD',
          40: '04 72 00 00 00',
          42: '0472000001',
          43: 'accueil@ch.example',
          46: '1690000013',
          48: 'SA01',
          49: 'Public',
        }),
      ]),
      'et.csv': finessFile(
        finessEstablishment({
          3: 'CH LYON',
          4: 'CENTRE HOSPITALIER DE LYON',
          16: '0472000000',
          18: '355',
          19: 'Centre Hospitalier',
          22: '99020264000019',
          26: '1',
          27: 'Public',
        }),
      ),
      'ej.csv': finessFile(finessLegalEntity({ 3: 'GROUPE HOSPITALIER', 20: '990202640', 16: '13', 17: 'Public' })),
      'mss.txt': registerText('mailboxes', [
        { 0: 'ORG', 1: 'Urgences@ch-lyon.mssante.example', 5: 'FINESS', 6: '690000013', 7: 'URGENCES', 17: 'O' },
        { 0: 'APP', 1: 'robot@ch-lyon.mssante.example', 5: 'FINESS', 6: '690000013' },
      ]),
    });
    const found = await bench.read('Organization', 'F690000013');
    expect(found).toMatchObject({
      name: 'CH DE LYON',
      alias: ['HOPITAL EDOUARD', 'CENTRE HOSPITALIER DE LYON', 'CH LYON'],
      active: true,
      partOf: { reference: 'Organization/F690000021' },
    });
    const { identifier, telecom, type } = found as Record<
      string,
      { system: string; value: string; coding: { code: string }[] }[]
    >;
    expect(identifier?.map(({ system, value }) => [system, value])).toEqual([
      ['urn:oid:1.2.250.1.71.4.2.2', '1690000013'],
      ['https://finess.esante.gouv.fr', '690000013'],
      ['https://sirene.fr', '99020264000019'],
      ['https://sirene.fr', '990202640'],
      ['https://hygie.example/fhir/Identifier/organization-technical-id', 'F690000013'],
    ]);
    expect(telecom?.map(({ system, value }) => [system, value])).toEqual([
      ['phone', '04 72 00 00 00'],
      ['fax', '0472000001'],
      ['email', 'accueil@ch.example'],
      ['email', 'robot@ch-lyon.mssante.example'],
      ['email', 'Urgences@ch-lyon.mssante.example'],
    ]);
    expect(JSON.stringify(telecom?.[4])).toContain('{"url":"service","valueString":"URGENCES"}');
    expect(type?.map((one) => one.coding[0]?.code).sort()).toEqual(['1', '355', 'SA01']);
    expect(await bench.read('Organization', 'F690000021')).toMatchObject({
      name: 'GROUPE HOSPITALIER',
      type: [{ coding: [{ code: '13' }] }],
    });
  });
});
