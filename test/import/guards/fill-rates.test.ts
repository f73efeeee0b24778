// Directory data, section 4: an emptied column is seen, against the edition before and at a first load; a small change, a
// rare column and what an operator has accepted are not refused.

import { describe, expect, it } from '@jest/globals';
import { guardFillFloors, guardFillRates } from '#import/guards/fill-rates.ts';
import type { MappedEdition } from '#import/guards/measured-edition.ts';
import { sentenceOf, type Verdict } from '#import/guards/verdict.ts';
import { countedEdition, lines } from '#support/import/counted-columns.ts';

const failed = (verdicts: readonly Verdict[]) => verdicts.filter(({ passed }) => !passed).map(sentenceOf);
const rates = (edition: MappedEdition) => failed(guardFillRates(edition));
const floors = (edition: MappedEdition) => failed(guardFillFloors(edition));

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

  it('passes columns that fill no element, and every column at a first load', () => {
    const countryCode = lines(1000, () => ({ 38: '99000' }));
    expect(rates(countedEdition(lines(1000), { before: countedEdition(countryCode) }))).toEqual([]);
    expect(guardFillRates(countedEdition(emptied(CITY, 1000)))).toEqual([]);
  });
});

describe('directory data 4: what every edition holds', () => {
  it('a published register passes', () => {
    expect(floors(good)).toEqual([]);
  });

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
