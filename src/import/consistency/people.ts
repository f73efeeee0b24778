// Compares the lines about a person in the other registers with those in the register of activities. Removes lines of the other registers
// if they name somebody else.

import type { Collector } from '#import/collect/collector.ts';
import { cell, type Row } from '#import/collect/columns.ts';
import type { ComparisonKey } from '#import/collect/consistency-tallies.ts';
import { departmentOf } from '#import/collect/departments.ts';
import { type PersonLines, practitionerId } from '#import/mapping/practitioner.ts';
import { A, D, M, S } from '#import/registers/person-columns.ts';
import { otherPerson, type PersonName, sameName } from './names.ts';

type OtherRegister = 'diplomas' | 'skills' | 'mailboxes';

/** A line of a file: the file and the number of the line. */
export interface Place {
  source: { file: number; report: { name: string } };
  number: number;
}

/** Returns the line from which a row came. */
export type LineOf = (register: Exclude<keyof PersonLines, 'nationalId'>, row: Row) => Place | undefined;

export function placeText(place: Place | undefined): string {
  return place ? `${place.source.report.name}, line ${place.number}` : '';
}

interface Compared {
  register: OtherRegister;
  at: NameColumns & { profession?: number };
  unknown: ComparisonKey;
  names: ComparisonKey;
  professions?: ComparisonKey;
  without: ComparisonKey;
}

const COMPARED: readonly Compared[] = [
  { register: 'diplomas', at: D, unknown: 'unknownInDiplomas', names: 'namesInDiplomas', without: 'withoutDiploma' },
  {
    register: 'skills',
    at: S,
    unknown: 'unknownInSkills',
    names: 'namesInSkills',
    without: 'withoutSkill',
    professions: 'professionsInSkills',
  },
  {
    register: 'mailboxes',
    at: M,
    unknown: 'unknownInMailboxes',
    names: 'namesInMailboxes',
    professions: 'professionsInMailboxes',
    without: 'withoutMailbox',
  },
];

const PHYSICIAN = '10';
const STUDENT = 'E';

/** @param given the kinds of registers that the edition has */
export function createPeopleComparison(given: ReadonlySet<string>, { consistency, nameVariety, doubt }: Collector) {
  const compared = COMPARED.filter(({ register }) => given.has(register));
  const groupsOf = rememberGroups();
  return {
    /** Counts a person with lines in other registers, but none in the register of activities. */
    countUnknown({ nationalId, ...lines }: Omit<PersonLines, 'activities'>): void {
      for (const { register, unknown, at } of compared) {
        const [row] = lines[register];
        if (row) consistency.count(unknown, nationalId, groupsOfProfession(cell(row, at.profession ?? -1)));
      }
    },
    /**
     * Counts whether the other registers agree with the activities about a person. Returns the person without the lines that name somebody
     * else.
     */
    compare<Person extends PersonLines>(person: Person, lineOf: LineOf): Person {
      const { activities } = person;
      let own = person;
      const groups = groupsOf(activities);
      nameVariety.look(activities[0]?.[A.family] ?? '', activities[0]?.[A.given] ?? '');
      for (const comparison of compared) {
        const { register } = comparison;
        const kept = compareRegister(person, comparison, groups, lineOf);
        if (kept !== person[register]) own = { ...own, [register]: kept };
      }
      compareSkills(person);
      return own;
    },
  };

  // The following functions run for millions of people, so they split no text and make no object without need.

  /** Compares the lines of one register with the activities. Returns these lines, without those that name somebody else. */
  function compareRegister(
    person: PersonLines,
    comparison: Compared,
    { groups, ofProfession }: PersonGroups,
    lineOf: LineOf,
  ): readonly Row[] {
    const { register, unknown, professions, without } = comparison;
    const rows = person[register];
    if (register !== 'skills' || isPhysician(person.activities))
      consistency.count(without, rows.length === 0 ? person.nationalId : undefined);
    if (rows.length === 0) return rows;
    consistency.count(unknown, undefined, professions === undefined ? [] : ofProfession);
    const kept = compareNames(person, comparison, groups, lineOf);
    compareProfessions(person, comparison, groups);
    return kept;
  }

  /** Counts whether a register names the person as the activities do. Returns its lines, without those that name somebody else. */
  function compareNames(
    person: PersonLines,
    { register, at, names }: Compared,
    groups: readonly string[],
    lineOf: LineOf,
  ): readonly Row[] {
    const { nationalId, activities } = person;
    const rows = person[register];
    const odd = rows.find((row) => !isNamedAlike(row, at, activities));
    if (!odd) {
      consistency.count(names, undefined, groups);
      return rows;
    }
    const first = activities[0] ?? [];
    const both =
      `${nameText(nameOf(first, A))} (${placeText(lineOf('activities', first))}) and ` +
      `${nameText(nameOf(odd, at))} (${placeText(lineOf(register, odd))})`;
    consistency.count(names, `${nationalId}: ${both}`, groups);
    const kept = rows.filter((row) => !isOfAnother(row, at, activities));
    if (kept.length === rows.length) return rows;
    doubt('line-of-another', `Practitioner/${practitionerId(nationalId)}`, both);
    return kept;
  }

  /** Counts whether each line of a register gives the person a profession of the activities, or none. */
  function compareProfessions(
    person: PersonLines,
    { register, at: { profession }, professions }: Compared,
    groups: readonly string[],
  ): void {
    if (professions === undefined || profession === undefined) return;
    const { nationalId, activities } = person;
    const odd = person[register].find((row) => !isOfProfession(cell(row, profession), activities));
    const both =
      odd && `${nationalId}: ${cell(odd, profession)}, in activities ${cell(activities[0] ?? [], A.profession)}`;
    consistency.count(professions, both, groups);
  }

  /** Counts whether the register of skills and the activities have a skill of the person in common. */
  function compareSkills({ nationalId, activities, skills }: PersonLines): void {
    if (skills.length === 0) return;
    const codes = activities.map((row) => cell(row, A.skill)).filter((code) => code !== '');
    if (codes.length === 0) return;
    const agree = skills.some((row) => codes.includes(cell(row, S.skill)));
    consistency.count('skillsInSkills', agree ? undefined : `${nationalId}: ${codes[0]}`);
  }
}

/** Shape of the code of a profession. Other values give no group, because a damaged column would give a group for each value. */
const PROFESSION = /^\d{2,3}$/;

const MOST_REMEMBERED = 20_000;

interface PersonGroups {
  groups: readonly string[];
  ofProfession: readonly string[];
}

function groupsOfProfession(profession: string): readonly string[] {
  return PROFESSION.test(profession) ? [`profession ${profession}`] : [];
}

/**
 * Makes the function that returns the groups of a person, such as `department 13` and `profession 50`. Cases are counted by department and
 * by profession, because each department and each profession delivers its own part of a register, so a fault may be in one part only.
 * Groups that were made are reused, because millions of people share some thousands of them.
 */
function rememberGroups(): (activities: readonly Row[]) => PersonGroups {
  type ByProfession = Map<string, PersonGroups>;
  const byDepartment = new Map<string, ByProfession>();
  const byPostalCode = new Map<string, ByProfession>();
  const groupsIn = (postalCode: string): ByProfession => {
    const department = postalCode === '' ? '' : departmentOf(postalCode);
    const here = byDepartment.get(department) ?? new Map<string, PersonGroups>();
    byDepartment.set(department, here);
    if (byPostalCode.size < MOST_REMEMBERED) byPostalCode.set(postalCode, here);
    return here;
  };
  return (activities) => {
    const first = activities[0] ?? [];
    const [postalCode, profession] = [cell(first, A.postalCode), cell(first, A.profession)];
    const here = byPostalCode.get(postalCode) ?? groupsIn(postalCode);
    const known = here.get(profession);
    if (known) return known;
    const ofProfession = groupsOfProfession(profession);
    const groups = {
      groups: [...(postalCode === '' ? [] : [`department ${departmentOf(postalCode)}`]), ...ofProfession],
      ofProfession,
    };
    if (here.size < MOST_REMEMBERED) here.set(profession, groups);
    return groups;
  };
}

interface NameColumns {
  family: number;
  given: number;
}

/** Returns the name of the person in a row of any register. */
export function nameOf(row: Row, at: NameColumns): PersonName {
  return { family: cell(row, at.family), given: cell(row, at.given) };
}

export function nameText({ family, given }: PersonName): string {
  return `"${`${family} ${given}`.trim()}"`;
}

/** Tells whether a row names the same person as the activities. A row without a name is taken to agree. */
function isNamedAlike(row: Row, at: NameColumns, activities: readonly Row[]): boolean {
  const first = activities[0] ?? [];
  // This quick check comes first, because most rows have exactly the same text.
  if (row[at.family] === first[A.family] && row[at.given] === first[A.given]) return true;
  const name = nameOf(row, at);
  if (name.family === '' && name.given === '') return true;
  return activities.some((activity) => sameName(nameOf(activity, A), name));
}

function isOfAnother(row: Row, at: NameColumns, activities: readonly Row[]): boolean {
  const name = nameOf(row, at);
  return activities.every((activity) => otherPerson(nameOf(activity, A), name));
}

function isPhysician(activities: readonly Row[]): boolean {
  const first = activities[0] ?? [];
  return cell(first, A.profession) === PHYSICIAN && cell(first, A.category) !== STUDENT;
}

function isOfProfession(code: string, activities: readonly Row[]): boolean {
  return code === '' || activities.some((activity) => cell(activity, A.profession) === code);
}

// The rest of the file finds national identifiers that two people share. Without this check, the two people would become one Practitioner.

/**
 * Maximum number of names of one identifier that are compared. If an identifier has more, it is taken to belong to nobody, because
 * comparing each name with all others would take too long.
 */
const MOST_NAMES = 50;

/**
 * Groups the activity lines of one identifier by the people whom they name. Lines are in different groups only if their family names and
 * given names both differ. So somebody with another name in a second profession, or since a marriage, stays one person.
 */
export function peopleIn(activities: readonly Row[]): readonly (readonly Row[])[] {
  const first = activities[0] ?? [];
  // This quick check comes first, because for most people all lines have the same name.
  if (activities.every((row) => row[A.family] === first[A.family] && row[A.given] === first[A.given]))
    return [activities];
  const named = activities.filter((row) => isComplete(nameOf(row, A)));
  const byName = Map.groupBy(named, (row) => `${row[A.family]}|${row[A.given]}`);
  if (byName.size > MOST_NAMES) return [...byName.values()];
  // Names are compared only once, and not in each row, because an identifier may have thousands of rows, but hardly more than two names.
  let groups: Row[][][] = [];
  for (const rows of byName.values()) {
    const name = nameOf(rows[0] ?? [], A);
    const own = groups.filter((group) => group.some(([one = []]) => !otherPerson(nameOf(one, A), name)));
    groups = [...groups.filter((group) => !own.includes(group)), [...own.flat(), rows]];
  }
  return groups.length > 1 ? groups.map((group) => group.flat()) : [activities];
}

/**
 * If other registers confirm the name of exactly one of these people, returns that person with their own lines. Returns undefined if they
 * confirm none of the names, or several.
 */
export function confirmedPerson<Person extends PersonLines>(
  person: Person,
  people: readonly (readonly Row[])[],
): Person | undefined {
  if (people.length > MOST_NAMES) return undefined;
  const candidates = people
    .map((activities) => {
      const own: Partial<Record<OtherRegister, Row[]>> = {};
      for (const { register, at } of COMPARED) {
        own[register] = person[register].filter((row) =>
          activities.some((activity) => !otherPerson(nameOf(activity, A), nameOf(row, at))),
        );
      }
      return { ...person, ...own, activities };
    })
    .filter((candidate) =>
      COMPARED.some(({ register, at }) => candidate[register].some((row) => isComplete(nameOf(row, at)))),
    );
  return candidates.length === 1 ? candidates[0] : undefined;
}

function isComplete({ family, given }: PersonName): boolean {
  return family !== '' && given !== '';
}
