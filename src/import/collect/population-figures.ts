// Adds up the counts of all threads, which gives the figures about the people of an edition.

import { RESOURCE_TYPES } from '#search-index/index.ts';
import { ABROAD, departmentOf, UNKNOWN } from './departments.ts';
import { repeatedNumbers } from './frequent-values.ts';
import {
  createCounts,
  ELEMENTS,
  FOREIGN,
  NO_CODE,
  type PopulationNotes,
  WITHOUT_PLACE_LISTED,
} from './population-counts.ts';

/** Maximum number of listed groups of duplicates, and of listed shared addresses. */
const LISTED = 1000;
/** An address is listed as shared if at least this number of people have it. */
const SHARED_BY = 4;

/** The figures about the people of an edition, from all threads together. */
export type Measured = ReturnType<typeof measuredIn>;

/** Counts the people of an edition in this thread, and adds the counts of the other threads. */
export function createPopulations() {
  const counts = createCounts();
  const added: PopulationNotes[] = [];
  let measured: Measured | undefined;
  return {
    ...counts,
    /** Adds the counts of another thread. */
    add: (notes: PopulationNotes) => void added.push(notes),
    /** Returns the figures of all threads. The first call computes them, so all counts must have been added before. */
    measured: (): Measured => {
      measured ??= measuredIn([counts.notes(), ...added]);
      return measured;
    },
  };
}

function countMore(counts: Map<string, number>, key: string, more = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + more);
}

function departmentAt(place: number): string {
  if (place === NO_CODE) return UNKNOWN;
  return place === FOREIGN ? ABROAD : departmentOf(`${String(place).padStart(3, '0')}00`);
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
    /** Number of lines in the register of activities. A line and its repetitions are counted as one. */
    lines: threads.reduce((sum, thread) => sum + thread.lines, 0),
    /** For each element (`Practitioner.telecom`), the number of resources that have it. */
    elements: Object.fromEntries(
      RESOURCE_TYPES.flatMap((type) =>
        ELEMENTS[type].map((element, at) => [
          `${type}.${element}`,
          threads.reduce((sum, { elements }) => sum + (elements[type][at] ?? 0), 0),
        ]),
      ),
    ),
    /** The structure with the most people. */
    largest: { id, people: Math.round(most) },
    ...professionsIn(threads),
    duplicates: duplicatesIn(threads),
    /** Number of personal mail addresses. An address that several people have is counted once for each of them. */
    addresses: threads.reduce((sum, { mailboxes }) => sum + mailboxes.length, 0),
    shared: sharedIn(threads),
    tests: threads.flatMap(({ tests }) => tests),
  };
}

function professionsIn(threads: readonly PopulationNotes[]) {
  const [groups, byProfession] = [new Map<string, number>(), new Map<string, number>()];
  for (const [name, count] of threads.flatMap((thread) => thread.groups)) countMore(groups, name, count);
  const labels: Record<string, string> = {};
  const matrix: Record<string, Record<string, number>> = {};
  for (const { code, label, people, places, withoutPlace } of threads.flatMap((thread) => thread.professions)) {
    countMore(groups, `profession ${code}`, people);
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
  const examples = threads.flatMap(({ withoutPlace }) => withoutPlace).slice(0, WITHOUT_PLACE_LISTED);
  return {
    /**
     * Number of people in each group, such as `profession 50`, `speciality 10/SM26` or `diploma 50/DE13`. The code before the `/` is the
     * profession of the person with the speciality or diploma.
     */
    professions: Object.fromEntries(groups),
    /** Number of people by profession and department. */
    matrix,
    /** Labels of the professions, by code. */
    labels,
    withoutPlace: {
      byProfession: Object.fromEntries(byProfession),
      examples,
      /**
       * Number of people without a structure who share their name and profession with another person without a structure. Such people may
       * be one and the same person.
       */
      namesakes: repeatedNumbers(threads.map(({ unplaced }) => unplaced))
        .values()
        .reduce((total, count) => total + count, 0),
    },
  };
}

/** Finds people with the same name, profession and structure. Each group in the result has at least two national identifiers. */
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

/** Lists the addresses that at least `SHARED_BY` people have, beginning with the address of the most people. */
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
