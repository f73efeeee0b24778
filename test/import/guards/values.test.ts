// Guards on values, and which verdicts an operator may accept.

import { describe, expect, it } from '@jest/globals';
import { type Acceptance, acceptOption, withAcceptances } from '#import/guards/acceptances.ts';
import { guardFillFloors, guardFillRates } from '#import/guards/fill-rates.ts';
import type { EditionToJudge } from '#import/guards/measured-edition.ts';
import { guardCharacters, guardColumns, guardCommonValues } from '#import/guards/values.ts';
import { refuses, sentenceOf, sentencesOf, type Verdict, verdict } from '#import/guards/verdict.ts';
import { countedEdition, lines } from '#support/import/counted-columns.ts';
import type { Cells } from '#support/import/register-files.ts';

// Directory data, section 4: an emptied column is seen, against the edition before and at a first import; a small change, a
// rare column and what an operator has accepted are not refused.
describe('import: emptied columns', () => {
  const failed = (verdicts: readonly Verdict[]) => verdicts.filter(({ passed }) => !passed).map(sentenceOf);
  const rates = (edition: EditionToJudge) => failed(guardFillRates(edition));
  const floors = (edition: EditionToJudge) => failed(guardFillFloors(edition));

  const CITY = 37;
  const INDEX = 29;
  /** A column that is empty in the first so many lines. */
  const emptied = (column: number, count: number, all = 1000) =>
    lines(all, (index) => (index < count ? { [column]: '' } : {}));
  const good = countedEdition(lines(1000));

  describe('directory data 4: fill rates against the edition before', () => {
    it('names file, column, both shares, the first empty line and the remedy', () => {
      expect(rates(countedEdition(emptied(CITY, 400), { before: good }))).toEqual([
        'fill-rates (activities): pa.txt, column "Libellé commune (coord. structure)": filled in 600 of 1000 lines (60.0 %), 100.0 % before (limit: a fall by 10.0 % of it); empty first in line 2. Take the file as published, again if need be',
      ]);
    });

    it('a fall by a tenth passes, by more does not', () => {
      expect(rates(countedEdition(emptied(CITY, 100), { before: good }))).toEqual([]);
      expect(rates(countedEdition(emptied(CITY, 101), { before: good }))).toHaveLength(1);
    });

    it('counts from twenty cases on: a rare column may come and go', () => {
      const rare = (count: number) => countedEdition(lines(1000, (index) => (index < count ? { [INDEX]: 'B' } : {})));
      expect(rates(countedEdition(lines(1000), { before: rare(19) }))).toEqual([]);
      expect(rates(countedEdition(lines(1000), { before: rare(20) }))).toHaveLength(1);
      expect(
        rates(
          countedEdition(
            lines(1000, (index) => (index < 8 ? { [INDEX]: 'B' } : {})),
            { before: rare(21) },
          ),
        ),
      ).toEqual([]);
    });

    it('is a share of the lines: a smaller edition is not an emptier one, and a fuller one is well', () => {
      expect(rates(countedEdition(lines(500), { before: good }))).toEqual([]);
      expect(rates(countedEdition(lines(1000), { before: countedEdition(emptied(CITY, 900)) }))).toEqual([]);
    });

    it('passes columns that fill no element, and every column at a first import', () => {
      const countryCode = lines(1000, () => ({ 38: '99000' }));
      expect(rates(countedEdition(lines(1000), { before: countedEdition(countryCode) }))).toEqual([]);
      expect(guardFillRates(countedEdition(emptied(CITY, 1000)))).toEqual([]);
    });
  });

  describe('directory data 4: what every edition holds', () => {
    it('names: 2 % may be missing, as many cases as that not being few', () => {
      expect(floors(countedEdition(emptied(7, 20)))).toEqual([]);
      expect(floors(countedEdition(emptied(7, 21)))).toEqual([
        expect.stringContaining(
          `column "Nom d'exercice": filled in 979 of 1000 lines (97.9 %) (at least 98.0 % in every edition); empty first in line 2`,
        ),
      ]);
    });

    it('a column of structures is held against the lines that name one', () => {
      const structure = Array.from({ length: 27 }, (_, index) => index + 19);
      const without = Object.fromEntries([...structure, 17, 18, 48, 49].map((column) => [column, '']));
      expect(floors(countedEdition(lines(1000, (index) => (index < 800 ? without : {}))))).toEqual([]);
      expect(floors(countedEdition(emptied(CITY, 700)))).toEqual([
        expect.stringContaining('filled in 300 of 1000 lines with "Identifiant technique de la structure" (30.0 %)'),
      ]);
    });

    it('a trial with a few lines of one’s own is no register', () => {
      expect(floors(countedEdition(emptied(7, 99, 99)))).toEqual([]);
      expect(floors(countedEdition(emptied(7, 100, 100)))).toHaveLength(1);
    });

    it('what was accepted once is not refused the next night; what was well before is', () => {
      const empty = countedEdition(emptied(7, 500));
      expect(floors(countedEdition(emptied(7, 500), { before: empty }))).toEqual([]);
      expect(floors(countedEdition(emptied(7, 30), { before: good }))).toHaveLength(1);
    });
  });
});

// Directory data, section 4: values of another column, in another encoding, or changed by a spreadsheet are seen.
describe('import: values of columns', () => {
  const failed = (verdicts: readonly Verdict[]) => verdicts.filter(({ passed }) => !passed).map(sentenceOf);
  const columns = (edition: EditionToJudge) => failed(guardColumns(edition));
  const characters = (edition: EditionToJudge) => failed(guardCharacters(edition));
  const common = (edition: EditionToJudge) => failed(guardCommonValues(edition));

  const good = countedEdition(lines(1000));
  /** The first so many lines with these cells. */
  const first = (count: number, cells: Cells) => lines(1000, (index) => (index < count ? cells : {}));
  const POSTAL = 35;

  describe('directory data 4: values that look like those of another column', () => {
    it('a first import: half of them, and few postal codes that lost their zero', () => {
      expect(columns(countedEdition(first(500, { 10: '10' })))).toEqual([]);
      expect(columns(countedEdition(first(501, { 10: '10' })))).toEqual([
        'columns (activities): pa.txt, column "Libellé profession": 501 of 1000 values (50.1 %) do not belong there (limit 50.0 %), such as "10" in line 2. Are columns swapped, or were numbers changed by a spreadsheet? Take the file as published',
      ]);
      expect(columns(countedEdition(first(30, { [POSTAL]: '1000' })))).toEqual([]);
      expect(columns(countedEdition(first(31, { [POSTAL]: '1000' })))).toHaveLength(1);
      // New Caledonia and French Polynesia.
      for (const phone of ['274121', '27.41.21', '40462000', '40 46 20 00'])
        expect(columns(countedEdition(first(1000, { 40: phone })))).toEqual([]);
    });

    it('a renewal: more than were there before', () => {
      expect(columns(countedEdition(first(20, { 40: 'AUCUN' }), { before: good }))).toEqual([]);
      expect(columns(countedEdition(first(21, { 40: 'AUCUN' }), { before: good }))).toHaveLength(1);
      const used = countedEdition(first(600, { 10: '10' }));
      expect(columns(countedEdition(first(620, { 10: '10' }), { before: used }))).toEqual([]);
    });

    it.each([
      ['a SIRET in scientific notation', { 19: '9,91E+13' }],
      ['a FINESS number without its zero', { 21: '10000123' }],
      ['a code of commune without its zero', { 36: '1053' }],
      ['a telephone number without its zero', { 40: '199000001' }],
      ['the profession in the place of its category', { 11: '10' }],
      ['the category in the place of the profession', { 9: 'C' }],
      ['digits in the place of a name', { 7: '19000000018' }],
    ] as [string, Cells][])('%s', (_name, cells) => {
      expect(columns(countedEdition(lines(1000, () => cells)))).toHaveLength(1);
    });

    it('a few cases say nothing', () => {
      expect(columns(countedEdition(lines(19, () => ({ 10: '10' }))))).toEqual([]);
      expect(columns(countedEdition(lines(20, () => ({ 10: '10' }))))).toHaveLength(1);
    });
  });

  describe('directory data 4: encodings', () => {
    it('a first import whose labels have lost their accents', () => {
      const plain = (count: number) => lines(1000, (index) => ({ 18: index < count ? 'Libral' : 'Libéral' }));
      expect(characters(countedEdition(plain(800)))).toEqual([]);
      expect(characters(countedEdition(plain(801)))).toEqual([
        'characters (activities): pa.txt, column "Libellé mode exercice": 199 of 1000 values (19.9 %) have accents (at least 20.0 % in every edition). The file was converted from one encoding to another: take it as published, in UTF-8',
      ]);
      expect(characters(countedEdition(lines(99, () => ({ 18: 'Libral' }))))).toEqual([]);
      // It was accepted.
      expect(characters(countedEdition(plain(1000), { before: countedEdition(plain(1000)) }))).toEqual([]);
    });

    it('1 % of the values of a column, from twenty on', () => {
      const many = (count: number) => countedEdition(lines(3000, (index) => (index < count ? { 8: 'Andr?' } : {})));
      expect(characters(many(30))).toEqual([]);
      expect(characters(many(31))).toEqual([
        `characters (activities): pa.txt, column "Prénom d'exercice": 31 of 3000 values (1.03 %) have characters that stand for others (limit 1.00 %), such as "Andr?" in line 2. The file was converted from one encoding to another: take it as published, in UTF-8`,
      ]);
      expect(characters(countedEdition(lines(100, (index) => (index < 19 ? { 8: 'Andr?' } : {}))))).toEqual([]);
    });

    it('a register that always held some is no news', () => {
      const used = countedEdition(first(100, { 8: 'Andr?' }));
      expect(characters(countedEdition(first(110, { 8: 'Andr?' }), { before: used }))).toEqual([]);
      expect(characters(countedEdition(first(150, { 8: 'Andr?' }), { before: used }))).toHaveLength(1);
    });

    it('a column that has lost more than half of its accents', () => {
      const plain = (from: number) =>
        countedEdition(
          lines(1000, (index) => (index >= from && index % 3 ? { 8: 'Helene' } : {})),
          { before: good },
        );
      expect(characters(plain(510))).toEqual([]);
      expect(characters(plain(450))).toEqual([
        expect.stringMatching(/300 of 1000 values \(30.0 %\) have accents, 66.6 % before/),
      ]);
    });
  });

  describe('directory data 4: the commonest values are those of before', () => {
    it('family and given names swapped', () => {
      const swapped = lines(1000, (index) => ({
        7: index % 3 ? `Prénom${index % 20}` : 'Jean',
        8: `NOM${index % 100}`,
      }));
      expect(common(countedEdition(swapped, { before: good }))).toEqual([
        expect.stringMatching(/column "Nom d'exercice": 0 of 1000 values .*; the commonest are "jean", "prenom1/),
        expect.stringMatching(/column "Prénom d'exercice": 0 of 1000 values .* \("jean", .*; the commonest are "nom0"/),
      ]);
    });

    it('case and accents do not matter, and half of them may go', () => {
      const upper = lines(1000, (index) => ({ 8: index % 3 ? `PRENOM${index % 20}` : 'JEAN' }));
      expect(common(countedEdition(upper, { before: good }))).toEqual([]);
      expect(common(countedEdition(first(490, { 10: 'Interne' }), { before: good }))).toEqual([]);
      expect(common(countedEdition(first(510, { 10: 'Interne' }), { before: good }))).toHaveLength(1);
    });

    it('one name for most people, from 2000 lines on, unless it was accepted', () => {
      const civility = (count: number, all = 2000) => lines(all, (index) => (index < count ? { 7: 'MME' } : {}));
      expect(common(countedEdition(civility(1000)))).toEqual([]);
      expect(common(countedEdition(civility(1001)))).toEqual([
        expect.stringContaining('1001 of 2000 values (50.0 %) are "mme"'),
      ]);
      expect(common(countedEdition(civility(1999, 1999)))).toEqual([]);
      expect(common(countedEdition(civility(1200), { before: countedEdition(civility(1200)) }))).toEqual([]);
      expect(common(countedEdition(lines(2000), { before: countedEdition(civility(2000)) }))).toEqual([]);
    });
  });
});

// operations.md, `--accept REASON[:REGISTER],...`: each reason covers what it names, and nothing else.
describe('operations.md: --accept', () => {
  const failed = (register?: string) =>
    verdict('registers', {
      ...(register !== undefined && { register }),
      passed: false,
      figures: 'fewer',
      remedy: 'Look',
    });
  const standing = (verdicts: Parameters<typeof withAcceptances>[0], ...accept: Acceptance[]) =>
    withAcceptances(verdicts, accept)
      .filter(refuses)
      .map(({ name, register }) => `${name} ${register ?? ''}`.trim());

  const three = [failed('skills'), failed('finess structureet'), failed()];

  it('covers all registers, one, or all parts of one', () => {
    expect(standing(three, { name: 'registers' })).toEqual([]);
    expect(standing(three, { name: 'registers', register: 'skills' })).toEqual([
      'registers finess structureet',
      'registers',
    ]);
    expect(standing(three, { name: 'registers', register: 'finess' })).toEqual(['registers skills', 'registers']);
    expect(standing(three, { name: 'registers', register: 'skill' })).toHaveLength(3);
    expect(standing(three, { name: 'shrinkage' })).toHaveLength(3);
  });

  it('never covers what nobody may accept, and leaves what passed as it is', () => {
    const people = verdict('people', { passed: false, figures: 'fictional' });
    expect(standing([people], { name: 'people' })).toEqual(['people']);
    const passed = verdict('registers', { passed: true, figures: 'as many', remedy: 'Look' });
    expect(withAcceptances([passed], [{ name: 'registers' }])).toEqual([
      { name: 'registers', passed: true, figures: 'as many' },
    ]);
  });

  it('is printed as it can be given again, only where it helps', () => {
    expect(acceptOption(three, [])).toBe('--accept registers:skills,registers:finess/structureet,registers');
    expect(acceptOption([...three, verdict('canaries', { passed: false, figures: 'lost' })], [])).toBe('');
    const given = [{ name: 'other-people' }, { name: 'registers' }];
    expect(acceptOption(withAcceptances(three, given), given)).toBe('');
    const shrunk = verdict('shrinkage', { passed: false, figures: 'fewer' });
    expect(acceptOption(withAcceptances([...three, shrunk], given), given)).toBe(
      '--accept other-people,registers,shrinkage',
    );
    expect(acceptOption([...three, failed('diplomas')], [])).toBe('--accept registers');
    expect(sentenceOf(failed('skills'))).toBe('registers (skills): fewer. Look');
  });

  it('what a guard says of several registers alike is one sentence; what was accepted needs no remedy', () => {
    expect(
      sentencesOf([...three, verdict('registers', { register: 'diplomas', passed: false, figures: 'none' })]),
    ).toEqual([
      'registers (skills, finess structureet): fewer. Look',
      'registers: fewer. Look',
      'registers (diplomas): none',
    ]);
    expect(sentencesOf(withAcceptances([failed()], [{ name: 'registers' }]))).toEqual(['registers: fewer']);
  });
});
