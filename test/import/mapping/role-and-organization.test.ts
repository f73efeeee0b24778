// Directory data, section 3: PractitionerRole from the activity lines; Organization from PA, FINESS and MSS together.

import { describe, expect, it } from '@jest/globals';
import { type DirectoryResource, indexResource } from '#import/fhir/index-entries.ts';
import { createConcepts } from '#import/mapping/codeable-concepts.ts';
import { mapRoles } from '#import/mapping/practitioner-role.ts';
import { structureId } from '#import/mapping/resource-ids.ts';
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

  it('has mode (R23), kind (R22), function (R21), section (G05), specialty and references', () => {
    const skill = { 13: 'S', 14: 'Spécialité', 15: 'SM26', 16: 'Médecine générale' };
    const [role] = mapRoles('819000000018', [row(activity({ ...codes, ...skill }))], createConcepts());
    expect(role).toMatchObject({
      active: true,
      practitioner: { reference: 'Practitioner/819000000018' },
      organization: { reference: 'Organization/R20000000000001' },
      specialty: [{ coding: [{ code: 'SM26' }, { code: 'S' }] }],
    });
    expect(role?.code?.map((one) => one.coding?.[0]?.code)).toEqual(['L', 'GENR01', 'FON-01', 'A']);
    const { index } = indexResource(role as DirectoryResource);
    expect(index['organization']).toEqual(['Organization/R20000000000001']);
    expect(index['role']).toContain('FON-01');
    expect(role?.id).toMatch(/^[A-Za-z0-9.-]{1,64}$/);
  });

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

describe('directory data 3: Organization id', () => {
  it.each([
    ['the technical identifier', { 23: 'R20000000000001', 21: '690000013', 19: '99020264000019' }, 'R20000000000001'],
    ['else FINESS', { 23: '', 21: '690000013', 19: '99020264000019' }, 'F690000013'],
    ['else SIRET', { 23: '', 21: '', 19: '99020264000019' }, 'C99020264000019'],
  ])('is %s', (_what, cells, id) => {
    expect(structureId(row(activity(cells)))).toBe(id);
  });

  it('else is a hash of name and address, whatever the telephone', () => {
    const id = structureId(row(activity({ 23: '' })));
    expect(id).toMatch(/^o-[0-9a-f]{32}$/);
    expect(structureId(row(activity({ 23: '', 40: '0381385454' })))).toBe(id);
    expect(structureId(row(activity({ 23: '', 28: '13' })))).not.toBe(id);
    expect(structureId(row(activity(NO_STRUCTURE)))).toBeUndefined();
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

  it('takes no cut-off short name as alias and invents no name', async () => {
    await load({
      'pa.txt': registerText('activities', [activity({ 24: '', 25: '' })]),
      'et.csv': finessFile(finessEstablishment({ 3: 'CENTRE HOSPITALIER', 4: 'CENTRE HOSPITALIER DE LYON' })),
    });
    expect(await bench.read('Organization', 'F690000013')).not.toHaveProperty('alias');
    const nameless = await bench.read('Organization', 'R20000000000001');
    expect(nameless).not.toHaveProperty('name');
    expect(nameless?.['identifier']).toHaveLength(1);
  });

  it('makes a legal entity that is only named, with a warning', async () => {
    const report = await load({ 'pa.txt': registerText('activities', [activity(hospital)]) });
    expect(await bench.read('Organization', 'F690000021')).toMatchObject({
      id: 'F690000021',
      identifier: [{ value: '1690000021' }, { value: '690000021' }, {}],
    });
    expect(report.warnings).toContainEqual(expect.objectContaining({ kind: 'known-by-reference', count: 1 }));
  });

  it('finds the owner of a mailbox by SIRET, by name among several, and by the number of the national identifier', async () => {
    const siret = '99020264000019';
    await load({
      'pa.txt': registerText(
        'activities',
        [
          activity({ 19: siret, 23: 'R1', 24: 'CABINET DES LILAS' }),
          activity({ 1: '19000000025', 2: '819000000025', 19: siret, 23: 'R10000000000002', 24: 'CABINET DES ROSES' }),
          activity({ 1: '19000000033', 2: '819000000033', 23: 'R10000000000003', 46: '419000000033001' }),
        ].map((cells) => ({ ...cells, 23: cells[23] === 'R1' ? 'R10000000000001' : (cells[23] ?? '') })),
      ),
      'mss.txt': registerText('mailboxes', [
        { 0: 'ORG', 1: 'roses@x.mssante.example', 5: 'SIRET', 6: siret, 18: 'Cabinet des Roses' },
        { 0: 'ORG', 1: 'rang@x.mssante.example', 5: 'RPPS_RANG', 6: '19000000033001', 18: 'X' },
      ]),
    });
    const values = async (id: string) =>
      ((await bench.read('Organization', id))?.['telecom'] as { value: string }[] | undefined)?.map((one) => one.value);
    expect(await values('R10000000000001')).toBeUndefined();
    expect(await values('R10000000000002')).toEqual(['roses@x.mssante.example']);
    expect(await values('R10000000000003')).toEqual(['rang@x.mssante.example']);
  });

  it('keeps a structure that only the mail register knows, with the name and address of its line', async () => {
    const report = await load({
      'pa.txt': registerText('activities', [activity()]),
      'mss.txt': registerText('mailboxes', [
        {
          0: 'ORG',
          1: 'a@x.mssante.example',
          5: 'FINESS',
          6: '690000013',
          18: 'EHPAD LES LILAS',
          22: '4',
          24: 'R',
          25: 'PASTEUR',
          27: '69003 LYON',
          28: '69003',
        },
      ]),
    });
    expect(await bench.read('Organization', 'F690000013')).toMatchObject({
      name: 'EHPAD LES LILAS',
      address: [{ line: ['4 R PASTEUR', '69003 LYON'], city: 'LYON', postalCode: '69003' }],
    });
    expect(report.warnings).toContainEqual(expect.objectContaining({ kind: 'mail-without-structure', count: 1 }));
  });

  it('gives a FINESS address with city, postal code, INSEE code and district', async () => {
    await load({
      'et.csv': finessFile(
        finessEstablishment({
          7: '27',
          8: 'BD',
          9: 'ALBERT 1ER',
          11: 'CS 56712',
          12: '411',
          13: '9D',
          14: 'LA REUNION',
          15: '97400 ST DENIS CEDEX 9',
        }),
      ),
    });
    expect(await bench.read('Organization', 'F690000013')).toMatchObject({
      address: [
        {
          extension: [{ valueCoding: { code: '97411' } }],
          line: ['27 BD ALBERT 1ER', 'CS 56712', '97400 ST DENIS CEDEX 9'],
          city: 'ST DENIS',
          district: 'LA REUNION',
          postalCode: '97400',
        },
      ],
    });
  });

  it('leaves out a number without meaning, and finds a number in its national form too', async () => {
    const report = await load({
      'pa.txt': registerText('activities', [activity({ 40: '0000', 41: '+33684120833', 42: '0684120833' })]),
    });
    const contacts = (await bench.read('Organization', 'R20000000000001'))?.['telecom'] as { value: string }[];
    expect(contacts.map((one) => one.value)).toEqual(['+33684120833', '0684120833']);
    expect(report.warnings).toContainEqual(expect.objectContaining({ kind: 'meaningless-number', count: 1 }));
    const snapshot = await bench.snapshot();
    const found = await snapshot.search({
      type: 'Organization',
      clauses: [{ field: 'telecom', match: 'exact', anyOf: ['0684120833'] }],
      limit: 5,
      total: true,
    });
    expect(found.total).toBe(1);
  });
});
