// The columns and rows of registers, as the tables in `registers/` describe them.

export type RegisterKind = 'activities' | 'diplomas' | 'skills' | 'mailboxes' | 'finess' | 'fhir';

/** A published column, with the element that it fills or the reason why it fills none. */
export interface Column {
  /** Name of the column in this code. */
  readonly key: string;
  /** Header as published. */
  readonly label: string;
  /** Other published wordings of the header. */
  readonly aliases?: readonly string[];
  /** The FHIR element that the column fills. */
  readonly to?: string;
  /** Reason why the column fills no element. */
  readonly omitted?: string;
  /** Shape of non-empty values. If most values of a file do not have it, columns were probably swapped. */
  readonly shape?: RegExp;
}

// Shapes of values in several registers.
export const FINESS_NUMBER = /^\d[0-9AB]\d{7}$/;
/** Shape of words, as opposed to a code in figures. */
export const LETTERS = /\p{L}.*\p{L}/u;
/** Shape of a decimal number. */
export const NUMBER = /^-?\d+(\.\d+)?$/;
/**
 * Shape of a telephone number: ten digits, a number with its country, or zeros that stand for none. Numbers of New Caledonia have six
 * digits and those of French Polynesia eight; neither begins with a zero. Two other forms do not match: nine digits, which are a number
 * without its zero, and the few short numbers such as 3237.
 */
export const PHONE = /^(\+[\d .()/-]{8,}|0[\d .()/-]{9,}|0{2,}|[1-9]\d([ .-]?\d\d){2,3})$/;
/** Shape of a mail address. A letter to an address of any other form arrives nowhere, or in the mailbox of a stranger. */
export const MAIL_ADDRESS = /^[^\s@:<>,;"]+@[\p{L}\d-]+(\.[\p{L}\d-]+)+$/u;

/** Describes a column that fills an element. */
export function maps<Key extends string>(key: Key, label: string, to: string, shape?: RegExp): Column & { key: Key } {
  return { key, label, to, ...(shape && { shape }) };
}

/** Describes a column that fills no element, and says why. */
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

/** Returns the cell of a row, trimmed. It is empty if the row has no such cell. */
export function cell(row: Row, index: number): string {
  const text = row[index];
  if (text === undefined || text === '') return '';
  return text.charCodeAt(0) <= 32 || text.charCodeAt(text.length - 1) <= 32 ? text.trim() : text;
}

/** Returns the index of every column by its key, so that code says `A.family` and not `row[7]`. */
export function indexOfColumns<const C extends readonly Column[]>(
  columns: C,
): Readonly<Record<C[number]['key'], number>> {
  return Object.fromEntries(columns.map((column, index) => [column.key, index])) as Record<C[number]['key'], number>;
}
