// Counts the people of an edition: professions, elements, duplicates, names of tests, and what many people share.

import type { IndexedResource, ResourceType } from '#search-index/index.ts';
import { cell, type Row } from './columns.ts';
import { ABROAD, departmentOf, UNKNOWN } from './departments.ts';
import { createCommonest, createMarks, createNumbers, printOf, repeatedNumbers } from './frequent-values.ts';
import { isTestName, mayBeTest } from './test-names.ts';

/** The counts of all threads. */
export interface Measured {
  people: number;
  /** Their lines in the register of activities, each once. */
  lines: number;
  /** People by group: `profession 50`, `speciality 10/SM26`. */
  professions: Record<string, number>;
  /** People by profession and department. */
  matrix: Record<string, Record<string, number>>;
  /** Labels of the professions. */
  labels: Record<string, string>;
  /** Resources by type that have an element. */
  elements: Record<ResourceType, Record<string, number>>;
  /** The structure with most people. */
  largest: { id: string; people: number };
  /** People with the name, profession and structure of another one. Groups are national identifiers. */
  duplicates: { people: number; groups: { ids: string[] }[] };
  /** Number of personal mail addresses, each counted once for each person. */
  addresses: number;
  /** Addresses of more than three people, that of most people first. */
  shared: { address: string; people: number }[];
  tests: { id: string; name: string }[];
  withoutPlace: { byProfession: Record<string, number>; examples: string[] };
}

/** Numbers of the columns of a row that are read. */
export type PersonColumns = Readonly<
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

/** The counts of one thread, as plain data for another one. */
export interface PopulationNotes extends Pick<Measured, 'people' | 'lines' | 'elements' | 'tests'> {
  professions: ReadonlyMap<string, ProfessionCounts>;
  /** People by structure, of the commonest ones. */
  structures: ReadonlyMap<string, number>;
  /** Hashes of people with a structure, and the number of each. */
  prints: Float64Array;
  numbers: Float64Array;
  /** Hashes of personal addresses, and the text of those that may come again. */
  mailboxes: Float64Array;
  addresses: ReadonlyMap<number, string>;
  withoutPlace: readonly string[];
}

export interface Populations {
  /** Counts a person with the rows of the register of activities, and the first structure among them. */
  person(nationalId: string, activities: readonly Row[], structure: string | undefined, at: PersonColumns): void;
  /** Counts an address of the person who is counted next. */
  mailbox(address: string): void;
  element(resource: IndexedResource): void;
  notes(): PopulationNotes;
  /** Adds the counts of another thread. */
  add(notes: PopulationNotes): void;
  measured(): Measured;
}

/** Elements that are counted. Names have a guard of their own. */
const ELEMENTS: Readonly<Record<ResourceType, readonly string[]>> = {
  Practitioner: ['telecom', 'address', 'qualification'],
  Organization: ['telecom', 'address', 'type', 'partOf'],
  PractitionerRole: [],
};
/** Codes of nomenclatures. A damaged column would have as many values as lines. */
const PROFESSION = /^\d{2,3}$/;
const SKILL = /^[A-Z]{1,5}\d{1,4}$/;
/** Most people and addresses of one kind that are listed. */
const LISTED = 1000;
const WITHOUT_PLACE_LISTED = 200;
/** Number of people from which on an address is listed as shared. */
const SHARED_BY = 4;
/** Most addresses that a thread holds as text. */
const MOST_TEXTS = 50_000;

export function createPopulations(): Populations {
  let [people, lines] = [0, 0];
  const professions = new Map<string, ProfessionCounts>();
  const structures = createCommonest();
  const [prints, numbers, mailboxes] = [createNumbers(), createNumbers(), createNumbers()];
  const isMarked = createMarks();
  const addresses = new Map<number, string>();
  /** Hash of the address before, of the same person. One person may have one address in several lines. */
  let addressBefore: number | undefined;
  const elements: Measured['elements'] = { Practitioner: {}, Organization: {}, PractitionerRole: {} };
  const tests: Measured['tests'] = [];
  const withoutPlace: string[] = [];
  const added: PopulationNotes[] = [];
  let measured: Measured | undefined;

  function countProfession(code: string, activities: readonly Row[], isPlaced: boolean, at: PersonColumns): void {
    if (!PROFESSION.test(code)) return;
    let counts = professions.get(code);
    if (!counts) {
      const row = activities.find((one) => cell(one, at.profession) === code) ?? [];
      const label = cell(row, at.professionLabel);
      counts = { label, people: 0, withoutPlace: 0, skills: new Map(), places: new Uint32Array(NO_CODE + 1) };
      professions.set(code, counts);
    }
    counts.people++;
    if (!isPlaced) counts.withoutPlace++;
    if (activities.length === 1) {
      countOnce(counts.skills, skillOf(activities[0] as Row, at));
      countPlace(counts.places, placeOf(activities[0] as Row, at));
      return;
    }
    const own = activities.filter((row) => cell(row, at.profession) === code);
    for (const skill of new Set(own.map((row) => skillOf(row, at)))) countOnce(counts.skills, skill);
    for (const place of new Set(own.map((row) => placeOf(row, at)))) countPlace(counts.places, place);
  }

  const notes = (): PopulationNotes => ({
    ...{ people, lines, professions, structures: structures.all(), elements, tests, addresses, withoutPlace },
    ...{ prints: prints.all(), numbers: numbers.all(), mailboxes: mailboxes.all() },
  });

  // This runs for millions of people, so nothing is split or created without need.
  return {
    person(nationalId, activities, structure, at) {
      const first = activities[0] ?? [];
      people++;
      lines += activities.length;
      addressBefore = undefined;
      const profession = cell(first, at.profession);
      countProfession(profession, activities, structure !== undefined, at);
      if (activities.length > 1)
        for (const other of new Set(activities.map((row) => cell(row, at.profession))))
          if (other !== profession) countProfession(other, activities, structure !== undefined, at);
      const [family, given] = [cell(first, at.family), cell(first, at.given)];
      if (
        mayBeTest(family, given) &&
        isTestName({ family, given, postalCode: cell(first, at.postalCode), city: cell(first, at.city) })
      )
        tests.push({ id: nationalId, name: `${family} ${given}`.trim() });
      if (structure === undefined) {
        if (withoutPlace.length < WITHOUT_PLACE_LISTED) withoutPlace.push(nationalId);
        return;
      }
      structures.count(structure);
      if (family === '' && given === '') return;
      prints.push(printOf([family, given, profession, structure]));
      numbers.push(numberOf(nationalId));
    },
    mailbox(address) {
      const print = printOf([address.toLowerCase()]);
      if (print === addressBefore) return;
      addressBefore = print;
      mailboxes.push(print);
      if (isMarked(print) && addresses.size < MOST_TEXTS) addresses.set(print, address);
    },
    element({ type, resource }) {
      const counts = elements[type];
      for (const element of ELEMENTS[type])
        if (resource[element] !== undefined) counts[element] = (counts[element] ?? 0) + 1;
    },
    notes,
    add(others) {
      added.push(others);
    },
    /** The notes of all threads. They are complete at the first call. */
    measured: () => {
      measured ??= measuredIn([notes(), ...added]);
      return measured;
    },
  };
}

function skillOf(row: Row, { skill }: PersonColumns): string | undefined {
  const code = cell(row, skill);
  return SKILL.test(code) ? code : undefined;
}

const FOREIGN = 1000;
const NO_CODE = 1001;

/** The first three digits of a postal code of five, which tell the department. */
function placeOf(row: Row, { postalCode }: PersonColumns): number {
  const code = cell(row, postalCode);
  if (code === '') return NO_CODE;
  let place = 0;
  for (let at = 0; at < 3; at++) {
    const digit = code.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return FOREIGN;
    place = place * 10 + digit;
  }
  return code.length === 5 ? place : FOREIGN;
}

function countPlace(places: Uint32Array, place: number): void {
  places[place] = (places[place] ?? 0) + 1;
}

function departmentAt(place: number): string {
  if (place === NO_CODE) return UNKNOWN;
  return place === FOREIGN ? ABROAD : departmentOf(`${String(place).padStart(3, '0')}00`);
}

function countOnce(counts: Map<string, number>, key: string | undefined, more = 1): void {
  if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + more);
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

function identifierOf(number: number): string[] {
  return number === 0 ? [] : [number.toString(12).slice(1).toUpperCase()];
}

// The counts of all threads in one.

function measuredIn(threads: readonly PopulationNotes[]): Measured {
  const sum = (key: 'people' | 'lines') => threads.reduce((total, thread) => total + thread[key], 0);
  const structures = new Map<string, number>();
  for (const thread of threads) for (const [id, count] of thread.structures) countOnce(structures, id, count);
  const [id, most] = [...structures].reduce((one, other) => (other[1] > one[1] ? other : one), ['', 0]);
  const elements: Measured['elements'] = { Practitioner: {}, Organization: {}, PractitionerRole: {} };
  for (const thread of threads)
    for (const [type, counts] of Object.entries(thread.elements) as [ResourceType, Record<string, number>][])
      for (const [element, count] of Object.entries(counts))
        elements[type][element] = (elements[type][element] ?? 0) + count;
  return {
    ...{ people: sum('people'), lines: sum('lines'), elements, largest: { id, people: Math.round(most) } },
    ...ofProfessions(threads),
    duplicates: duplicatesIn(threads),
    addresses: threads.reduce((total, { mailboxes }) => total + mailboxes.length, 0),
    shared: sharedIn(threads),
    tests: threads.flatMap(({ tests }) => tests),
  };
}

function ofProfessions(
  threads: readonly PopulationNotes[],
): Pick<Measured, 'professions' | 'matrix' | 'labels' | 'withoutPlace'> {
  const groups = new Map<string, number>();
  const matrix: Measured['matrix'] = {};
  const labels: Measured['labels'] = {};
  const byProfession = new Map<string, number>();
  for (const { professions } of threads)
    for (const [code, { label, people, skills, places, withoutPlace }] of professions) {
      countOnce(groups, `profession ${code}`, people);
      for (const [skill, count] of skills) countOnce(groups, `speciality ${code}/${skill}`, count);
      labels[code] ??= label;
      matrix[code] ??= {};
      const row = matrix[code];
      for (const [place, count] of places.entries()) {
        if (count === 0) continue;
        const department = departmentAt(place);
        row[department] = (row[department] ?? 0) + count;
      }
      if (withoutPlace > 0) countOnce(byProfession, code, withoutPlace);
    }
  const examples = threads.flatMap(({ withoutPlace }) => withoutPlace).slice(0, WITHOUT_PLACE_LISTED);
  return {
    professions: Object.fromEntries(groups),
    matrix,
    labels,
    withoutPlace: { byProfession: Object.fromEntries(byProfession), examples },
  };
}

function duplicatesIn(threads: readonly PopulationNotes[]): Measured['duplicates'] {
  const repeated = repeatedNumbers(threads.map(({ prints }) => prints));
  const people = repeated.values().reduce((total, count) => total + count, 0);
  const groups = new Map([...repeated.keys()].slice(0, LISTED).map((print) => [print, [] as string[]]));
  if (groups.size > 0)
    for (const { prints, numbers } of threads)
      for (const [at, print] of prints.entries()) groups.get(print)?.push(...identifierOf(numbers[at] ?? 0));
  return { people, groups: [...groups.values()].map((ids) => ({ ids: ids.sort() })).sort(byFirst) };
}

function byFirst({ ids: [one = ''] }: { ids: string[] }, { ids: [other = ''] }: { ids: string[] }): number {
  return one < other ? -1 : 1;
}

function sharedIn(threads: readonly PopulationNotes[]): Measured['shared'] {
  const repeated = repeatedNumbers(threads.map(({ mailboxes }) => mailboxes));
  return [...repeated]
    .filter(([, people]) => people >= SHARED_BY)
    .sort(([one, a], [other, b]) => b - a || one - other)
    .slice(0, LISTED)
    .map(([print, people]) => ({
      address: threads.map(({ addresses }) => addresses.get(print)).find((text) => text !== undefined) ?? '',
      people,
    }));
}
