// What the readers of FINESS keep of each structure, cell by cell, and what they say of those that they leave out.

import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { readFinessJson } from '#import/registers/finess-json-reader.ts';
import { F } from '#import/registers/finess-row.ts';
import { readFinessText } from '#import/registers/finess-text.ts';
import { establishment, finessJson, legalEntity, type Names } from '#support/import/finess-json-files.ts';
import { finessEstablishment, finessLegalEntity } from '#support/import/register-files.ts';

/** The filled cells of a row, by their keys. */
const filled = (row: readonly string[]) =>
  Object.fromEntries(Object.entries(F).flatMap(([key, at]) => (row[at] === '' ? [] : [[key, row[at]]])));

/** What a reader keeps and says of a source. */
function listening(edition?: string, more: object = {}) {
  const collector = createCollector();
  const kept: unknown[] = [];
  const read: number[] = [];
  const report = {
    name: 'x',
    kind: 'finess' as const,
    lines: 0,
    leftOut: 0,
    ...(edition !== undefined && { edition }),
  };
  const source = { input: { name: 'x' }, recognised: { kind: 'finess', headerLines: 0, ...more }, report, file: 3 };
  const targets = {
    collector,
    keepStructure: (form: string, row: readonly string[], { file }: { file: number }, line: number) =>
      kept.push([form, file, line, filled(row)]),
    keepPosition: (form: string, finess: string, position: unknown, at: string) =>
      kept.push([form, finess, position, at]),
    onRead: (count: number) => read.push(count),
  };
  const said = () => ({
    leftOut: collector.linesLeftOut().examples.map(({ line, reason }) => `${line}: ${reason}`),
    warnings: Object.fromEntries(collector.warnings().map(({ kind, examples }) => [kind, examples])),
  });
  return { source: source as never, targets: targets as never, report, kept, read, said, collector };
}

const CONTACT = { phone: '0199000001\u00020199000002', fax: '0199000003', mail: 'accueil@lilas.example' };
const PLACE = {
  ...{ number: '12', streetMore: 'BIS', streetType: 'AV', distribution: 'BATIMENT A', mention: 'BP 7' },
  ...{ commune: '69383', routing: '69003 LYON CEDEX 03', postalCode: '69003' },
};
const ENTITY = {
  ...{
    line: 'structureej',
    finess: '690000021',
    shortName: 'GP LILAS',
    name: 'GROUPE DES LILAS',
    locality: 'DIRECTION',
  },
  ...{ siren: '990000001', status: '13', category: '355', street: 'DU SIEGE', ...CONTACT, ...PLACE },
};
const SITE = {
  ...{ line: 'structureet', finess: '690000013', legalFiness: '690000021', siret: '99000000100011' },
  ...{ name: 'CENTRE HOSPITALIER DES LILAS', shortName: 'CH LILAS', locality: 'SITE NORD', category: '355' },
  ...{ publicService: '1', street: 'DES LILAS', ...CONTACT, ...PLACE },
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

describe('directory import: FINESS text, line by line', () => {
  const read = (text: Buffer, headerLines = 1, utf8 = true) => {
    const heard = listening('2026-10-08', { headerLines });
    const block = { bytes: text, utf8, firstLine: 1, unfinished: false, endless: false };
    readFinessText(block, heard.source, heard.targets);
    return { ...heard, lines: (heard.source as { finessLines?: object }).finessLines };
  };
  const line = (cells: object, kind: typeof finessEstablishment) => kind({ 2: '', 3: '', ...cells });

  it('every cell of each kind of line', () => {
    const cells = (from: number, to: number) =>
      Object.fromEntries(Array.from({ length: to - from + 1 }, (_, at) => [from + at, `c${from + at}`]));
    const text = [
      'finess;etalab;101;2026-10-08',
      finessLegalEntity({ ...cells(2, 22), 12: '69003 LYON' }),
      finessEstablishment({ ...cells(3, 31), 1: '690000013', 2: '690000021' }),
      'geolocalisation;690000013;843000.0;6520000.0;1,BAN,L93;2026-10-08',
      'geolocalisation;690000013;;;;;',
      '',
    ];
    const { kept, said, report, lines } = read(Buffer.from(text.join('\n')));
    expect(kept).toEqual([
      [
        ...['finessText', 3, 2],
        {
          ...{ line: 'structureej', finess: '690000021', shortName: 'c2', name: 'c3', locality: 'c4', number: 'c5' },
          ...{ streetType: 'c6', street: 'c7', streetMore: 'c8', distribution: 'c9', mention: 'c10', commune: 'c11' },
          ...{ routing: '69003 LYON', departmentCode: 'c13', department: 'c14', phone: 'c15', status: 'c16' },
          ...{ statusLabel: 'c17', category: 'c18', categoryLabel: 'c19', siren: 'c20' },
        },
      ],
      [
        ...['finessText', 3, 3],
        {
          ...{ line: 'structureet', finess: '690000013', legalFiness: '690000021', shortName: 'c3', name: 'c4' },
          ...{ locality: 'c5', distribution: 'c6', number: 'c7', streetType: 'c8', street: 'c9', streetMore: 'c10' },
          ...{ mention: 'c11', commune: 'c12', departmentCode: 'c13', department: 'c14', routing: 'c15', phone: 'c16' },
          ...{ fax: 'c17', category: 'c18', categoryLabel: 'c19', siret: 'c22', publicService: 'c26' },
          publicServiceLabel: 'c27',
        },
      ],
      [
        ...['finessText', '690000013'],
        { latitude: expect.closeTo(45.764611, 6), longitude: expect.closeTo(4.84001, 6) },
        'x, line 4',
      ],
      ['finessText', '690000013', undefined, 'x, line 5'],
    ]);
    expect([report.lines, said()]).toEqual([4, { leftOut: [], warnings: {} }]);
    expect(lines).toEqual({ structureej: 1, structureet: 1, geolocalisation: 2 });
  });

  it('lines that cannot be used, with the reason', () => {
    const long = line({ 4: 'x'.repeat(65_536) }, finessEstablishment);
    const text = [
      ...[long, 'structurexy-of-another-layout;1', '"structureet";"69', 'structureet;1;2', ''],
      ...[
        line({ 1: '12' }, finessEstablishment),
        `${line({}, finessEstablishment)};`,
        `${line({}, finessEstablishment)};X`,
      ],
      `${line({}, finessLegalEntity)}`,
    ];
    const { said, report } = read(Buffer.from(`${text.join('\n')}\n`), 0);
    expect(said()).toEqual({
      leftOut: [
        '1: longer than 64 KiB',
        '2: a line of unknown kind "structurexy-of-anoth"',
        '3: a cell in quotes that does not end on this line',
        '4: 3 cells instead of 32: another layout, or a ";" within a text',
        '6: FINESS number missing or malformed',
        '8: 33 cells instead of 32: another layout, or a ";" within a text',
      ],
      warnings: {},
    });
    expect([report.lines, report.leftOut]).toEqual([8, 6]);
  });

  it('lines in Windows-1252, and characters that nobody sees', () => {
    const text = Buffer.concat([
      Buffer.from(`${line({ 4: 'H\u00d4PITAL' }, finessEstablishment)}\n`, 'latin1'),
      Buffer.from(`${line({ 4: 'H\u00d4\u200bPITAL' }, finessEstablishment)}\n`),
    ]);
    const { kept, said } = read(text, 0, false);
    expect(kept.map((one) => ((one as unknown[])[3] as Names)['name'])).toEqual(['HÔPITAL', 'HÔPITAL']);
    expect(said().warnings).toEqual({ 'windows-1252': ['x, line 1'], 'invisible-character': ['x, line 2'] });
  });
});
