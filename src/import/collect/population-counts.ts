// Counts the people of an edition in one thread: their professions and elements, duplicates, people with names of tests, and the values
// that many people share.

import { byType, type IndexedResource } from '#search-index/index.ts';
import { cell, type Row } from './columns.ts';
import { createCommonest, createNumberSet, createNumbers, printOf } from './frequent-values.ts';
import { HashTable, hashOf } from './hash-table.ts';
import { isTestName, mayBeTest } from './test-names.ts';

/** For each column that is read here, its index in a row. */
type PersonColumns = Readonly<
  Record<'family' | 'given' | 'profession' | 'professionLabel' | 'skill' | 'postalCode' | 'city', number>
>;

interface ProfessionCounts {
  code: string;
  label: string;
  people: number;
  withoutPlace: number;
  /**
   * Number of people in each area. The index is the number that the first three digits of the postal code form, or `FOREIGN` or `NO_CODE`.
   */
  places: Uint32Array;
}

/**
 * The elements that are counted. The count of an element is the number of resources that have it. The first `FIRST_LOOKED` resources of a
 * type are all examined. After them, one in `LOOKED` is examined, because there are millions.
 */
export const ELEMENTS = {
  Practitioner: ['identifier', 'active', 'name', 'telecom', 'address', 'qualification'],
  Organization: ['identifier', 'active', 'type', 'name', 'alias', 'telecom', 'address', 'partOf'],
  PractitionerRole: ['active', 'practitioner', 'organization', 'code', 'specialty'],
} as const;
const [FIRST_LOOKED, LOOKED] = [16_384, 16];
/** Shape of a code of a nomenclature. Other values are not counted, because a damaged column may have a different value in every line. */
const CODE = /^[A-Z]{1,5}\d{1,4}$/;
/** Maximum number of codes that are counted in all professions together (a power of two). */
const MOST_CODES = 32_768;
const KINDS = { speciality: 1, diploma: 2 } as const;
/** Maximum number of people without a place of work that are listed. */
export const WITHOUT_PLACE_LISTED = 200;
/** A thread holds at most this number of addresses as texts, and at most this number of identifiers that cannot be read as a number. */
const MOST_TEXTS = 50_000;

/** The counts of one thread, as plain data that can be sent to another thread. */
export type PopulationNotes = ReturnType<ReturnType<typeof createCounts>['notes']>;

export function createCounts() {
  let [people, lines] = [0, 0];
  /** Counts of each profession. The index is the number that `numberOfProfession` returns. */
  const professions: (ProfessionCounts | undefined)[] = [];
  /**
   * Counts of specialities and diplomas within professions. The keys are hashes, because maps of texts take four times as long. `groups`
   * has the text for each hash.
   */
  const codes = new HashTable(MOST_CODES);
  const groups = new Map<number, string>();
  const structures = createCommonest();
  /**
   * `prints` has a hash of the name, profession and structure of each person with a structure, and `numbers` the identifier of that person.
   * `mailboxes` has a hash of each personal mail address.
   */
  const [prints, numbers, mailboxes] = [createNumbers(), createNumbers(), createNumbers()];
  /** Hashes of the name and profession of people without a structure. */
  const unplaced = createNumbers();
  const isNewAddress = createNumberSet();
  /** Identifiers that cannot be read as a number, such as `3012345678/RPPS`. */
  const texts: string[] = [];
  /** Texts of addresses that occurred more than once. The keys are their hashes. */
  const addresses = new Map<number, string>();
  /**
   * Hash of the last mail address that was counted for this person. If a person has the same address in several consecutive lines, it is
   * counted once.
   */
  let addressBefore: number | undefined;
  const elements = byType((type) => ({ cases: 0, looked: 0, counts: ELEMENTS[type].map(() => 0) }));
  const tests: { id: string; name: string }[] = [];
  const withoutPlace: string[] = [];

  function countCode(kind: keyof typeof KINDS, profession: number, code: string): void {
    const hash = hashOf(code, (KINDS[kind] * 4096 + profession) << 16);
    if (codes.count(hash) === 0) {
      if (!CODE.test(code)) return;
      groups.set(hash, `${kind} ${String(profession).slice(1)}/${code}`);
    }
    codes.add(codes.slot(hash));
  }

  function countProfession(code: string, own: readonly Row[], isPlaced: boolean, at: PersonColumns): void {
    const profession = numberOfProfession(code);
    if (profession === 0) return;
    const [first = []] = own;
    professions[profession] ??= {
      code,
      label: cell(first, at.professionLabel),
      people: 0,
      withoutPlace: 0,
      places: new Uint32Array(NO_CODE + 1),
    };
    const counts = professions[profession];
    const { places } = counts;
    counts.people++;
    if (!isPlaced) counts.withoutPlace++;
    if (own.length === 1) {
      const place = placeOf(cell(first, at.postalCode));
      places[place] = (places[place] as number) + 1;
      const skill = cell(first, at.skill);
      if (skill !== '') countCode('speciality', profession, skill);
      return;
    }
    for (const skill of new Set(own.map((row) => cell(row, at.skill)))) countCode('speciality', profession, skill);
    for (const place of new Set(own.map((row) => placeOf(cell(row, at.postalCode)))))
      places[place] = (places[place] as number) + 1;
  }

  // The following functions, except `notes`, run for millions of people, so they split no text and make no object without need.

  /** Counts a person in each of their professions. `profession` is that of the first row. */
  function countProfessions(
    profession: string,
    activities: readonly Row[],
    isPlaced: boolean,
    at: PersonColumns,
  ): void {
    if (activities.length === 1 || activities.every((row) => cell(row, at.profession) === profession)) {
      countProfession(profession, activities, isPlaced, at);
      return;
    }
    for (const [code, own] of Map.groupBy(activities, (row) => cell(row, at.profession)))
      countProfession(code, own, isPlaced, at);
  }

  /** Adds the national identifier of a person to `numbers`, or to `texts` if it cannot be read as a number. */
  function noteNumber(nationalId: string): void {
    // Identifiers consist of digits and of the letters A and B (for Corsica), so they can be read as numbers of base 12. An identifier of
    // more than 13 characters would be too large for a number.
    const number = nationalId.length > 13 ? 0 : numberIn(nationalId, 12);
    // A negative number stands for an identifier in `texts`: -1 for the first one, -2 for the second.
    numbers.push(number !== 0 || texts.length === MOST_TEXTS ? number : -texts.push(nationalId));
  }

  return {
    /**
     * Counts a person. `activities` are the person's rows in the register of activities. `structure` is the first structure in these rows;
     * undefined if there is none.
     */
    person(nationalId: string, activities: readonly Row[], structure: string | undefined, at: PersonColumns): void {
      const first = activities[0] ?? [];
      people++;
      lines += activities.length;
      addressBefore = undefined;
      const profession = cell(first, at.profession);
      countProfessions(profession, activities, structure !== undefined, at);
      const family = cell(first, at.family);
      const given = cell(first, at.given);
      const isNamed = family !== '' || given !== '';
      if (
        mayBeTest(family, given) &&
        isTestName({ family, given, postalCode: cell(first, at.postalCode), city: cell(first, at.city) })
      )
        tests.push({ id: nationalId, name: `${family} ${given}`.trim() });
      if (structure === undefined) {
        if (withoutPlace.length < WITHOUT_PLACE_LISTED) withoutPlace.push(nationalId);
        if (isNamed) unplaced.push(printOf([family, given, profession]));
        return;
      }
      structures.count(structure);
      if (!isNamed) return;
      prints.push(printOf([family, given, profession, structure]));
      noteNumber(nationalId);
    },
    /** Counts a diploma of a person of this profession. */
    diploma(profession: string, code: string): void {
      const number = numberOfProfession(profession);
      if (number !== 0) countCode('diploma', number, code);
    },
    /** Counts a mail address. Call it before `person` counts the owner of the address. */
    mailbox(address: string): void {
      const print = printOf([address.toLowerCase()]);
      if (print === addressBefore) return;
      addressBefore = print;
      mailboxes.push(print);
      if (!isNewAddress(print) && addresses.size < MOST_TEXTS) addresses.set(print, address);
    },
    element({ type, resource }: IndexedResource): void {
      const sample = elements[type];
      if (++sample.cases > FIRST_LOOKED && sample.cases % LOOKED !== 0) return;
      sample.looked++;
      const { counts } = sample;
      for (let at = 0; at < counts.length; at++) {
        if (resource[ELEMENTS[type][at] as string] !== undefined) counts[at] = (counts[at] as number) + 1;
      }
    },
    notes: () => ({
      people,
      lines,
      professions: professions.filter((one) => one !== undefined),
      groups: [...groups].map(([hash, name]) => [name, codes.count(hash)] as const),
      structures: structures.all(),
      elements: byType((type) => {
        const { cases, looked, counts } = elements[type];
        return counts.map((count) => Math.round((count * cases) / Math.max(1, looked)));
      }),
      tests,
      addresses,
      withoutPlace,
      prints: prints.all(),
      numbers: numbers.all(),
      texts,
      mailboxes: mailboxes.all(),
      unplaced: unplaced.all(),
    }),
  };
}

/** Returns the code of a profession, which has two or three digits, as a number. Returns 0 if the text is no such code. */
function numberOfProfession(code: string): number {
  return code.length === 2 || code.length === 3 ? numberIn(code, 10) : 0;
}

export const FOREIGN = 1000;
export const NO_CODE = 1001;

/**
 * Returns the first three digits of a postal code as a number. They tell the department. Returns `NO_CODE` for an empty text, and `FOREIGN`
 * if the text does not consist of five characters of which the first three are digits.
 */
function placeOf(code: string): number {
  if (code === '') return NO_CODE;
  const digits = code.length === 5 ? numberIn(code, 10, 3) : 0;
  return digits === 0 ? FOREIGN : digits - 1000;
}

/**
 * Reads the digits of a text as a number in this base. A digit 1 is put before them, so that texts with different leading zeros give
 * different numbers. Returns 0 if a character is no digit of this base.
 */
function numberIn(text: string, base: 10 | 12, end = text.length): number {
  let number = 1;
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    const digit = code >= 65 ? code - 55 : code - 48;
    if (!(digit >= 0 && digit < base)) return 0;
    number = number * base + digit;
  }
  return number;
}
