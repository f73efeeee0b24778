// The table of guards, which judge an edition of the directory before it is served. The limits of `directory.guards` in `service.yaml`, the
// reasons of `directory import --accept`, the reports and `docs/directory-guards.md` are made from it. Only the numbers of `minimum` are
// declared in `directory-schema.ts`, because there is one for each type of resource.

export interface GuardRow {
  /** The quantity that the guard measures. */
  measures: string;
  /** The reason for the guard and for its limit. */
  why: string;
  /**
   * The limit beyond which the guard refuses an edition. An operator may set it under the guard's key in `directory.guards`, except if it
   * is `fixed`. A limit is fixed if one value suits every directory. Guards with such a limit measure signs of a damaged file, or changes
   * since the previous edition.
   */
  limit?: { kind: 'share' | 'count' | 'days'; byDefault: number; fixed?: true };
  /** True if an operator cannot accept an edition that this guard refuses. */
  absolute?: true;
}

export const GUARDS = {
  unusableLines: {
    measures: 'share of the lines of a file that cannot be used',
    why: 'a register has hardly any; more mean another layout, another encoding or a damaged file',
    limit: { kind: 'share', byDefault: 0.01 },
  },
  unusableLinesInAll: {
    measures: 'number of lines that cannot be used, in all files together',
    why: 'one line in a hundred would be 23,000 people of a country; the registers have a handful',
    limit: { kind: 'count', byDefault: 1000, fixed: true },
  },
  columns: {
    measures: 'share of the values of a column that look like those of another column, beyond the share before',
    why: 'a file with swapped columns has the right header and number of cells; at a first import half of the values may look odd, but only few postal codes and numbers that a spreadsheet shortens',
    limit: { kind: 'share', byDefault: 0.02, fixed: true },
  },
  characters: {
    measures:
      'share of the values of a column with characters that stand for others (`Ã©`, `?`), beyond the share before; and whether labels have accents',
    why: 'a wrong conversion to another encoding leaves them, or takes the accents away',
    limit: { kind: 'share', byDefault: 0.01, fixed: true },
  },
  commonValues: {
    measures:
      'share by which the commonest values of a column (names, codes, labels) have become rarer; and whether one name or coordinate stands in most lines',
    why: 'the commonest names and codes of a country stay the same; a swapped column has others',
    limit: { kind: 'share', byDefault: 0.5, fixed: true },
  },
  fillRates: {
    measures: 'share by which a column has lost filled cells per line',
    why: 'an emptied column does not change the number of lines; a year of graduates without a structure changes the share by a few in a hundred',
    limit: { kind: 'share', byDefault: 0.1, fixed: true },
  },
  fillFloors: {
    measures: 'whether each column is filled as much as in every edition (`src/import/collect/column-expectations.ts`)',
    why: 'a first import has no edition before it, and names, professions or towns are never empty',
  },
  departments: {
    measures: 'share by which one department has lost people or structures, beyond the loss of the whole country',
    why: 'a part of the country can be missing without the whole becoming much smaller',
    limit: { kind: 'share', byDefault: 0.2 },
  },
  neededKeys: {
    measures: 'whether FINESS as JSON has the names of all fields that a structure needs',
    why: 'a renamed field would empty the names, addresses or categories of all structures',
  },
  unknownState: {
    measures: 'whether every structure of FINESS as JSON is open (`A`) or closed (`I`)',
    why: 'a wrong guess would bring closed structures back, or remove open ones',
  },
  fused: {
    measures:
      'share of the FINESS numbers that several structures have, and of the national identifiers that two people have',
    why: 'such a resource stays as it was; many of them mean a damaged file or shifted identifiers',
    limit: { kind: 'share', byDefault: 0.001, fixed: true },
  },
  professions: {
    measures:
      'share by which a profession, a speciality, or a diploma of a profession has become smaller, beyond the loss of all',
    why: 'a profession can be missing, or have the diplomas of another, without the whole becoming much smaller',
    limit: { kind: 'share', byDefault: 0.2 },
  },
  partial: {
    measures: 'whether a first import holds every expected register (`directory.guards.expected`)',
    why: 'nobody would miss a forgotten file later: later editions are compared with the first one',
  },
  registers: {
    measures: 'share by which one register has become smaller, from 5 lines on',
    why: 'a missing or truncated file makes one register smaller, but hardly changes the counts of resources',
    limit: { kind: 'share', byDefault: 0.1 },
  },
  shrinkage: {
    measures: 'share by which a type of resource has become smaller, from 5 on',
    why: 'a country gains and loses a few people in a hundred in a year',
    limit: { kind: 'share', byDefault: 0.1 },
  },
  growth: {
    measures:
      'share by which a type of resource or a register has become larger, from 200 on; also for departments and lines per person',
    why: 'people who are in the files twice are served twice, and no other guard looks at additions',
    limit: { kind: 'share', byDefault: 0.1 },
  },
  removed: {
    measures:
      'share of the resources of a type that are gone, from 5 on, even if others came instead; and whether none is gone',
    why: 'if others came instead, the files are of another population; if nobody is gone, the files of two days were joined',
    limit: { kind: 'share', byDefault: 0.1 },
  },
  changed: {
    measures: 'share of the resources of a type that have changed, from 200 on; four times that in 30 days',
    why: 'one in a hundred changes from day to day, and one in twenty-five when a department is numbered anew',
    limit: { kind: 'share', byDefault: 0.2 },
  },
  namesChanged: {
    measures:
      'share of the practitioners, and of the organizations, whose name has changed, from 50 on; twice that in 30 days',
    why: 'one in a hundred changes their name in a year',
    limit: { kind: 'share', byDefault: 0.02 },
  },
  elements: {
    measures:
      'share of the resources with an element (telecom, address, qualification) in which it has changed, from 200 on; for kinds of structures, a twentieth of that',
    why: 'if few people have a mailbox, all mailboxes may change while `changed` stays small',
    limit: { kind: 'share', byDefault: 0.2, fixed: true },
  },
  drift: {
    measures:
      'share by which a type of resource, a register, a column, a department or a profession holds less than at any time in the last 30 days',
    why: 'a daily loss below the other limits would halve a directory within a week',
    limit: { kind: 'share', byDefault: 0.15 },
  },
  turnover: {
    measures: 'share of the resources of a type that went in the last 30 days, from 5 on, in all editions together',
    why: 'like `drift`, for losses that as many others replace',
    limit: { kind: 'share', byDefault: 0.3 },
  },
  // `minimum` has no `limit` here, because `directory-schema.ts` declares one for each type of resource.
  minimum: {
    measures: 'number of practitioners and of organizations (`directory.guards.minimum`)',
    why: 'the operator knows how many there must be',
  },
  olderEdition: {
    measures: 'whether a register is older than the one in the directory',
    why: 'the directory goes back only if somebody means it to, not because of a forgotten file',
  },
  registersApart: {
    measures: 'days by which a register of people is older than the newest of all (FINESS text: than its other files)',
    why: 'all registers are published every day, with ten days as the longest pause; an older one was not downloaded',
    limit: { kind: 'days', byDefault: 14 },
  },
  leftEdition: {
    measures: 'whether the edition of a watched folder is in an earlier snapshot',
    why: 'somebody rolled back from it, so it must not come back by itself',
  },
  misnamed: {
    measures: 'whether a file holds the register that its published name promises',
    why: 'if a register was saved under the name of another one, that other one is missing unnoticed',
  },
  unknownPeople: {
    measures: 'share of the people of another register that the register of activities lacks, beyond what was before',
    why: 'all registers are extracted from one database within hours; half a register of activities shows here',
    limit: { kind: 'share', byDefault: 0.05, fixed: true },
  },
  namesDiffer: {
    measures:
      'share of the people to whom another register gives another name, beyond what was before; and whether family names vary more than given names',
    why: 'few people change their name in a day; swapped columns and shifted lines change most names',
    limit: { kind: 'share', byDefault: 0.05, fixed: true },
  },
  labelsDiffer: {
    measures: 'share of the codes of a register that have another label than before',
    why: 'a code has one label; if codes are shuffled among the lines, each is still a known code',
    limit: { kind: 'share', byDefault: 0.02, fixed: true },
  },
  professionsDiffer: {
    measures: 'share of the people to whom another register gives another profession or skill, beyond what was before',
    why: 'hardly anybody changes it; a shifted or foreign column changes most of them',
    limit: { kind: 'share', byDefault: 0.05, fixed: true },
  },
  danglingStructures: {
    measures:
      'share of the structures of one register that are missing or different in the register that should hold them, beyond what was before',
    why: 'closed establishments stay in other registers for a while; half a FINESS file shows here',
    limit: { kind: 'share', byDefault: 0.2, fixed: true },
  },
  coverage: {
    measures:
      'share of the people without a structure, diploma, skill (physicians) or mailbox, and of the structures without the address that FINESS has, beyond what was before',
    why: 'half a register leaves half of the people without them',
    limit: { kind: 'share', byDefault: 0.15 },
  },
  pairs: {
    measures:
      'share of the values that do not fit the value beside them (address and name, commune and town), beyond what was before, in the whole file and in runs of lines',
    why: 'a column that is shifted against another one gives the facts of one person to the next',
    limit: { kind: 'share', byDefault: 0.05, fixed: true },
  },
  duplicates: {
    measures: 'share of the people with the name, profession and structure of another one, from 20 on',
    why: 'three in 100,000 are usual; more are one person under several numbers',
    limit: { kind: 'share', byDefault: 0.002, fixed: true },
  },
  testNames: {
    measures: 'share of the people with the name of a test record, from 20 on, beyond what was before',
    why: 'nobody has such a name, and patients would find the record',
    limit: { kind: 'share', byDefault: 0.001, fixed: true },
  },
  oneForMany: {
    measures: 'share of the personal mail addresses that are the same, from 21 on; and of the people in one structure',
    why: 'a column that holds the same value everywhere is a fault of the file',
    limit: { kind: 'share', byDefault: 0.002, fixed: true },
  },
  lengths: {
    measures: 'whether the values of a column pile up at their greatest length',
    why: 'a name that was cut is the name of somebody else',
  },
  national: {
    measures: 'number of people by profession, at the first import of a whole country (`directory.guards.country`)',
    why: 'published figures say how many there are, and half of a profession can be missing at a first import',
  },
  canaries: {
    measures: 'whether some resources of the edition are found again in the finished snapshot',
    why: 'an index in which searches do not find what is there must not be served',
    absolute: true,
  },
  people: {
    measures: 'whether the people are those of the demonstration',
    why: 'production serves no fictional people',
    absolute: true,
  },
} as const satisfies Record<string, GuardRow>;

/** Registers that a first import must hold. France publishes all of them, so a missing one means that a file was forgotten. */
export const EXPECTED_REGISTERS = ['activities', 'diplomas', 'skills', 'mailboxes', 'finess'] as const;

export type GuardKey = keyof typeof GUARDS;

/** Guards with one number as their limit. */
export type LimitedGuard = {
  [Key in GuardKey]: (typeof GUARDS)[Key] extends { limit: object } ? Key : never;
}[GuardKey];

type FixedGuard = {
  [Key in GuardKey]: (typeof GUARDS)[Key] extends { limit: { fixed: true } } ? Key : never;
}[GuardKey];

/** The limits that no operator can set, by the key of their guard. */
export const FIXED_LIMITS = Object.fromEntries(
  (Object.entries(GUARDS) as [GuardKey, GuardRow][]).flatMap(([key, { limit }]) =>
    limit?.fixed ? [[key, limit.byDefault]] : [],
  ),
) as Record<FixedGuard, number>;

/**
 * A reason for `--accept` that is not the name of a guard. With it, the edition is judged like a first import, and not compared with the
 * previous edition.
 */
export const OTHER_PEOPLE = 'other-people';

/** Returns the name of a guard in reports and in `--accept`, such as `unusable-lines`. */
export function guardName(key: GuardKey): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Finds the row of the guard with this name. Returns undefined if there is no such guard. */
export function guardNamed(name: string): GuardRow | undefined {
  return (Object.entries(GUARDS) as [GuardKey, GuardRow][]).find(([key]) => guardName(key) === name)?.[1];
}
