// Binds the columns of a register to the header of a file. Order, case, accents and wording of the header may differ.

import type { Column, Row } from '#import/collect/columns.ts';
import { fold, tokenize } from '#search-index/index.ts';

export interface Binding {
  /** Position of each published column in the file. It is -1 if the file lacks the column, which is allowed only for omitted columns. */
  readonly positions: readonly number[];
  /** Number of cells of a line. The empty cell after a trailing separator is not counted. */
  readonly cells: number;
  /** True if the header ends with the separator. A complete line then ends with it, too. */
  readonly trailing: boolean;
  /** True if the columns of the file are in published order, so that cells need not be moved. */
  readonly inOrder: boolean;
  /** Headers that only share most of their words with a published wording. */
  readonly drifted: readonly { label: string; found: string }[];
}

const SMALL_WORDS = new Set(['d', 'de', 'des', 'du', 'l', 'la', 'le', 'les', 'en', 'et']);
const SAME_WORD: ReadonlyMap<string, string> = new Map([
  ['coordonnees', 'coord'],
  ['telephone', 'tel'],
  ['numero', 'num'],
  ['libelle', 'lib'],
  ['departement', 'dept'],
  ['complement', 'compl'],
  ['courriel', 'email'],
]);

/**
 * Returns the significant words of a header, without accents and case. Articles are left out, and abbreviations become equal to their long
 * form.
 */
export function headerWords(header: string): string[] {
  return tokenize(header.replace(/e-?mail/i, 'email'))
    .filter((word) => !SMALL_WORDS.has(word))
    .map((word) => SAME_WORD.get(word) ?? word);
}

/** Returns a name of a JSON file without case, accents, and characters other than letters and digits. Different spellings become equal. */
export function keyWord(name: string): string {
  return fold(name).replace(/[^\p{L}\p{N}]/gu, '');
}

/** Returns the share (0-1) of the table's columns that the header names exactly. It tells the kind of a file. */
export function headerLikeness(columns: readonly Column[], headers: readonly string[]): number {
  const found = new Set(headers.map((header) => headerWords(header).join(' ')));
  const known = columns.filter((column) => wordings(column).some((wording) => found.has(wording)));
  return known.length / columns.length;
}

/** Binds the columns of a table to the cells of a file. `missing` are the mapped columns that have no header in the file. */
export function bindColumns(
  columns: readonly Column[],
  headers: readonly string[],
): { binding: Binding; missing: Column[] } {
  const trailing = headers.at(-1) === '';
  const cells = trailing ? headers.length - 1 : headers.length;
  const keys = headers.slice(0, cells).map((header) => headerWords(header));
  const free = new Map(keys.map((words, position) => [position, words]));
  const positions = columns.map((column) => {
    const wanted = wordings(column);
    const hit = [...free].find(([, words]) => wanted.includes(words.join(' ')));
    if (hit) free.delete(hit[0]);
    return hit ? hit[0] : -1;
  });
  const drifted: { label: string; found: string }[] = [];
  columns.forEach((column, index) => {
    if (positions[index] !== -1) return;
    const near = [...free].filter(([, words]) => likeness(headerWords(column.label), words) >= 0.6);
    const [only] = near;
    if (near.length !== 1 || !only) return;
    positions[index] = only[0];
    free.delete(only[0]);
    drifted.push({ label: column.label, found: headers[only[0]] ?? '' });
  });
  const missing = columns.filter((column, index) => positions[index] === -1 && column.to !== undefined);
  const inOrder = positions.every((position, index) => position === index) && cells === columns.length;
  return { binding: { positions, cells, trailing, inOrder, drifted }, missing };
}

/** Returns the cells of a line in published order. Undefined if the number of cells is wrong. */
export function rowOf(binding: Binding, cells: string[]): Row | undefined {
  if (cells.length === binding.cells + 1 && cells[binding.cells] === '') cells.length = binding.cells;
  if (cells.length !== binding.cells) return undefined;
  if (binding.inOrder) return cells;
  return binding.positions.map((position) => cells[position] ?? '');
}

/** Describes the number of cells in a line that `rowOf` refused. */
export function cellCountIssue(binding: Binding, cells: readonly string[]): string {
  return `${cells.at(-1) === '' ? cells.length - 1 : cells.length} cells instead of ${binding.cells}`;
}

function wordings(column: Column): string[] {
  return [column.label, ...(column.aliases ?? [])].map((label) => headerWords(label).join(' '));
}

function likeness(a: readonly string[], b: readonly string[]): number {
  const shared = a.filter((word) => b.includes(word)).length;
  return shared / new Set([...a, ...b]).size;
}
