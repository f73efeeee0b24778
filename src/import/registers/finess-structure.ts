// The row of a FINESS structure, which is the same for its text files and its JSON flow.

import type { Collector, FileReport } from '#import/collect/collector.ts';
import type { Row } from '#import/collect/columns.ts';
import type { Position } from '#search-index/index.ts';
import type { PositionFault } from './projections.ts';

/** Keys of the columns in both forms. `mail` and `postalCode` come from JSON only; labels and departments come from the text files only. */
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

/** Index of each cell, by its key. */
export const F = Object.fromEntries(CELLS.map((key, index) => [key, index])) as Record<(typeof CELLS)[number], number>;

/** Separates the values in a cell that holds several values. It is a control character, so no value contains it. */
export const REPEATED = '\u0002';

/** The element that coordinates fill, in both forms. */
export const GEOLOCATION = 'address.extension (geolocation, WGS 84)';

/** Takes what a FINESS file contains. */
export interface FinessTargets {
  collector: Collector;
  /** Keeps an establishment or a legal entity, as a row of the cells above. */
  keepStructure(
    form: 'finessText' | 'finessJson',
    row: Row,
    source: { file: number; report: FileReport },
    line: number,
  ): void;
  /**
   * Keeps the position of a structure, or counts why it has none. `position` is undefined if the register states none.
   * @param at where the position is stated, for messages
   */
  keepPosition(
    form: 'finessText' | 'finessJson',
    finess: string,
    position: Position | PositionFault | undefined,
    at: string,
  ): void;
}

/** Makes the row of a structure from its values by key. */
export function finessRow(values: ReadonlyMap<string, string>): Row {
  return CELLS.map((key) => values.get(key) ?? '');
}
