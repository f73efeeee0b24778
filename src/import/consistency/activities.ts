// Counts the values of a line, and of a person, that belong together: commune and town, code and label, profession and diploma. In a
// shifted column, every value is still a valid one.

import type { Collector } from '#import/collect/collector.ts';
import { cell, type Row } from '#import/collect/columns.ts';
import { createStrangers, type PairKey, WINDOW_BITS } from '#import/collect/pairs.ts';
import type { PersonLines } from '#import/mapping/practitioner.ts';
import { A, D } from '#import/registers/person-columns.ts';
import type { LineOf, Place } from './people.ts';

/** Columns of a code and its label. */
const LABELS: readonly (readonly [PairKey, code: number, label: number])[] = [
  ['roleLabels', A.role, A.roleLabel],
  ['genreLabels', A.genre, A.genreLabel],
  ['sectorLabels', A.sector, A.sectorLabel],
];

/**
 * The first lines of a file are all compared. After them, only some windows of lines are, because millions of comparisons take time: every
 * fourth window for towns, postal codes and diplomas, and every sixteenth one for other values. Of a shift of 1000 lines, some 250 or 60 are compared.
 */
const FIRST_LINES = 32_768;
const [FOURTH, SIXTEENTH] = [3, 15] as const;

/** Tells whether a line is compared. `mask` selects the windows of a large file. */
export function isCompared(line: number, mask: typeof FOURTH | typeof SIXTEENTH = SIXTEENTH): boolean {
  return line < FIRST_LINES || ((line >> WINDOW_BITS) & mask) === 0;
}

/** Returns a function that counts a line of the register of activities. It runs for millions of lines. */
export function createActivityComparison({ pairs }: Pick<Collector, 'pairs'>) {
  const strangerAfter = createStrangers<string>();

  function countCodes(row: Row, file: number, line: number): void {
    for (const [key, code, label] of LABELS) {
      const value = cell(row, code);
      if (value !== '') pairs.follows(key, file, line, value, cell(row, label));
    }
    const [role, mode] = [cell(row, A.role), cell(row, A.mode)];
    if (role !== '' && mode !== '') pairs.associated('roleModes', file, line, mode, role);
  }

  return (row: Row, { source: { file }, number }: Place): void => {
    if (!isCompared(number, FOURTH)) return;
    const isSelected = isCompared(number);
    if (isSelected) countCodes(row, file, number);
    const [commune, town, postalCode] = [cell(row, A.commune), cell(row, A.city), cell(row, A.postalCode)];
    if (commune !== '' && town !== '') pairs.follows('communeTowns', file, number, commune, town);
    if (postalCode === '') return;
    if (commune !== '') {
      const odd = !isOfDepartment(commune, postalCode);
      const text = odd ? () => `"${postalCode}" beside commune "${commune}"` : undefined;
      pairs.judged('postcodeCommunes', file, number, odd, text);
      const stranger = strangerAfter(commune);
      if (stranger !== undefined) pairs.mixed('postcodeCommunes', file, !isOfDepartment(stranger, postalCode));
    }
    if (!isSelected) return;
    const department = postalCode.slice(0, 2);
    if (town !== '') pairs.follows('townDepartments', file, number, town, department);
    const phone = cell(row, A.phone);
    if (phone !== '') pairs.follows('phoneDepartments', file, number, phone, department);
    if (isOfZone(phone)) pairs.associated('phoneZones', file, number, department, phone.slice(0, 2));
  };
}

/** The postal codes of Corsica begin with 20, and its communes with 2A and 2B. */
function isOfDepartment(commune: string, postalCode: string): boolean {
  if (commune.charCodeAt(0) !== postalCode.charCodeAt(0)) return false;
  return commune.charCodeAt(1) === postalCode.charCodeAt(1) || (postalCode.startsWith('20') && /^2[AB]/.test(commune));
}

/** Tells whether a number belongs to one of the five geographic zones. */
function isOfZone(phone: string): boolean {
  const digit = phone.charCodeAt(1);
  return phone.charCodeAt(0) === 48 && digit >= 49 && digit <= 53;
}

const NONE = '-';

/** Counts the civility, title and diplomas of a person. */
export function countPerson(
  { activities, diplomas }: PersonLines,
  lineOf: LineOf,
  { pairs, populations }: Pick<Collector, 'pairs' | 'populations'>,
) {
  const [first = []] = activities;
  const place = lineOf('activities', first);
  if (!place) return;
  const { source, number } = place;
  const profession = cell(first, A.profession);
  if (isCompared(number)) {
    const [given, civility] = [cell(first, A.given), cell(first, A.civility)];
    if (given !== '' && civility !== '')
      pairs.follows('civilityNames', source.file, number, firstWord(given).toUpperCase(), civility);
    if (profession !== '')
      pairs.associated('professionTitles', source.file, number, profession, cell(first, A.title) || NONE);
  }
  if (profession === '') return;
  for (const row of diplomas) {
    const diploma = cell(row, D.diploma) || cell(row, D.field);
    if (diploma === '') continue;
    populations.diploma(profession, diploma);
    const at = lineOf('diplomas', row);
    if (at && isCompared(at.number, FOURTH))
      pairs.associated('diplomaProfessions', at.source.file, at.number, profession, diploma);
  }
}

function firstWord(given: string): string {
  const end = given.search(/[ -]/);
  return end < 0 ? given : given.slice(0, end);
}
