// What is kept of a structure of FINESS, the same for its text files and its JSON flow: the cells of its record in the spill.

import { finessId } from '#import/mapping/resource-ids.ts';
import { STRUCTURE_RECORD, type StructureSpill } from '#import/passes/structure-spill.ts';
import { cell, type Row } from './bind-header.ts';
import type { Source } from './recognise-inputs.ts';

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

export interface FinessTargets {
  structures: Pick<StructureSpill, 'add' | 'addReference'>;
  /** Takes structures that may own a mailbox. */
  mail: { add(id: string, structure: { siret: string; name: string }): void };
  /** The structures that were read, in whatever file and form: each counts once. */
  counted: Set<string>;
}

/** Keeps an establishment or a legal entity, and counts it for its file: `values` by key of its columns. */
export function keepFinessStructure(
  form: 'finessText' | 'finessJson',
  values: ReadonlyMap<string, string>,
  { structures, mail, counted }: FinessTargets,
  { report }: Pick<Source, 'report'>,
): void {
  const row: Row = CELLS.map((key) => values.get(key) ?? '');
  const id = finessId(cell(row, F.finess));
  const line = cell(row, F.line);
  const before = counted.size;
  const added = counted.add(`${line} ${id}`).size - before;
  report.parts ??= {};
  report.parts[line] = (report.parts[line] ?? 0) + added;
  structures.addReference(cell(row, F.legalFiness));
  mail.add(id, { siret: cell(row, F.siret), name: cell(row, F.name) || cell(row, F.shortName) });
  structures.add(id, STRUCTURE_RECORD[form], row);
}
