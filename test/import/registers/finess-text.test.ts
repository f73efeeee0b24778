// The text files of FINESS, line by line.

import { describe, expect, it } from '@jest/globals';
import { readFinessText } from '#import/registers/finess-text.ts';
import type { Names } from '#support/import/finess-json-files.ts';
import { listening } from '#support/import/finess-listening.ts';
import { finessEstablishment, finessLegalEntity } from '#support/import/register-files.ts';

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
          line: 'structureej',
          finess: '690000021',
          shortName: 'c2',
          name: 'c3',
          locality: 'c4',
          number: 'c5',
          streetType: 'c6',
          street: 'c7',
          streetMore: 'c8',
          distribution: 'c9',
          mention: 'c10',
          commune: 'c11',
          routing: '69003 LYON',
          departmentCode: 'c13',
          department: 'c14',
          phone: 'c15',
          status: 'c16',
          statusLabel: 'c17',
          category: 'c18',
          categoryLabel: 'c19',
          siren: 'c20',
        },
      ],
      [
        ...['finessText', 3, 3],
        {
          line: 'structureet',
          finess: '690000013',
          legalFiness: '690000021',
          shortName: 'c3',
          name: 'c4',
          locality: 'c5',
          distribution: 'c6',
          number: 'c7',
          streetType: 'c8',
          street: 'c9',
          streetMore: 'c10',
          mention: 'c11',
          commune: 'c12',
          departmentCode: 'c13',
          department: 'c14',
          routing: 'c15',
          phone: 'c16',
          fax: 'c17',
          category: 'c18',
          categoryLabel: 'c19',
          siret: 'c22',
          publicService: 'c26',
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
