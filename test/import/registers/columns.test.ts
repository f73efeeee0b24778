// Directory data, sections 2 and 3: every column of every register is mapped or left out with a reason; headers are
// recognised whatever their order, case, accents and wording.

import { describe, expect, it } from '@jest/globals';
import type { Column } from '#import/collect/columns.ts';
import { bindColumns, headerWords, rowOf } from '#import/registers/bind-header.ts';
import { FINESS_TEXT_CELLS } from '#import/registers/finess-text.ts';
import { ACTIVITY_COLUMNS, DIPLOMA_COLUMNS, MAILBOX_COLUMNS, SKILL_COLUMNS } from '#import/registers/person-columns.ts';
import { HEADERS, type PipeRegister } from '#support/import/register-files.ts';

const TABLES: Record<PipeRegister, readonly Column[]> = {
  activities: ACTIVITY_COLUMNS,
  diplomas: DIPLOMA_COLUMNS,
  skills: SKILL_COLUMNS,
  mailboxes: MAILBOX_COLUMNS,
};

describe('directory data 3: no column is forgotten', () => {
  it.each(Object.keys(HEADERS) as PipeRegister[])('%s: the table holds exactly the published header', (register) => {
    expect(TABLES[register].map((column) => column.label)).toEqual(HEADERS[register].split('|'));
  });

  it.each([
    ['legal entities', FINESS_TEXT_CELLS.structureej, 23],
    ['establishments', FINESS_TEXT_CELLS.structureet, 32],
    ['coordinates', FINESS_TEXT_CELLS.geolocalisation, 6],
  ] as const)('FINESS %s: every cell is in the table', (_name, cells, width) => {
    expect(cells).toHaveLength(width);
  });
});

describe('directory data 2: columns are bound by normalised header', () => {
  const headers = HEADERS.skills.split('|');

  it('takes the published header as it stands, with and without a trailing separator', () => {
    for (const published of [headers, [...headers, '']]) {
      const { binding, missing } = bindColumns(SKILL_COLUMNS, published);
      expect(missing).toEqual([]);
      expect(binding).toMatchObject({ inOrder: true, cells: 13, drifted: [] });
    }
  });

  it('takes any order, case and accents', () => {
    const shouted = headers.map((header) => header.toUpperCase().normalize('NFD').replace(/\p{M}/gu, '')).reverse();
    const { binding, missing } = bindColumns(SKILL_COLUMNS, shouted);
    expect(missing).toEqual([]);
    const row = rowOf(
      binding,
      shouted.map((_, index) => `cell ${index}`),
    );
    expect(row?.[0]).toBe('cell 12');
    expect(row?.[12]).toBe('cell 0');
  });

  it('takes small changes of wording', () => {
    expect(headerWords("Libellé civilité d'exercice")).toEqual(headerWords('LIBELLE CIVILITE EXERCICE'));
    expect(headerWords('Téléphone (coord. structure)')).toEqual(headerWords('Telephone (coordonnées de la structure)'));
    const changed = headers.map((header) =>
      header === 'Libellé type savoir-faire' ? 'Libellé du type de savoir-faire (PP)' : header,
    );
    const { binding, missing } = bindColumns(SKILL_COLUMNS, changed);
    expect(missing).toEqual([]);
    expect(binding.drifted).toEqual([
      { label: 'Libellé type savoir-faire', found: 'Libellé du type de savoir-faire (PP)' },
    ]);
  });

  it('takes further columns that nobody knows', () => {
    const { binding, missing } = bindColumns(SKILL_COLUMNS, ['Nouveau', ...headers]);
    expect(missing).toEqual([]);
    expect(binding.cells).toBe(14);
    expect(
      rowOf(
        binding,
        Array.from({ length: 14 }, (_, index) => String(index)),
      )?.[0],
    ).toBe('1');
  });

  it('names a mapped column that is missing, and does without one that is left out', () => {
    const without = (label: string) =>
      bindColumns(
        SKILL_COLUMNS,
        headers.filter((header) => header !== label),
      ).missing;
    expect(without('Code savoir-faire').map((column) => column.label)).toEqual(['Code savoir-faire']);
    expect(without('Code profession')).toEqual([]);
  });

  it('refuses lines with another number of cells', () => {
    const { binding } = bindColumns(SKILL_COLUMNS, headers);
    expect(rowOf(binding, Array(13).fill('x'))).toHaveLength(13);
    expect(rowOf(binding, [...Array(13).fill('x'), ''])).toHaveLength(13);
    expect(rowOf(binding, Array(12).fill('x'))).toBeUndefined();
    expect(rowOf(binding, Array(14).fill('x'))).toBeUndefined();
  });
});
