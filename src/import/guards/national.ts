// Guard on a first load of a whole country, whose professions are held against the published figures.

import type { EditionToJudge } from './measured-edition.ts';
import { orPassed, percent, type Verdict, verdict } from './verdict.ts';

/** Number of people from which on an edition is one of a country. */
const LEAST_OF_COUNTRY = 500_000;
/** The registers also hold people who do not work any more, and who work abroad: they may have that many times the published number. */
const SHARES = { least: 0.6, few: 0.8, most: 3 };

interface Published {
  /** Codes of professions that were counted together. */
  codes: readonly string[];
  people: number;
}

/** People who work in a profession, by country. `docs/directory-guards.md` names the publications. */
const PUBLISHED: Readonly<Record<string, readonly Published[]>> = {
  FR: [
    { codes: ['10'], people: 237_200 },
    { codes: ['21'], people: 74_600 },
    { codes: ['26'], people: 5_000 },
    { codes: ['28'], people: 44_200 },
    { codes: ['40'], people: 47_600 },
    { codes: ['50'], people: 25_800 },
    { codes: ['60'], people: 598_900 },
    { codes: ['70'], people: 105_700 },
    { codes: ['80'], people: 14_400 },
    { codes: ['86'], people: 45_400 },
    { codes: ['91', '92', '94', '95', '96'], people: 80_000 },
    { codes: ['93'], people: 77_000 },
    { codes: ['98'], people: 31_800 },
  ],
};

/** Compares the professions of a first load with the published figures. Later editions are compared with the first one. */
export function guardNational({ collector, before, limits }: EditionToJudge): Verdict[] {
  const { people, professions } = collector.populations.measured();
  const published = PUBLISHED[limits.country];
  if (before || !published || people < LEAST_OF_COUNTRY) return [];
  const found = published.flatMap(({ codes, people: usual }) => {
    const count = codes.reduce((sum, code) => sum + (professions[`profession ${code}`] ?? 0), 0);
    const share = count / usual;
    if (share >= SHARES.few && share <= SHARES.most) return [];
    const passed = share >= SHARES.least && share <= SHARES.most;
    return verdict('national', {
      register: 'activities',
      passed,
      ...(passed && { notable: true }),
      figures: `profession ${codes.join(', ')}: ${count} people, ${usual} are published for ${limits.country} (${percent(share)}, limits ${percent(SHARES.least)} and ${percent(SHARES.most)})`,
      remedy: 'Give the whole register of the country, or set directory.guards.country',
    });
  });
  return orPassed('national', found, `${published.length} professions have about the published number of people`);
}
