// Counts the cases in which the registers of one edition agree with each other, and those in which they do not.

import type { LimitedGuard } from '#config/service/guard-table.ts';
import { exampleText } from './warnings.ts';

export type ConsistencyGuard = Extract<
  LimitedGuard,
  'unknownPeople' | 'namesDiffer' | 'professionsDiffer' | 'labelsDiffer' | 'danglingStructures' | 'coverage' | 'fused'
>;

/** One comparison of values, between two registers or within one. Its result is the share of odd cases among the checked cases. */
interface Comparison {
  guard: ConsistencyGuard;
  /** The register to which a fault is attributed, by its name in the snapshot registry. */
  register: string;
  checked: string;
  odd: string;
  /**
   * Usual share (0-1) of odd cases in the published registers. A first import is compared with this share, because it has no earlier
   * edition.
   */
  usual: number;
}

function comparison(
  guard: ConsistencyGuard,
  register: string,
  checked: string,
  odd: string,
  usual: number,
): Comparison {
  return { guard, register, checked, odd, usual };
}

function ofPeople(guard: ConsistencyGuard, register: string, odd: string, usual: number): Comparison {
  return comparison(guard, register, 'people of it', `${odd} in the register of activities`, usual);
}

function ofLabels(register: string): Comparison {
  return comparison('labelsDiffer', register, 'codes that came before', 'have another label', 0);
}

function ofStructures(register: string, checked: string, odd: string, usual: number): Comparison {
  return comparison('danglingStructures', register, checked, odd, usual);
}

function ofCoverage(register: string, usual: number, checked = 'people', odd = 'have no line in it'): Comparison {
  return comparison('coverage', register, checked, odd, usual);
}

const [UNKNOWN, NAMES, PROFESSIONS] = ['are not', 'have another name', 'have another profession'] as const;
const [WITH_SKILL, NO_SUCH_SKILL] = [
  'people of it with a skill in the register of activities',
  'have no such skill in it',
] as const;
const NOT_IN_FINESS = 'are not in FINESS';

export const COMPARISONS = {
  unknownInDiplomas: ofPeople('unknownPeople', 'diplomas', UNKNOWN, 0),
  unknownInSkills: ofPeople('unknownPeople', 'skills', UNKNOWN, 0),
  unknownInMailboxes: ofPeople('unknownPeople', 'mailboxes', UNKNOWN, 0.02),
  namesInDiplomas: ofPeople('namesDiffer', 'diplomas', NAMES, 0),
  namesInSkills: ofPeople('namesDiffer', 'skills', NAMES, 0),
  namesInMailboxes: ofPeople('namesDiffer', 'mailboxes', NAMES, 0.02),
  professionsInSkills: ofPeople('professionsDiffer', 'skills', PROFESSIONS, 0),
  professionsInMailboxes: ofPeople('professionsDiffer', 'mailboxes', PROFESSIONS, 0.02),
  // The skill in a line of activities should be one of the skills that the person has in the register of skills. Some skills were never
  // registered there, so the usual share of odd cases is high.
  skillsInSkills: comparison('professionsDiffer', 'skills', WITH_SKILL, NO_SUCH_SKILL, 0.3),
  labelsInActivities: ofLabels('activities'),
  labelsInDiplomas: ofLabels('diplomas'),
  labelsInSkills: ofLabels('skills'),
  establishments: ofStructures(
    'finess structureet',
    'structures of activities with a FINESS number',
    NOT_IN_FINESS,
    0.1,
  ),
  legalEntities: ofStructures('finess structureej', 'legal entities that other lines name', NOT_IN_FINESS, 0.02),
  numbers: ofStructures(
    'activities',
    'structures of activities whose id is a FINESS number',
    'stand beside another FINESS number',
    0.02,
  ),
  belonging: ofStructures(
    'activities',
    'establishments whose legal entity FINESS and activities name',
    'have another one in FINESS',
    0.05,
  ),
  places: ofStructures(
    'activities',
    'establishments whose postal code FINESS and activities give',
    'are in another department in FINESS',
    0.05,
  ),
  mailStructures: ofStructures('mailboxes', 'structures with a mailbox', 'are in no other register', 0.1),
  withoutStructure: ofCoverage('activities', 0.3, 'people', 'have no structure'),
  withoutDiploma: ofCoverage('diplomas', 0.1),
  withoutSkill: ofCoverage('skills', 0.1, 'physicians, students aside,'),
  withoutMailbox: ofCoverage('mailboxes', 0.8),
  fused: comparison('fused', 'activities', 'people', 'have lines with the names of two people', 0),
  fusedInActivities: comparison('fused', 'activities', 'structures', 'have lines with another name and town', 0.01),
  blankAddresses: ofCoverage('activities', 0.02, 'structures with an address in FINESS', 'have lines without one'),
} as const satisfies Record<string, Comparison>;

export type ComparisonKey = keyof typeof COMPARISONS;

/** Number of cases that were checked, and number of these that were odd. */
export interface Cases {
  checked: number;
  odd: number;
}

/** A tally as plain data, for other threads. */
export interface Tally extends Cases {
  examples: string[];
  /** The cases by group of people: `department 13`, `profession 50`. */
  groups: Record<string, Cases>;
}

const EXAMPLES = 3;

export type Tallies = ReturnType<typeof createTallies>;

export function createTallies() {
  const tallies = Object.fromEntries(
    Object.keys(COMPARISONS).map((key) => [key, { checked: 0, odd: 0, examples: [], groups: {} }]),
  ) as unknown as Record<ComparisonKey, Tally>;
  return {
    all: tallies as Readonly<Record<ComparisonKey, Tally>>,
    /** Counts one case, and counts it again in each of `groups`. If the registers do not agree in this case, `odd` describes it. */
    count(key: ComparisonKey, odd?: string, groups: readonly string[] = []): void {
      const tally = tallies[key];
      tally.checked++;
      for (const group of groups) addCases(tally.groups, group, { checked: 1, odd: odd === undefined ? 0 : 1 });
      if (odd === undefined) return;
      tally.odd++;
      if (tally.examples.length < EXAMPLES) tally.examples.push(exampleText(odd));
    },
    /** Adds the tallies of another thread. */
    add(others: Readonly<Record<ComparisonKey, Tally>>): void {
      for (const [key, { checked, odd, examples, groups }] of Object.entries(others) as [ComparisonKey, Tally][]) {
        const tally = tallies[key];
        tally.checked += checked;
        tally.odd += odd;
        for (const [group, cases] of Object.entries(groups)) addCases(tally.groups, group, cases);
        tally.examples.push(...examples.slice(0, EXAMPLES - tally.examples.length));
      }
    },
  };
}

function addCases(groups: Record<string, Cases>, group: string, { checked, odd }: Cases): void {
  const known = groups[group];
  if (known) {
    known.checked += checked;
    known.odd += odd;
  } else groups[group] = { checked, odd };
}

// Counts how many different family names and given names people have. If family and given names are swapped in all registers at once, a
// comparison of two registers does not show it. But in this case, given names vary more than family names.

/** Counts of names as plain data, for other threads. */
export interface NameVariety {
  people: number;
  families: number;
  givens: number;
}

/** One thread counts the names of at most this number of people. */
const PEOPLE = 4096;

export function createNameVariety() {
  const [families, givens] = [new Set<string>(), new Set<string>()];
  const others: NameVariety[] = [];
  let people = 0;
  return {
    /** Counts the names of a person. A person without one of the two names is not counted. */
    look(family: string, given: string): void {
      if (people >= PEOPLE || family === '' || given === '') return;
      people++;
      families.add(family);
      givens.add(given);
    },
    /** Adds the counts of another thread. */
    add(other: NameVariety): void {
      others.push(other);
    },
    /** Adds up the counts of all threads. A name that occurs in several threads is counted once for each thread. */
    all(): NameVariety {
      const sum = { people, families: families.size, givens: givens.size };
      for (const other of others) for (const key of ['people', 'families', 'givens'] as const) sum[key] += other[key];
      return sum;
    },
  };
}
