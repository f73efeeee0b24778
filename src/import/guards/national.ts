// The guard on a first import of a whole country. It compares the number of people in each profession with published figures. Figures and
// limits stand in this file.

import { ABROAD, UNKNOWN } from '#import/collect/departments.ts';
import type { EditionToJudge } from './measured-edition.ts';
import { percent, type Verdict, verdict } from './verdict.ts';

/** Minimum number of people from which this guard compares an edition with the figures of a whole country. */
const LEAST_OF_COUNTRY = 500_000;
/**
 * Limits of the number of people in a profession, as multiples of the published number. Below `few` or above `most`, the profession is
 * reported. Below `least` in a whole country, or above `most`, the edition is refused. `most` is high because the registers also hold
 * people who do not work any more, or work abroad.
 */
const SHARES = { least: 0.6, few: 0.8, most: 3 };

/**
 * Minimum number of departments (of 101) with people in an edition of the whole country. The number of people is not enough to recognise a
 * whole country, because several regions together can also have half a million.
 */
const DEPARTMENTS_OF_COUNTRY = 90;

/**
 * Published number of people who work in a profession, by country and code of the profession. If a publication counts several professions
 * together, the key has all their codes. `docs/directory-guards.md` names the publications.
 */
const PUBLISHED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  FR: {
    '10': 237_200,
    '21': 74_600,
    '26': 5_000,
    '28': 44_200,
    '40': 47_600,
    '50': 25_800,
    '60': 598_900,
    '70': 105_700,
    '80': 14_400,
    '86': 45_400,
    '91, 92, 94, 95, 96': 80_000,
    '93': 77_000,
    '98': 31_800,
  },
};

/**
 * Compares the professions of a first import with the published figures. Returns no verdict for later editions, because other guards
 * compare them with the edition before.
 */
export function guardNational({ collector, before, limits }: EditionToJudge): Verdict[] {
  const { people, professions, matrix } = collector.populations.measured();
  const published = Object.entries(PUBLISHED[limits.country] ?? {});
  if (before || published.length === 0 || people < LEAST_OF_COUNTRY) return [];
  const named = Object.values(matrix)
    .flatMap(Object.keys)
    .filter((name) => name !== ABROAD && name !== UNKNOWN);
  const isWhole = new Set(named).size >= DEPARTMENTS_OF_COUNTRY;
  const found = published.flatMap(([codes, usual]) => {
    const count = codes.split(', ').reduce((sum, code) => sum + (professions[`profession ${code}`] ?? 0), 0);
    const share = count / usual;
    if (share >= SHARES.few && share <= SHARES.most) return [];
    const passed = share <= SHARES.most && (share >= SHARES.least || !isWhole);
    return verdict('national', {
      register: 'activities',
      passed,
      ...(passed && { notable: true }),
      figures: `profession ${codes}: ${count} people, ${usual} are published for ${limits.country} (${percent(share)}, limits ${percent(SHARES.least)} and ${percent(SHARES.most)})`,
      remedy: 'Give the whole register of the country, or set directory.guards.country',
    });
  });
  const figures = `${published.length} professions have about the published number of people`;
  return found.length > 0 ? found : [verdict('national', { passed: true, figures })];
}
