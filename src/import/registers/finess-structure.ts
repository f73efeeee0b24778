// What is kept of a structure of FINESS, the same for its text files and its JSON flow.

import type { Collector, FileReport } from '#import/collect/collector.ts';
import type { Row } from '#import/collect/columns.ts';

/** Keys of the columns of both forms. Of JSON only: `mail`, `postalCode`; of the text files only: labels and departments. */
const CELLS = [
  'line',
  'finess',
  'legalFiness',
  'siret',
  'siren',
  'name',
  'shortName',
  'category',
  'categoryLabel',
  'status',
  'statusLabel',
  'publicService',
  'publicServiceLabel',
  'phone',
  'fax',
  'mail',
  'locality',
  'distribution',
  'number',
  'streetMore',
  'streetType',
  'street',
  'mention',
  'routing',
  'postalCode',
  'commune',
  'departmentCode',
  'department',
] as const;

/** Index of each cell, by key. */
export const F = Object.fromEntries(CELLS.map((key, index) => [key, index])) as Record<(typeof CELLS)[number], number>;

/** Between the values of a cell that holds several; a control character, and therefore in no value. */
export const REPEATED = '\u0002';

/** Takes what a file of FINESS holds. */
export interface FinessTargets {
  collector: Collector;
  /** Keeps an establishment or a legal entity, as a row of the cells above. */
  keepStructure(form: 'finessText' | 'finessJson', row: Row, file: FileReport): void;
}

/** The row of a structure; `values` by key of its columns. */
export function finessRow(values: ReadonlyMap<string, string>): Row {
  return CELLS.map((key) => values.get(key) ?? '');
}
