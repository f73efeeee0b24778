// Compares values that belong together: in one line, for example a commune and its town, or a code and its label; and for one person, for
// example profession and diploma. This finds columns with values in the wrong lines (shifted or shuffled), although each single value is
// valid.

import type { Collector } from '#import/collect/collector.ts';
import { cell, type Row } from '#import/collect/columns.ts';
import type { Tallies } from '#import/collect/consistency-tallies.ts';
import { besideLater, createStrangers, WINDOW_BITS } from '#import/collect/pairs.ts';
import { A, D, S } from '#import/registers/person-columns.ts';
import type { Place } from './people.ts';

/**
 * All lines up to `FIRST_LINES` are compared. After them, only some windows of 32 lines are compared, because millions of comparisons take
 * time. Communes (with their towns and postal codes) and diplomas are compared in every fourth window, and all other values in every
 * sixteenth. So of 1000 shifted lines, some 250 or some 60 are compared.
 */
const FIRST_LINES = 32_768;
const [FOURTH, SIXTEENTH] = [3, 15] as const;

/** Tells whether a line is compared. After `FIRST_LINES`, `mask` selects the windows that are compared. */
export function isCompared(line: number, mask: typeof FOURTH | typeof SIXTEENTH = SIXTEENTH): boolean {
  return line < FIRST_LINES || ((line >> WINDOW_BITS) & mask) === 0;
}

/**
 * Returns a function that compares the values in one line of the register of activities with each other. The function runs for millions of
 * lines.
 */
export function createActivityComparison({ pairs }: Pick<Collector, 'pairs'>) {
  const strangerAfter = createStrangers<string>();
  const [communeTowns, postcodeCommunes] = [pairs.of('communeTowns'), pairs.of('postcodeCommunes')];
  const [townDepartments, phoneDepartments] = [pairs.of('townDepartments'), pairs.of('phoneDepartments')];
  const [roleModes, phoneZones] = [pairs.of('roleModes'), pairs.of('phoneZones')];
  const labels = [
    { pair: pairs.of('roleLabels'), code: A.role, label: A.roleLabel },
    { pair: pairs.of('genreLabels'), code: A.genre, label: A.genreLabel },
    { pair: pairs.of('sectorLabels'), code: A.sector, label: A.sectorLabel },
  ];

  function countCodes(row: Row, file: number, line: number): void {
    for (const { pair, code, label } of labels) {
      const value = cell(row, code);
      if (value !== '') pair.follows(file, line, value, cell(row, label));
    }
    const [role, mode] = [cell(row, A.role), cell(row, A.mode)];
    if (role !== '' && mode !== '') roleModes.associated(file, line, mode, role);
  }

  function compareCommune(commune: string, postalCode: string, file: number, line: number): void {
    const odd = !isOfDepartment(commune, postalCode);
    postcodeCommunes.judged(file, line, odd, odd ? besideLater(commune, postalCode) : undefined);
    const stranger = strangerAfter(commune);
    if (stranger !== undefined) postcodeCommunes.mixed(file, !isOfDepartment(stranger, postalCode));
  }

  function compareDepartment(department: string, town: string, phone: string, file: number, line: number): void {
    if (town !== '') townDepartments.follows(file, line, town, department);
    if (phone !== '') phoneDepartments.follows(file, line, phone, department);
    if (isOfZone(phone)) phoneZones.associated(file, line, department, phone.slice(0, 2));
  }

  return (row: Row, { source: { file }, number }: Place): void => {
    if (!isCompared(number, FOURTH)) return;
    const isSelected = isCompared(number);
    if (isSelected) countCodes(row, file, number);
    const [commune, town, postalCode] = [cell(row, A.commune), cell(row, A.city), cell(row, A.postalCode)];
    if (commune !== '' && town !== '') communeTowns.follows(file, number, commune, town);
    if (postalCode === '') return;
    if (commune !== '') compareCommune(commune, postalCode, file, number);
    if (isSelected) compareDepartment(postalCode.slice(0, 2), town, cell(row, A.phone), file, number);
  };
}

/**
 * Tells whether a commune and a postal code are in the same department. In Corsica, postal codes begin with 20, and codes of communes with
 * 2A or 2B.
 */
function isOfDepartment(commune: string, postalCode: string): boolean {
  if (commune.charCodeAt(0) !== postalCode.charCodeAt(0)) return false;
  return commune.charCodeAt(1) === postalCode.charCodeAt(1) || (postalCode.startsWith('20') && /^2[AB]/.test(commune));
}

/** Tells whether a telephone number belongs to one of the five geographic zones (01 to 05). */
function isOfZone(phone: string): boolean {
  const digit = phone.charCodeAt(1);
  return phone.charCodeAt(0) === 48 && digit >= 49 && digit <= 53;
}

const NONE = '-';

/**
 * Returns a function that compares a person's civility with their given name, and their title and diplomas with their profession. The name
 * and the profession come from the person's first line in the register of activities.
 */
export function createPersonComparison({ pairs, populations }: Pick<Collector, 'pairs' | 'populations'>) {
  const [civilityNames, professionTitles] = [pairs.of('civilityNames'), pairs.of('professionTitles')];
  const diplomaProfessions = pairs.of('diplomaProfessions');

  function compareFirst(first: Row, profession: string, { source: { file }, number }: Place): void {
    const [given, civility] = [cell(first, A.given), cell(first, A.civility)];
    if (given !== '' && civility !== '') civilityNames.follows(file, number, firstWord(given).toUpperCase(), civility);
    if (profession !== '') professionTitles.associated(file, number, profession, cell(first, A.title) || NONE);
  }

  function compareDiploma(row: Row, profession: string, { source: { file }, number }: Place): void {
    const diploma = cell(row, D.diploma) || cell(row, D.field);
    if (diploma === '') return;
    populations.diploma(profession, diploma);
    if (isCompared(number, FOURTH)) diplomaProfessions.associated(file, number, profession, diploma);
  }

  return (first: Row, place: Place, diplomas: readonly Row[], places: readonly Place[]): void => {
    const profession = cell(first, A.profession);
    if (isCompared(place.number)) compareFirst(first, profession, place);
    if (profession === '') return;
    for (let at = 0; at < diplomas.length; at++) compareDiploma(diplomas[at] as Row, profession, places[at] as Place);
  };
}

function firstWord(given: string): string {
  const end = given.search(/[ -]/);
  return end < 0 ? given : given.slice(0, end);
}

/**
 * The columns of a code and of its label. If the same code may occur in several nomenclatures, the column `within` tells the nomenclature.
 */
interface Pair {
  code: number;
  label: number;
  within?: number;
}

const PAIRS = {
  labelsInActivities: [
    { code: A.profession, label: A.professionLabel },
    { code: A.category, label: A.categoryLabel },
    { code: A.skill, label: A.skillLabel, within: A.skillType },
    { code: A.mode, label: A.modeLabel },
    { code: A.sector, label: A.sectorLabel },
  ],
  labelsInDiplomas: [
    { code: D.diplomaType, label: D.diplomaTypeLabel },
    { code: D.diploma, label: D.diplomaLabel, within: D.diplomaType },
    { code: D.field, label: D.fieldLabel, within: D.permitType },
  ],
  labelsInSkills: [
    { code: S.profession, label: S.professionLabel },
    { code: S.skillType, label: S.skillTypeLabel },
    { code: S.skill, label: S.skillLabel, within: S.skillType },
  ],
} as const satisfies Record<string, readonly Pair[]>;

/** In this number of lines at the beginning, all labels are checked. After them, the labels of one line in 16 are checked. */
const FIRST_LABELS = 4096;

/**
 * Returns a function that checks whether each code in a line stands beside its own label.
 * @param key chooses the columns of a register in `PAIRS`, and is also the name of the comparison for which the cases are counted
 */
export function createLabelComparison(key: keyof typeof PAIRS, consistency: Pick<Tallies, 'count'>) {
  const pairs: readonly Pair[] = PAIRS[key];
  // For each pair of columns, the label that stood beside each code at its first occurrence.
  const known = pairs.map(() => new Map<string, string>());
  let lines = 0;
  return (row: Row): void => {
    if (++lines > FIRST_LABELS && lines % 16 !== 0) return;
    for (const [at, { code, label, within }] of pairs.entries()) {
      const [value, text] = [cell(row, code), cell(row, label)];
      if (value === '' || text === '') continue;
      const full = within === undefined ? value : `${cell(row, within)} ${value}`;
      const first = known[at]?.get(full);
      if (first === undefined) known[at]?.set(full, text);
      else consistency.count(key, first === text ? undefined : `${full}: "${first}" and "${text}"`);
    }
  };
}
