// The columns and rows of registers, as the tables in `registers/` describe them.

export type RegisterKind = 'activities' | 'diplomas' | 'skills' | 'mailboxes' | 'finess' | 'fhir';

/** A published column, with the element that it fills or the reason why it fills none. */
export interface Column {
  /** Name of the column in this code. */
  readonly key: string;
  /** Header as published. */
  readonly label: string;
  /** Other published wordings. */
  readonly aliases?: readonly string[];
  /** The FHIR element it fills. */
  readonly to?: string;
  /** Reason why it fills none. */
  readonly omitted?: string;
  /** Shape of non-empty values. If most values of a file do not have it, the columns are taken for swapped. */
  readonly shape?: RegExp;
}

// Shapes of values in several registers.
export const FINESS_NUMBER = /^\d[0-9AB]\d{7}$/;
/** Words, and not a code in figures. */
export const LETTERS = /\p{L}.*\p{L}/u;
/** A decimal number. */
export const NUMBER = /^-?\d+(\.\d+)?$/;
/**
 * Ten digits, a number with its country, or zeros that stand for none. Numbers of New Caledonia have six digits and those of French Polynesia
 * eight, neither with a zero first; nine digits are a number that lost its zero. Few lines have a short number such as 3237.
 */
export const PHONE = /^(\+[\d .()/-]{8,}|0[\d .()/-]{9,}|0{2,}|[1-9]\d([ .-]?\d\d){2,3})$/;
/** A letter to an address of any other form arrives nowhere, or at a stranger's. */
export const MAIL_ADDRESS = /^[^\s@:<>,;"]+@[\p{L}\d-]+(\.[\p{L}\d-]+)+$/u;

/** A column that fills an element. */
export function maps<Key extends string>(key: Key, label: string, to: string, shape?: RegExp): Column & { key: Key } {
  return { key, label, to, ...(shape && { shape }) };
}

/** A column that fills none, and the reason. */
export function omits<Key extends string>(
  key: Key,
  label: string,
  omitted: string,
  shape?: RegExp,
): Column & { key: Key } {
  return { key, label, omitted, ...(shape && { shape }) };
}

/** A line of a register file: its cells in published order, regardless of their order in the file. */
export type Row = readonly string[];

/** The cell of a row, trimmed; empty if there is none. */
export function cell(row: Row, index: number): string {
  const text = row[index];
  if (text === undefined || text === '') return '';
  return text.charCodeAt(0) <= 32 || text.charCodeAt(text.length - 1) <= 32 ? text.trim() : text;
}

/** The index of every column by its key, so that code says `A.family` and not `row[7]`. */
export function indexOfColumns<const C extends readonly Column[]>(
  columns: C,
): Readonly<Record<C[number]['key'], number>> {
  return Object.fromEntries(columns.map((column, index) => [column.key, index])) as Record<C[number]['key'], number>;
}
