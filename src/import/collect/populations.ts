// Counts the people of an edition: professions, elements, duplicates, names of tests, and what many people share.

import type { IndexedResource, ResourceType } from '#search-index/index.ts';
import { cell, type Row } from './columns.ts';
import { ABROAD, departmentOf, UNKNOWN } from './departments.ts';
import { createCommonest, createMarks, createNumbers, printOf, repeatedNumbers } from './frequent-values.ts';
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

/** Elements that are counted. Names have a guard of their own. */
const ELEMENTS: readonly (readonly [ResourceType, string])[] = [
  ...(['telecom', 'address', 'qualification'] as const).map((element) => ['Practitioner', element] as const),
  ...(['telecom', 'address', 'type', 'partOf'] as const).map((element) => ['Organization', element] as const),
];
/** Codes of nomenclatures. A damaged column would have as many values as lines. */
const PROFESSION = /^\d{2,3}$/;
const CODE = /^[A-Z]{1,5}\d{1,4}$/;
/** Most people and addresses of one kind that are listed. */
const LISTED = 1000;
const WITHOUT_PLACE_LISTED = 200;
/** Number of people from which on an address is listed as shared. */
const SHARED_BY = 4;
/** Most addresses, and identifiers that are no number, that a thread holds as text. */
const MOST_TEXTS = 50_000;

/** The counts of one thread, as plain data for another one. */
export type PopulationNotes = ReturnType<ReturnType<typeof createCounts>['notes']>;
/** The counts of all threads. */
export type Measured = ReturnType<typeof measuredIn>;

export function createPopulations() {
  const counts = createCounts();
  const added: PopulationNotes[] = [];
  let measured: Measured | undefined;
  return {
    ...counts,
    /** Adds the counts of another thread. */
    add(notes: PopulationNotes): void {
      added.push(notes);
    },
    /** The counts of all threads. They are complete at the first call. */
    measured(): Measured {
      measured ??= measuredIn([counts.notes(), ...added]);
      return measured;
    },
  };
}

function createCounts() {
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
  const elements = ELEMENTS.map(() => 0);
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
      for (let at = 0; at < ELEMENTS.length; at++) {
        const [of, element] = ELEMENTS[at] as (typeof ELEMENTS)[number];
        if (of === type && resource[element] !== undefined) elements[at] = (elements[at] ?? 0) + 1;
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

function countMore(counts: Map<string, number>, key: string, more = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + more);
}

const FOREIGN = 1000;
const NO_CODE = 1001;

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

function departmentAt(place: number): string {
  if (place === NO_CODE) return UNKNOWN;
  return place === FOREIGN ? ABROAD : departmentOf(`${String(place).padStart(3, '0')}00`);
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

function identifierOf(number: number, texts: readonly string[]): string[] {
  if (number > 0) return [number.toString(12).slice(1).toUpperCase()];
  return number === 0 ? [] : texts.slice(-number - 1, -number);
}

function measuredIn(threads: readonly PopulationNotes[]) {
  const structures = new Map<string, number>();
  for (const thread of threads) {
    for (const [id, count] of thread.structures) countMore(structures, id, count);
  }
  const [id, most] = [...structures].reduce((one, other) => (other[1] > one[1] ? other : one), ['', 0]);
  return {
    people: threads.reduce((sum, thread) => sum + thread.people, 0),
    /** Lines of these people in the register of activities, each once. */
    lines: threads.reduce((sum, thread) => sum + thread.lines, 0),
    /** Resources that have an element: `Practitioner.telecom`. */
    elements: Object.fromEntries(
      ELEMENTS.map(([type, element], at) => [
        `${type}.${element}`,
        threads.reduce((sum, { elements }) => sum + (elements[at] ?? 0), 0),
      ]),
    ),
    /** The structure with most people. */
    largest: { id, people: Math.round(most) },
    ...professionsIn(threads),
    duplicates: duplicatesIn(threads),
    /** Number of personal mail addresses, each counted once for each person. */
    addresses: threads.reduce((sum, { mailboxes }) => sum + mailboxes.length, 0),
    shared: sharedIn(threads),
    tests: threads.flatMap(({ tests }) => tests),
  };
}

function professionsIn(threads: readonly PopulationNotes[]) {
  const [groups, byProfession] = [new Map<string, number>(), new Map<string, number>()];
  const labels: Record<string, string> = {};
  const matrix: Record<string, Record<string, number>> = {};
  for (const [code, { label, people, skills, places, withoutPlace }] of threads.flatMap((one) => [
    ...one.professions,
  ])) {
    countMore(groups, `profession ${code}`, people);
    for (const [skill, count] of skills) countMore(groups, `speciality ${code}/${skill}`, count);
    labels[code] ??= label;
    matrix[code] ??= {};
    const row = matrix[code];
    for (const [place, count] of places.entries()) {
      if (count === 0) continue;
      const department = departmentAt(place);
      row[department] = (row[department] ?? 0) + count;
    }
    if (withoutPlace > 0) countMore(byProfession, code, withoutPlace);
  }
  for (const [code, diplomas] of threads.flatMap((one) => [...one.diplomas]))
    for (const [diploma, count] of diplomas) countMore(groups, `diploma ${code}/${diploma}`, count);
  const examples = threads.flatMap(({ withoutPlace }) => withoutPlace).slice(0, WITHOUT_PLACE_LISTED);
  return {
    /** People by group: `profession 50`, `speciality 10/SM26`; diplomas by that of their holder: `diploma 50/DE13`. */
    professions: Object.fromEntries(groups),
    /** People by profession and department. */
    matrix,
    /** Labels of the professions. */
    labels,
    withoutPlace: {
      ...{ byProfession: Object.fromEntries(byProfession), examples },
      /** Those with the name and profession of another one without a structure: one person twice, or two of one name. */
      namesakes: repeatedNumbers(threads.map(({ unplaced }) => unplaced))
        .values()
        .reduce((total, count) => total + count, 0),
    },
  };
}

/** People with the name, profession and structure of another one. Groups are national identifiers, two at least. */
function duplicatesIn(threads: readonly PopulationNotes[]) {
  const repeated = repeatedNumbers(threads.map(({ prints }) => prints));
  const people = repeated.values().reduce((total, count) => total + count, 0);
  const groups = new Map([...repeated.keys()].slice(0, LISTED).map((print) => [print, [] as string[]]));
  if (groups.size > 0)
    for (const { prints, numbers, texts } of threads)
      for (const [at, print] of prints.entries()) groups.get(print)?.push(...identifierOf(numbers[at] ?? 0, texts));
  const sorted = [...groups.values()].filter((ids) => ids.length > 1).map((ids) => ({ ids: ids.sort() }));
  return { people, groups: sorted.sort((a, b) => ((a.ids[0] ?? '') < (b.ids[0] ?? '') ? -1 : 1)) };
}

/** Addresses of more than three people, that of most people first. */
function sharedIn(threads: readonly PopulationNotes[]) {
  return [...repeatedNumbers(threads.map(({ mailboxes }) => mailboxes))]
    .filter(([, people]) => people >= SHARED_BY)
    .sort(([one, a], [other, b]) => b - a || one - other)
    .slice(0, LISTED)
    .map(([print, people]) => {
      const texts = threads.flatMap(({ addresses }) => addresses.get(print) ?? []);
      return { address: texts[0] ?? '', people };
    });
}
