// Directory data, section 4: values of another column, in another encoding, or changed by a spreadsheet are seen.

import { describe, expect, it } from '@jest/globals';
import type { MappedEdition } from '#import/guards/measured-edition.ts';
import { guardCharacters, guardColumns, guardCommonValues } from '#import/guards/values.ts';
import { sentenceOf, type Verdict } from '#import/guards/verdict.ts';
import { countedEdition, lines } from '#support/import/counted-columns.ts';
import type { Cells } from '#support/import/register-files.ts';

const failed = (verdicts: readonly Verdict[]) => verdicts.filter(({ passed }) => !passed).map(sentenceOf);
const columns = (edition: MappedEdition) => failed(guardColumns(edition));
const characters = (edition: MappedEdition) => failed(guardCharacters(edition));
const common = (edition: MappedEdition) => failed(guardCommonValues(edition));

const good = countedEdition(lines(1000));
/** The first so many lines with these cells. */
const first = (count: number, cells: Cells) => lines(1000, (index) => (index < count ? cells : {}));
const POSTAL = 35;

describe('directory data 4: values that look like those of another column', () => {
  it('a first load: half of them, and few postal codes that lost their zero', () => {
    expect(columns(countedEdition(first(500, { 10: '10' })))).toEqual([]);
    expect(columns(countedEdition(first(501, { 10: '10' })))).toEqual([
      'columns (activities): pa.txt, column "Libellé profession": 501 of 1000 values (50.1 %) do not belong there (limit 50.0 %), such as "10" in line 2. Are columns swapped, or were numbers changed by a spreadsheet? Take the file as published',
    ]);
    expect(columns(countedEdition(first(30, { [POSTAL]: '1000' })))).toEqual([]);
    expect(columns(countedEdition(first(31, { [POSTAL]: '1000' })))).toHaveLength(1);
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
  it('a first load whose labels have lost their accents', () => {
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
    const swapped = lines(1000, (index) => ({ 7: index % 3 ? `Prénom${index % 20}` : 'Jean', 8: `NOM${index % 100}` }));
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
