// Finds the columns of a register in the header of a file. The header may differ from the published one in order, case, accents and
// wording.

import type { Column, Row } from '#import/collect/columns.ts';
import { fold, tokenize } from '#search-index/index.ts';

export interface Binding {
  /**
   * Position of each published column in the file, or -1 if the file lacks the column. A file may only lack columns that the import does
   * not use.
   */
  readonly positions: readonly number[];
  /** Number of cells of a line, without the empty cell after a trailing separator. */
  readonly cells: number;
  /** True if the header ends with the separator. Every complete line of the file then ends with it, too. */
  readonly trailing: boolean;
  /** True if the columns of the file are in published order, so that the cells of a line need not be reordered. */
  readonly inOrder: boolean;
  /** Headers that were recognised although they only share most of their words with the published wording. */
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
 * Returns the significant words of a header, without accents and case. Articles are left out, and some words are replaced by one common
 * form, such as `telephone` by `tel`.
 */
export function headerWords(header: string): string[] {
  return tokenize(header.replace(/e-?mail/i, 'email'))
    .filter((word) => !SMALL_WORDS.has(word))
    .map((word) => SAME_WORD.get(word) ?? word);
}

/** Reduces a name in the JSON text to its letters and digits, without case and accents. So different spellings of a name become equal. */
export function keyWord(name: string): string {
  return fold(name).replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Returns the share (0-1) of the table's columns that occur in the header with their published wording. The register with the highest share
 * is probably the one in the file.
 */
export function headerLikeness(columns: readonly Column[], headers: readonly string[]): number {
  const found = new Set(headers.map((header) => headerWords(header).join(' ')));
  const known = columns.filter((column) => wordings(column).some((wording) => found.has(wording)));
  return known.length / columns.length;
}

/** Finds the columns of a table in the headers of a file. `missing` are the columns that the import needs and the file lacks. */
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

/** Returns the cells of a line in published order, or undefined if the line has a wrong number of cells. */
export function rowOf(binding: Binding, cells: string[]): Row | undefined {
  if (cells.length === binding.cells + 1 && cells[binding.cells] === '') cells.length = binding.cells;
  if (cells.length !== binding.cells) return undefined;
  if (binding.inOrder) return cells;
  return binding.positions.map((position) => cells[position] ?? '');
}

/** Returns a text that states the wrong number of cells in a line that `rowOf` refused. */
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
