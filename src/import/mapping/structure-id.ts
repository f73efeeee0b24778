// The id of the Organization of a structure, on which the lines of several registers must agree.

import { A } from '../registers/activity.ts';
import { cell, type Row } from '../registers/columns.ts';
import { hashedId, idFrom } from './resource-ids.ts';

/**
 * Id of the structure of an activity line: its technical identifier, else built as the register builds it from FINESS
 * (F) or SIRET (C), else a hash of name and address. Nothing when the line names no structure.
 */
export function structureId(row: Row): string | undefined {
  const technical = cell(row, A.technicalId);
  if (technical !== '') return idFrom(technical, 'o-');
  const finess = cell(row, A.finess);
  if (finess !== '') return finessId(finess);
  const siret = cell(row, A.siret);
  if (siret !== '') return siretId(siret);
  if (!namesStructure(row)) return undefined;
  const nameAndAddress = textOf(row, A.name, A.country);
  return hashedId(/[^|]/.test(nameAndAddress) ? nameAndAddress : textOf(row, A.siren, A.formerId), 'o-');
}

function textOf(row: Row, from: number, to: number): string {
  return row
    .slice(from, to + 1)
    .map((text) => text.trim())
    .join('|');
}

/** Whether any of the columns PA.19-46 of the structure is filled. */
export function namesStructure(row: Row): boolean {
  for (let column = A.siret; column <= A.formerId; column++) if (cell(row, column) !== '') return true;
  return false;
}

export function finessId(finess: string): string {
  return idFrom(`F${finess}`, 'o-');
}

export function siretId(siret: string): string {
  return idFrom(`C${siret}`, 'o-');
}
