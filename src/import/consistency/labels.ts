// Checks whether codes stand beside their own labels. This finds a shuffled column, in which every single code is still valid.

import { cell, type Row } from '#import/collect/columns.ts';
import type { Tallies } from '#import/collect/consistency-tallies.ts';
import { A, D, S } from '#import/registers/person-columns.ts';

/** Columns of a code and its label. `within` is the column that names the code's table. */
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

/** Number of lines at the beginning that are all checked. After them, one in 16 is checked. */
const FIRST_LINES = 4096;

/** @param key names the comparison of one register */
export function createLabelComparison(key: keyof typeof PAIRS, consistency: Pick<Tallies, 'count'>) {
  const pairs: readonly Pair[] = PAIRS[key];
  // The first label that was seen with each code.
  const known = pairs.map(() => new Map<string, string>());
  let lines = 0;
  return (row: Row): void => {
    if (++lines > FIRST_LINES && lines % 16 !== 0) return;
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
