// The row of a FINESS structure. Lines of the text files and objects of the JSON feed become rows of the same form.

import type { Collector, FileReport } from '#import/collect/collector.ts';
import type { Row } from '#import/collect/columns.ts';
import type { Position } from '#search-index/index.ts';
import type { PositionFault } from './coordinates.ts';

/** Keys of the cells of a row. The JSON feed alone fills `mail` and `postalCode`. The text files alone fill labels and departments. */
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

/** Index of each cell in a row, by the key of the cell. */
export const F = Object.fromEntries(CELLS.map((key, index) => [key, index])) as Record<(typeof CELLS)[number], number>;

/** Separates the values of a cell that has several. It is a control character, which cannot occur in a value because texts are cleaned. */
export const REPEATED = '\u0002';

/** The FHIR element that holds the coordinates of a structure. It is the same for the text files and for the JSON feed. */
export const GEOLOCATION = 'address.extension (geolocation, WGS 84)';

/** The receiver of the content of a FINESS file. */
export interface FinessTargets {
  collector: Collector;
  /** Keeps a legal entity or an establishment, as a row with the cells above. */
  keepStructure(
    form: 'finessText' | 'finessJson',
    row: Row,
    source: { file: number; report: FileReport },
    line: number,
  ): void;
  /**
   * Keeps the geographic position of a structure. `position` is undefined if the register states none. If `position` is a fault, only a
   * warning is given.
   * @param at the place in the file where the position stands, for messages
   */
  keepPosition(
    form: 'finessText' | 'finessJson',
    finess: string,
    position: Position | PositionFault | undefined,
    at: string,
  ): void;
}

/** Makes the row of a structure from its values by key. A missing value becomes an empty cell. */
export function finessRow(values: ReadonlyMap<string, string>): Row {
  return CELLS.map((key) => values.get(key) ?? '');
}
