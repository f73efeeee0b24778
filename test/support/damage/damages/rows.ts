// Rows of registers with their columns by name, and the ways in which cells come to stand beside other rows than their own.

import type { FileKey } from '#sandbox/shipped-edition.ts';
import { type EditionFiles, nameOf, withLines } from '#support/damage/edition-files.ts';
import type { Draw } from '#support/draw.ts';

export type Row = string[];
export type Columns = readonly number[];

/** Columns of the register of activities. */
export const A = {
  number: 1,
  nationalId: 2,
  title: [3, 4],
  civility: [5, 6],
  family: 7,
  given: 8,
  profession: [9, 10],
  skill: [13, 14, 15, 16],
  mode: [17, 18],
  siret: 19,
  finess: 21,
  /** Identifiers and names of the structure, its address, its contacts. */
  structure: Array.from({ length: 28 }, (_, at) => at + 19),
  structureId: 23,
  structureName: 24,
  streetNumber: 28,
  street: [28, 29, 30, 31, 32],
  address: [28, 29, 30, 31, 32, 33, 34, 35, 36, 37],
  routing: 34,
  postcode: 35,
  town: 37,
  phone: 40,
  fax: 42,
  mail: 43,
  role: [52, 53],
} as const;
/** Columns of the registers of diplomas, of mailboxes, of FINESS' establishments. */
export const D = { nationalId: 2, diploma: [5, 6, 7, 8, 9, 10, 11, 12] } as const;
export const M = {
  type: 0,
  address: 1,
  nationalId: 4,
  family: 9,
  given: 10,
  profession: [13, 14],
  skill: [15, 16],
} as const;
export const E = { legalEntity: 2, names: [3, 4], phone: 16, category: [18, 19, 20, 21] } as const;

/** The files with other rows in one of them; its first line stays. */
export function withRows(files: EditionFiles, key: FileKey, change: (rows: Row[]) => readonly Row[]): EditionFiles {
  const separator = key === 'establishments' || key === 'legalEntities' ? ';' : '|';
  return withLines(files, key, ([header = '', ...lines]) => [
    header,
    ...change(lines.map((line) => line.split(separator))).map((row) => row.join(separator)),
  ]);
}

export function rowsOf(files: EditionFiles, key: FileKey): Row[] {
  const lines = String(files.get(nameOf(files, key)))
    .split('\n')
    .slice(1, -1);
  return lines.map((line) => line.split('|'));
}

/** The row with other cells in these columns. */
export function withCells(row: Row, columns: Columns, cells: readonly string[]): Row {
  const changed = [...row];
  for (const [at, column] of columns.entries()) if (column < row.length) changed[column] = cells[at] ?? '';
  return changed;
}

export const cellsOf = (row: Row | undefined, columns: Columns): string[] =>
  columns.map((column) => row?.[column] ?? '');

/** Cells of the columns of the row above, or of that so many rows above, from one row to another. */
export function lower(rows: readonly Row[], columns: Columns, from = 0, to = rows.length, by = 1): Row[] {
  return rows.map((row, at) =>
    at >= from && at < to ? withCells(row, columns, cellsOf(rows.at(at - by), columns)) : row,
  );
}

/** A part of the rows, of as many or fewer, at a place that is drawn: `[from, to]`. */
export function region(rows: readonly Row[], count: number, draw: Draw): [from: number, to: number] {
  const from = draw.between(0, Math.max(0, rows.length - count));
  return [from, Math.min(from + count, rows.length)];
}

/** Cells of the columns in any order among the rows that are chosen. */
export function shuffled(rows: readonly Row[], columns: Columns, draw: Draw, isChosen = (_: Row) => true): Row[] {
  const chosen = rows.filter(isChosen);
  const others = draw.some(chosen, chosen.length);
  return replaced(rows, columns, new Map(chosen.map((row, at) => [row, cellsOf(others[at], columns)])));
}

/** Cells of the columns of the next one among the rows that are chosen; the last has those of the first. */
export function ofTheNext(rows: readonly Row[], columns: Columns, isChosen = (_: Row) => true): Row[] {
  const chosen = rows.filter(isChosen);
  const cells = chosen.map((row, at) => [row, cellsOf(chosen[(at + 1) % chosen.length], columns)] as const);
  return replaced(rows, columns, new Map(cells));
}

function replaced(rows: readonly Row[], columns: Columns, cells: ReadonlyMap<Row, readonly string[]>): Row[] {
  return rows.map((row) => withCells(row, columns, cells.get(row) ?? cellsOf(row, columns)));
}

/** The commonest value, not counting the empty one. */
export function commonest(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? '';
}

export const departmentOf = (row: Row): string => (row[A.postcode] ?? '').slice(0, 2);
/** Departments by the number of their lines, the most first. */
export function departmentsOf(rows: readonly Row[]): string[] {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(departmentOf(row), (counts.get(departmentOf(row)) ?? 0) + 1);
  return [...counts]
    .filter(([department]) => department !== '')
    .sort(([, one], [, other]) => other - one)
    .map(([department]) => department);
}
