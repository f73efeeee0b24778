// Directory import: whatever stands in a cell, what the directory serves is valid STU3; and what looks the same in a register is
// kept and found as the same.

import { describe, expect, it } from '@jest/globals';
import { errorsOf } from '#support/fhir/validate.ts';
import { load } from '#support/import/fhir-resources.ts';
import { establishment, finessJson, legalEntity } from '#support/import/finess-json-files.ts';
import {
  activity,
  type Cells,
  finessEstablishment,
  finessFile,
  finessLegalEntity,
  HEADERS,
  openBench,
  type PipeRegister,
  registerText,
} from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';

describe('odd values', () => {
  const bench = openedForEach(openBench);

  const all = async (type: 'Practitioner' | 'Organization' | 'PractitionerRole') =>
    (await (await bench.snapshot()).search({ type, clauses: [], limit: 2000, total: false })).matches.map(
      ({ json }) => JSON.parse(json) as Record<string, unknown>,
    );

  const ODD = [
    ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'],
    ...['A  B', '\u00a0A\u202f\u00a0B\u3000', '\u200b', '\u00ad', ' ', '0', '1e5', '"', '-'],
    ...['\ud83d\ude00', 'x'.repeat(300), 'A\u0001B', '\ufeffF\u2060'],
  ];

  describe('directory data 3: odd cells', () => {
    it('in every column of every register: each resource is valid STU3', async () => {
      const lineOf = (register: PipeRegister, odd: string, at: number, kept: Cells): Cells => ({
        ...Object.fromEntries(HEADERS[register].split('|').map((_, column) => [column, odd])),
        2: `8${19000000000 + at}`,
        ...kept,
      });
      const lines = (register: PipeRegister, kept: (odd: string, at: number) => Cells = () => ({})) =>
        registerText(
          register,
          ODD.map((odd, at) => lineOf(register, odd, at, kept(odd, at))),
        );
      const cells = (odd: string) => Object.fromEntries(Array.from({ length: 28 }, (_, cell) => [cell + 3, odd]));
      const report = await load(
        bench,
        bench.file(
          'activities.txt',
          lines('activities', (_, at) => (at % 3 === 0 ? { 0: '8', 23: '' } : {})),
        ),
        bench.file('diplomas.txt', lines('diplomas')),
        bench.file('skills.txt', lines('skills')),
        bench.file(
          'mail.txt',
          lines('mailboxes', (odd, at) => ({
            0: at % 2 === 0 ? 'PER' : 'ORG',
            1: `a${at}@b.example`,
            2: odd,
            4: `8${19000000000 + at}`,
          })),
        ),
        bench.file(
          'finess.csv',
          finessFile(
            ...ODD.map((odd, at) =>
              finessEstablishment({ ...cells(odd.replaceAll('"', '')), 1: String(690000013 + at), 2: '690000021' }),
            ),
          ),
        ),
      );
      expect(report.outcome).toBe('imported');
      expect(report.resources.Practitioner).toBe(ODD.length);
      for (const type of ['Practitioner', 'Organization', 'PractitionerRole'] as const) {
        for (const resource of await all(type))
          expect([resource['id'], errorsOf(resource)]).toEqual([resource['id'], []]);
      }
    });

    it('a type of skill or diploma that is the name of something in JavaScript gives a coding without system', async () => {
      const person = { 2: '819000000018' };
      await bench.run([
        bench.file(
          'a',
          registerText('activities', [activity({ 13: 'constructor', 14: 'Type', 15: 'X', 16: 'Label' })]),
        ),
        bench.file('d', registerText('diplomas', [{ ...person, 5: '__proto__', 6: 'Type', 7: 'Y', 8: 'Label' }])),
      ]);
      const { qualification } = (await bench.read('Practitioner', '819000000018')) as {
        qualification: { code: object }[];
      };
      expect(qualification.map(({ code }) => code).slice(1)).toEqual([
        { coding: [{ code: 'X', display: 'Label' }, expect.objectContaining({ code: 'constructor' })] },
        { coding: [{ code: 'Y', display: 'Label' }, expect.objectContaining({ code: '__proto__' })] },
      ]);
    });
  });

  describe('directory import: what looks the same is kept and found as the same', () => {
    const names = async (word: string) => {
      const anyOf = [[{ prefix: word, whole: [] }]];
      const query = { type: 'Practitioner', clauses: [{ field: 'name', match: 'words', anyOf }], limit: 9 } as const;
      return (await (await bench.snapshot()).search({ ...query, total: false })).matches.map(({ id }) => id);
    };

    it.each([
      ['zero-width', 'MAR\u200bTIN', 'invisible-character', 'MARTIN', 'martin'],
      ['a no-break blank', 'LE\u00a0GOFF', 'unusual-form', 'LE GOFF', 'goff'],
      ['sharp s', 'GRO\u00df', undefined, 'GRO\u00df', 'gross'],
    ])('%s', async (_, published, warning, kept, word) => {
      const report = await bench.run([bench.file('a', registerText('activities', [activity({ 7: published })]))]);
      expect(report.warnings.map(({ kind }) => kind)).toEqual(warning === undefined ? [] : [warning]);
      expect(await bench.read('Practitioner', '819000000018')).toMatchObject({ name: [{ family: kept }] });
      expect(await names(word)).toEqual(['819000000018']);
    });

    it('a national identifier with something invisible in it is that of the person', async () => {
      const report = await bench.run([
        bench.file(
          'a',
          registerText('activities', [activity(), activity({ 2: '\ufeff8190000\u200b00018', 7: 'MARTIN' })]),
        ),
        bench.file('m', registerText('mailboxes', [{ 0: 'PE\u200bR', 1: 'j@b.example', 4: '819000000018', 6: 'x' }])),
      ]);
      expect(report.linesLeftOut.count).toBe(0);
      expect(report.resources.Practitioner).toBe(1);
      expect(await bench.read('Practitioner', '819000000018')).toMatchObject({ telecom: [{ value: 'j@b.example' }] });
    });

    it('half a character in the FINESS JSON feed is replaced with a warning', async () => {
      const general = { numFinessEge: '690000013', nomEgeLong: 'CLINIQUE \ud800' };
      const text = finessJson([legalEntity({ ege: [establishment({ informationsGeneralesEGE: general })] })]);
      const report = await bench.run([bench.file('f.json', text)]);
      expect(report.warnings).toContainEqual(expect.objectContaining({ kind: 'broken-character', count: 1 }));
      expect(await bench.read('Organization', 'F690000013')).toMatchObject({ name: 'CLINIQUE \ufffd' });
    });

    it('a member that stands twice in the FINESS JSON feed leaves the legal entity out, by name', async () => {
      const good = legalEntity();
      const other = JSON.stringify(legalEntity()).replace('"siren":', '"denominationPm":"OTHER","siren":');
      const text = finessJson([good]).replace('"pmej": [', `"pmej": [${other},`);
      const report = await load(bench, bench.file('f.json', text));
      expect(report.linesLeftOut.examples.map(({ reason }) => reason)).toEqual([
        'the member "denominationPm" stands twice in one object',
      ]);
    });
  });

  describe('directory data 2: FINESS text with a byte order mark and with all cells in quotes', () => {
    const quoted = (text: string) => text.replaceAll(/[^;\n]+/g, '"$&"').replaceAll(/;(?=;|\n)/g, ';""');

    it.each([
      ['a mark', `\ufeff${finessFile(finessLegalEntity(), finessEstablishment())}`],
      ['both', `\ufeff${quoted(finessFile(finessLegalEntity(), finessEstablishment()))}`],
    ])('%s: read as without', async (name, text) => {
      const report = await bench.run([bench.file('x.csv', text)]);
      expect([report.linesLeftOut.examples, report.lines]).toEqual([[], 2]);
      expect(report.files[0]?.edition).toBe(name.includes('no header') ? undefined : '2026-10-08');
      expect(await bench.read('Organization', 'F690000013')).toMatchObject({ name: 'CH DE LYON' });
    });
  });
});
