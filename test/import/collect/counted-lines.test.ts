// What is counted while lines are read: the values of columns, and characters that stand for others.

import { describe, expect, it } from '@jest/globals';
import { type ColumnTally, createColumnTallies } from '#import/collect/column-tally.ts';
import type { Column } from '#import/collect/columns.ts';
import { damaged, foreignToAscii, hasAccents } from '#import/collect/damaged-characters.ts';

// Directory data, section 4: what the columns of a file hold is counted, line by line and in a sample, in all threads.
it('directory data 4: columns are counted values longer than any name or label are seen, and not held', () => {
  const COLUMNS: readonly Column[] = [
    { key: 'family', label: 'Name', to: 'name.family', shape: /^\D+$/ },
    { key: 'other', label: 'Other', omitted: 'nobody needs it' },
    { key: 'phone', label: 'Phone', to: 'telecom' },
  ];
  function counted(rows: readonly (readonly string[])[], file = 'pa.txt', from = 2) {
    const tallies = createColumnTallies();
    for (const [index, row] of rows.entries()) tallies.count(file, 'activities', COLUMNS, row, from + index);
    return tallies;
  }
  const named = (tallies: readonly ColumnTally[], label: string) =>
    tallies.find(({ column }) => column.label === label);

  const name = named(counted([['N'.repeat(300)], ['N'.repeat(301)]]).all(), 'Name');
  expect([name?.seen, [...(name?.values.keys() ?? [])]]).toEqual([2, ['n'.repeat(300)]]);
});

// Directory data, section 2: accents are mostly there; what conversions leave of them is known, and real names are not mistaken.
describe('directory data 2: characters that stand for others', () => {
  it.each([
    ['UTF-8 read as Windows-1252', 'FranÃ§ois'],
    ['the same, in capitals', 'Saint-Ã‰tienne'],
    ['the same, à', 'Ã\u00a0 la Croix'],
    ['the same, whose second half was a control character', 'LEFÃ VRE'],
    ['the same, at the end', 'SOCIÃ'],
    ['the same, œ', 'SacrÃ©-CÅ“ur'],
    ['the same, an apostrophe', 'lâ€™Hay'],
    ['the same, twice', 'ï¿½'],
    ['the replacement character', 'No\ufffdl'],
    ['private use', 'No\ue001l'],
    ['a question mark within', 'Fran?ois'],
    ['a question mark at the end', 'Andr?'],
    ['a question mark at the beginning', '?lodie'],
    ['code page 850 read as Windows-1252', 'Andr‚'],
    ['an entity of HTML', 'M&eacute;decin'],
    ['an entity by its number', 'M&#233;decin'],
    ['an escape of JSON', 'M\\u00e9decin'],
  ])('%s', (_name, value) => {
    expect(foreignToAscii(value) && damaged(value)).toBe(true);
  });

  it.each([
    ...[
      'Élodie',
      'François',
      'Noël',
      'Œuvre',
      'CŒUR',
      'Âge',
      'Béatrice',
      'NUÑEZ',
      'MAGALHÃES',
      'SÃO JOÃO',
      'ÅSA',
      'ŁUKASZ',
    ],
    ...[
      'R&D; SA',
      'DUPONT & FILS',
      'QUI SUIS-JE ?',
      '«\u00a0Le Pré\u00a0»',
      'l’Haÿ',
      'N° 5',
      'a…',
      'C:\\users',
      'Þór',
      '100 % santé',
    ],
  ])('%s is as it should be', (value) => {
    expect(damaged(value)).toBe(false);
  });

  it('knows accents', () => {
    expect(['é', 'Œ', 'ÿ', 'ł'].map(hasAccents)).toEqual([true, true, true, true]);
    expect(['e', '°', '’', '?'].map(hasAccents)).toEqual([false, false, false, false]);
  });
});
