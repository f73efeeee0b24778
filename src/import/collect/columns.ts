// The columns and rows of registers, as the tables in `registers/` describe them.

export type RegisterKind = 'activities' | 'diplomas' | 'skills' | 'mailboxes' | 'finess' | 'fhir';

/** A column as published. It has the FHIR element that it fills, or the reason why it fills none. */
export interface Column {
  /** Name by which the code refers to the column. */
  readonly key: string;
  /** Header of the column, as published. */
  readonly label: string;
  /** Other wordings of the header that were published. */
  readonly aliases?: readonly string[];
  /** The FHIR element that the column fills. */
  readonly to?: string;
  /** Reason why the column fills no element. */
  readonly omitted?: string;
  /** The shape that all non-empty values have. If most values of a file lack this shape, columns were probably swapped. */
  readonly shape?: RegExp;
}

// Shapes of values that occur in several registers.
export const FINESS_NUMBER = /^\d[0-9AB]\d{7}$/;
/** Shape of a text in words. A code in figures does not match. */
export const LETTERS = /\p{L}.*\p{L}/u;
/** Shape of a decimal number. */
export const NUMBER = /^-?\d+(\.\d+)?$/;
/**
 * Shape of a telephone number: ten digits, a number that begins with `+` and the code of its country, or zeros alone, which mean that there
 * is no number. The numbers of New Caledonia (six digits) and of French Polynesia (eight digits) match as well; they begin with no zero.
 * Two forms do not match: nine digits, because this is a number that has lost its zero, and short numbers such as 3237, which are few.
 */
export const PHONE = /^(\+[\d .()/-]{8,}|0[\d .()/-]{9,}|0{2,}|[1-9]\d([ .-]?\d\d){2,3})$/;
/** Shape of a mail address. A letter to an address of any other form does not arrive, or arrives in the mailbox of a stranger. */
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

/** A line of a register file. Its cells are in the published order of the columns, even if the file has another order. */
export type Row = readonly string[];

/** Returns the trimmed cell of a row; an empty text if the row has no such cell. */
export function cell(row: Row, index: number): string {
  const text = row[index];
  if (text === undefined || text === '') return '';
  return text.charCodeAt(0) <= 32 || text.charCodeAt(text.length - 1) <= 32 ? text.trim() : text;
}

/** Returns the index of each column by its key, so that code can say `row[A.family]` instead of `row[7]`. */
export function indexOfColumns<const C extends readonly Column[]>(
  columns: C,
): Readonly<Record<C[number]['key'], number>> {
  return Object.fromEntries(columns.map((column, index) => [column.key, index])) as Record<C[number]['key'], number>;
}
