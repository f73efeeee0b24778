// Counts the people of an edition in one thread: professions, elements, duplicates, names of tests, and what many people share.

import type { IndexedResource } from '#search-index/index.ts';
import { cell, type Row } from './columns.ts';
import { createCommonest, createMarks, createNumbers, printOf } from './frequent-values.ts';
import { isTestName, mayBeTest } from './test-names.ts';

/** Numbers of the columns of a row that are read. */
type PersonColumns = Readonly<
  Record<'family' | 'given' | 'profession' | 'professionLabel' | 'skill' | 'postalCode' | 'city', number>
>;

interface ProfessionCounts {
  label: string;
  people: number;
  withoutPlace: number;
  skills: Map<string, number>;
  /** By the first three digits of postal codes, `FOREIGN` and `NO_CODE`. */
  places: Uint32Array;
}

/** Elements that are counted. */
export const ELEMENTS = {
  Practitioner: ['identifier', 'active', 'name', 'telecom', 'address', 'qualification'],
  Organization: ['identifier', 'active', 'type', 'name', 'alias', 'telecom', 'address', 'partOf'],
  PractitionerRole: ['active', 'practitioner', 'organization', 'code', 'specialty'],
} as const;
/** Codes of nomenclatures. A damaged column would have as many values as lines. */
const PROFESSION = /^\d{2,3}$/;
const CODE = /^[A-Z]{1,5}\d{1,4}$/;
/** Most people without a place of work who are listed. */
export const WITHOUT_PLACE_LISTED = 200;
/** Most addresses, and identifiers that are no number, that a thread holds as text. */
const MOST_TEXTS = 50_000;

/** The counts of one thread, as plain data for another one. */
export type PopulationNotes = ReturnType<ReturnType<typeof createCounts>['notes']>;

export function createCounts() {
  let [people, lines] = [0, 0];
  const professions = new Map<string, ProfessionCounts>();
  const structures = createCommonest();
  /** Hashes of people with a structure, and the number of each; hashes of personal addresses. */
  const [prints, numbers, mailboxes] = [createNumbers(), createNumbers(), createNumbers()];
  /** Hashes of people without a structure. */
  const unplaced = createNumbers();
  const isMarked = createMarks();
  /** Identifiers that are no number, such as `3012345678/RPPS`. */
  const texts: string[] = [];
  /** The text of addresses that may come again. */
  const addresses = new Map<number, string>();
  /** Hash of the address before, of the same person. One person may have one address in several lines. */
  let addressBefore: number | undefined;
  const elements = {
    Practitioner: ELEMENTS.Practitioner.map(() => 0),
    Organization: ELEMENTS.Organization.map(() => 0),
    PractitionerRole: ELEMENTS.PractitionerRole.map(() => 0),
  };
  /** Codes of diplomas by the profession of their holder. */
  const diplomas = new Map<string, Map<string, number>>();
  const tests: { id: string; name: string }[] = [];
  const withoutPlace: string[] = [];

  function countProfession(code: string, own: readonly Row[], isPlaced: boolean, at: PersonColumns): void {
    let counts = professions.get(code);
    if (!counts) {
      if (!PROFESSION.test(code)) return;
      const label = cell(own[0] ?? [], at.professionLabel);
      counts = { label, people: 0, withoutPlace: 0, skills: new Map(), places: new Uint32Array(NO_CODE + 1) };
      professions.set(code, counts);
    }
    counts.people++;
    if (!isPlaced) counts.withoutPlace++;
    if (own.length === 1) {
      countPlace(counts, cell(own[0] as Row, at.skill), placeOf(cell(own[0] as Row, at.postalCode)));
      return;
    }
    for (const skill of new Set(own.map((row) => cell(row, at.skill)))) countPlace(counts, skill);
    for (const place of new Set(own.map((row) => placeOf(cell(row, at.postalCode))))) countPlace(counts, '', place);
  }

  // This runs for millions of people, so nothing is split or created without need.
  return {
    /** Counts a person with the rows of the register of activities, and the first structure among them. */
    person(nationalId: string, activities: readonly Row[], structure: string | undefined, at: PersonColumns): void {
      const first = activities[0] ?? [];
      people++;
      lines += activities.length;
      addressBefore = undefined;
      const profession = cell(first, at.profession);
      if (activities.every((row) => row === first || cell(row, at.profession) === profession))
        countProfession(profession, activities, structure !== undefined, at);
      else
        for (const [code, own] of Map.groupBy(activities, (row) => cell(row, at.profession)))
          countProfession(code, own, structure !== undefined, at);
      const family = cell(first, at.family);
      const given = cell(first, at.given);
      if (
        mayBeTest(family, given) &&
        isTestName({ family, given, postalCode: cell(first, at.postalCode), city: cell(first, at.city) })
      )
        tests.push({ id: nationalId, name: `${family} ${given}`.trim() });
      if (structure === undefined) {
        if (withoutPlace.length < WITHOUT_PLACE_LISTED) withoutPlace.push(nationalId);
        if (family !== '' || given !== '') unplaced.push(printOf([family, given, profession]));
        return;
      }
      structures.count(structure);
      if (family === '' && given === '') return;
      prints.push(printOf([family, given, profession, structure]));
      const number = numberOf(nationalId);
      // A negative number is the place of a text.
      numbers.push(number !== 0 || texts.length === MOST_TEXTS ? number : -texts.push(nationalId));
    },
    /** Counts a diploma of a person of this profession. */
    diploma(profession: string, code: string): void {
      const counts = diplomas.get(profession) ?? new Map<string, number>();
      const count = counts.get(code);
      if (count !== undefined) counts.set(code, count + 1);
      else if (CODE.test(code) && PROFESSION.test(profession)) diplomas.set(profession, counts.set(code, 1));
    },
    /** Counts an address of the person who is counted next. */
    mailbox(address: string): void {
      const print = printOf([address.toLowerCase()]);
      if (print === addressBefore) return;
      addressBefore = print;
      mailboxes.push(print);
      if (isMarked(print) && addresses.size < MOST_TEXTS) addresses.set(print, address);
    },
    element({ type, resource }: IndexedResource): void {
      const counts = elements[type];
      for (let at = 0; at < counts.length; at++) {
        if (resource[ELEMENTS[type][at] as string] !== undefined) counts[at] = (counts[at] as number) + 1;
      }
    },
    notes: () => ({
      ...{
        people,
        lines,
        professions,
        structures: structures.all(),
        elements,
        diplomas,
        tests,
        addresses,
        withoutPlace,
      },
      ...{ prints: prints.all(), numbers: numbers.all(), texts, mailboxes: mailboxes.all(), unplaced: unplaced.all() },
    }),
  };
}

function countPlace({ skills, places }: ProfessionCounts, skill: string, place?: number): void {
  const count = skills.get(skill);
  if (count !== undefined) skills.set(skill, count + 1);
  else if (CODE.test(skill)) skills.set(skill, 1);
  if (place !== undefined) places[place] = (places[place] ?? 0) + 1;
}

export const FOREIGN = 1000;
export const NO_CODE = 1001;

/** The first three digits of a postal code of five, which tell the department. */
function placeOf(code: string): number {
  if (code === '') return NO_CODE;
  let place = 0;
  for (let at = 0; at < 3; at++) {
    const digit = code.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return FOREIGN;
    place = place * 10 + digit;
  }
  return code.length === 5 ? place : FOREIGN;
}

/** Digits and the letters A and B in base 12, behind a one that keeps leading zeros. 0 stands for all other identifiers. */
function numberOf(nationalId: string): number {
  if (nationalId.length > 13) return 0;
  let number = 1;
  for (let at = 0; at < nationalId.length; at++) {
    const code = nationalId.charCodeAt(at);
    const digit = code >= 65 ? code - 55 : code - 48;
    if (digit < 0 || digit > 11) return 0;
    number = number * 12 + digit;
  }
  return number;
}
