// The figures of a column, to the last one: cells, samples of long files, lengths, and the tallies of several files together.

import { describe, expect, it } from '@jest/globals';
import { byFile, byRegister, type ColumnTally, createColumnTallies } from '#import/collect/column-tally.ts';
import { type Column, cell, indexOfColumns, maps, omits } from '#import/collect/columns.ts';

const COLUMNS: readonly Column[] = [
  maps('family', 'Name', 'name.family', /^\D+$/),
  omits('other', 'Other', 'nobody needs it'),
  omits('id', 'Id', 'taken from elsewhere', /^\d+$/),
];
function counted(rows: readonly (readonly string[])[], file = 'pa.txt', from = 2): ColumnTally[] {
  const tallies = createColumnTallies();
  for (const [index, row] of rows.entries()) tallies.count(file, 'activities', COLUMNS, row, from + index);
  return tallies.all();
}
const EMPTY = { seen: 0, odd: 0, damaged: 0, accented: 0, values: new Map(), lengths: [], marks: [] };

describe('columns', () => {
  it('fill an element or say why they fill none, and may have a shape', () => {
    expect(COLUMNS).toEqual([
      { key: 'family', label: 'Name', to: 'name.family', shape: /^\D+$/ },
      { key: 'other', label: 'Other', omitted: 'nobody needs it' },
      { key: 'id', label: 'Id', omitted: 'taken from elsewhere', shape: /^\d+$/ },
    ]);
    expect(maps('a', 'A', 'b')).toEqual({ key: 'a', label: 'A', to: 'b' });
    expect(indexOfColumns(COLUMNS)).toEqual({ family: 0, other: 1, id: 2 });
  });

  it('a cell is trimmed, and empty where there is none', () => {
    const row = [' a', 'b\u0001 ', ' c ', 'd e', ''];
    expect([0, 1, 2, 3, 4, 5].map((index) => cell(row, index))).toEqual(['a', 'b\u0001', 'c', 'd e', '', '']);
  });
});

describe('directory data 4: the figures of columns', () => {
  it('of a few lines: every figure of every column that is of use', () => {
    const [name, id, ...others] = counted([
      ['AB', 'x', '1'],
      [' ', 'x', ''],
      ['ÉLISA ', 'x', 'A'],
      ['No?l'],
      ['19', '', '7'],
    ]);
    expect(name).toEqual({
      file: 'pa.txt',
      register: 'activities',
      column: COLUMNS[0],
      rows: 5,
      filled: 4,
      firstEmpty: 3,
      seen: 4,
      odd: 1,
      oddExample: { line: 6, value: '19' },
      accented: 1,
      damaged: 1,
      damagedExample: { line: 5, value: 'No?l' },
      values: new Map(['ab', 'elisa', 'no?l', '19'].map((value) => [value, 1])),
      lengths: [0, 0, 2, 0, 1, 1],
      marks: [0, 0, expect.any(Number), 0, expect.any(Number), expect.any(Number)],
    });
    expect(name?.marks.map((marks) => marks.toString(2).replaceAll('0', '').length)).toEqual([0, 0, 2, 0, 1, 1]);
    expect(id).toEqual({
      file: 'pa.txt',
      register: 'activities',
      column: COLUMNS[2],
      rows: 5,
      filled: 3,
      firstEmpty: 3,
      ...EMPTY,
      seen: 3,
      odd: 1,
      oddExample: { line: 4, value: 'A' },
    });
    expect(others).toEqual([]);
  });

  it('of 5,000 lines: half of the first 4,096 and of those behind them, times two', () => {
    const rows = Array.from({ length: 5000 }, (_, index) => [
      index === 5 ? 'ONCE' : index === 6 || index === 8 ? 'TWICE' : 'é?e1',
    ]);
    const [name] = counted(rows);
    expect(name).toMatchObject({
      rows: 5000,
      filled: 5000,
      seen: 5000,
      odd: 4997,
      damaged: 4997,
      accented: 4997,
      lengths: [0, 0, 0, 0, 4998, 2],
    });
    expect([...(name?.values ?? [])]).toEqual([
      ['e?e1', 4997],
      ['twice', 2],
    ]);
  });

  it('of 10,000 lines that are alike: all of them, by a quarter', () => {
    const [name] = counted(Array.from({ length: 10_000 }, () => ['é?e1']));
    expect(name).toMatchObject({ rows: 10_000, seen: 10_000, odd: 10_000, damaged: 10_000, accented: 10_000 });
    expect([name?.lengths[4], name?.values.get('e?e1')]).toEqual([10_000, 10_000]);
  });

  it('the 200 commonest values, folded, and lengths up to 127', () => {
    const rows = Array.from({ length: 201 }, (_, index) => [
      [`Name ${index}`],
      ...(index > 0 ? [[`NAME ${index}`]] : []),
    ]);
    const [name] = counted([...rows.flat(), ['X'.repeat(127)], ['X'.repeat(140)]]);
    expect([name?.values.size, name?.values.get('name 0'), name?.values.get('name 200')]).toEqual([200, undefined, 2]);
    expect([name?.lengths.length, name?.lengths[127], name?.marks.length]).toEqual([128, 2, 128]);
  });

  it('different values set different bits of their length', () => {
    const values = Array.from({ length: 500 }, (_, index) => [`${(index * 7919) % 9973} NOM`.padStart(8, 'X')]);
    const marks = (rows: readonly (readonly string[])[]) => counted(rows)[0]?.marks[8] ?? 0;
    expect(marks(values)).toBe(2 ** 32 - 1);
    expect(marks(values.slice(0, 3)).toString(2)).toBe('1000010000000010000000000000000');
    expect(marks([...values.slice(0, 3), ...values.slice(0, 3)])).toBe(marks(values.slice(0, 3)));
  });

  it('two tallies of a column together', () => {
    const a = counted([['AB'], [''], ['19é?e']], 'a.txt', 10);
    const b = counted([['abc'], ['7é?e'], ['']], 'b.txt', 3);
    const [name] = byRegister([...a, ...b]);
    expect(name).toEqual({
      file: 'a.txt, b.txt',
      register: 'activities',
      column: COLUMNS[0],
      rows: 6,
      filled: 4,
      firstEmpty: 5,
      seen: 4,
      odd: 2,
      oddExample: { line: 4, value: '7é?e' },
      accented: 2,
      damaged: 2,
      damagedExample: { line: 4, value: '7é?e' },
      values: new Map(['ab', '19e?e', 'abc', '7e?e'].map((value) => [value, 1])),
      lengths: [0, 0, 1, 1, 1, 1],
      marks: [0, 0, 1, 1, 1, 1].map((any) => any && expect.any(Number)),
    });
    expect(byRegister([...b, ...a])[0]).toMatchObject({
      file: 'b.txt, a.txt',
      firstEmpty: 5,
      lengths: [0, 0, 1, 1, 1, 1],
    });
    expect(byRegister([...a, ...b, ...a])[0]).toMatchObject({
      file: 'a.txt, b.txt',
      rows: 9,
      lengths: [0, 0, 2, 1, 1, 2],
    });
    expect(byFile([...a, ...b, ...a]).map(({ file, column, rows }) => [file, column.key, rows])).toEqual([
      ['a.txt', 'family', 6],
      ['a.txt', 'id', 6],
      ['b.txt', 'family', 3],
      ['b.txt', 'id', 3],
    ]);
    const [filled] = byRegister([...counted([['A']], 'a.txt'), ...counted([['B']], 'b.txt')]);
    expect(filled).not.toHaveProperty('oddExample');
    expect(filled).not.toHaveProperty('damagedExample');
    expect(filled?.firstEmpty).toBe(0);
    expect(byRegister([...counted([['A']]), ...b])[0]).toMatchObject({ firstEmpty: 5, oddExample: { line: 4 } });
  });
});
