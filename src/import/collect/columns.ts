// The columns and rows of registers, as the tables of `registers/` describe them.

export type RegisterKind = 'activities' | 'diplomas' | 'skills' | 'mailboxes' | 'finess' | 'fhir';

/** One published column: where it goes, or why it is left out. Never both. */
export interface Column {
  /** Name in our code. */
  readonly key: string;
  /** Header as published. */
  readonly label: string;
  /** Other published wordings. */
  readonly aliases?: readonly string[];
  /** The FHIR element it fills. */
  readonly to?: string;
  /** Why it fills none. */
  readonly omitted?: string;
  /** What non-empty values look like; a file in which most values do not is taken for one with swapped columns. */
  readonly shape?: RegExp;
}

// Shapes of values in several registers.
export const FINESS_NUMBER = /^\d[0-9AB]\d{7}$/;
/** Words, and not a code in figures. */
export const LETTERS = /\p{L}.*\p{L}/u;
export const PHONE = /^[+\d][\d .()/-]+$/;

/** A column that fills an element. */
export function maps<Key extends string>(key: Key, label: string, to: string, shape?: RegExp): Column & { key: Key } {
  return { key, label, to, ...(shape && { shape }) };
}

/** A column that fills none, and why. */
export function omits<Key extends string>(
  key: Key,
  label: string,
  omitted: string,
  shape?: RegExp,
): Column & { key: Key } {
  return { key, label, omitted, ...(shape && { shape }) };
}

/** A register file's line: its cells in published order, whatever the order in the file. */
export type Row = readonly string[];

/** Cell of a row without blanks around it; empty where there is none. */
export function cell(row: Row, index: number): string {
  const text = row[index];
  if (text === undefined || text === '') return '';
  return text.charCodeAt(0) <= 32 || text.charCodeAt(text.length - 1) <= 32 ? text.trim() : text;
}

/** Index of every column by its key, so that code says `A.family` and not `row[7]`. */
export function indexOfColumns<const C extends readonly Column[]>(
  columns: C,
): Readonly<Record<C[number]['key'], number>> {
  return Object.fromEntries(columns.map((column, index) => [column.key, index])) as Record<C[number]['key'], number>;
}
