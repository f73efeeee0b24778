// Counts how often the two values of a pair fit each other, by file and by window of lines. If a column is shifted in a part of a file, the
// windows of that part show it.

import { printable, shorten } from '#shared/log/printable.ts';
import { HashTable, hashOf } from './hash-table.ts';

/** A window is 32 lines. Its counts may be larger than 32: in the JSON flow of FINESS, a legal entity is one line with many structures. */
export const WINDOW_BITS = 5;

/** One pair of values that belong together. */
export interface PairRow {
  /** The register in doubt, by its name in the snapshot registry. */
  register: string;
  /** What is counted, and what is odd about a part of it, as words of a report. */
  whole: string;
  what: string;
  /** Minimum share (0-1) of cases that fit at a first import. Without it, the pair is judged by runs of lines and by the edition before. */
  usualFit?: number;
  /** Set if the pair is judged by runs of lines only, because another pair counts the same cases as a whole. */
  onlyRuns?: true;
}

function pair(register: string, whole: string, what: string, usualFit?: number): PairRow {
  return { register, whole, what, ...(usualFit !== undefined && { usualFit }) };
}

const FINESS = 'finess structureet';

export const PAIRS = {
  mailboxNames: pair('mailboxes', 'addresses', "do not have the owner's name", 0.35),
  // Addresses without any name are left out of the runs, because a hospital's addresses may be numbers, in many lines one after the other.
  mailboxRuns: { ...pair('mailboxes', 'addresses with a name', "have another's name"), onlyRuns: true },
  communeTowns: pair('activities', 'communes', 'stand beside another town', 0.8),
  townDepartments: pair('activities', 'towns', 'stand beside the postal code of another department', 0.5),
  postcodeCommunes: pair('activities', 'postal codes', 'stand beside a commune of another department', 0.8),
  roleLabels: pair('activities', 'codes of roles', 'stand beside another label', 0.9),
  genreLabels: pair('activities', 'codes of kinds of activity', 'stand beside another label', 0.9),
  sectorLabels: pair('activities', 'codes of sectors', 'stand beside another label', 0.9),
  roleModes: pair('activities', 'modes of exercise', 'stand beside a role of another mode'),
  professionTitles: pair('activities', 'professions', 'stand beside the title of another one'),
  civilityNames: pair('activities', 'given names', 'stand beside another civility', 0.4),
  diplomaProfessions: pair('diplomas', 'professions', 'stand beside the diploma of another one', 0.6),
  phoneZones: pair('activities', 'departments', 'stand beside the telephone zone of another one'),
  structurePhones: pair(FINESS, 'telephone numbers', 'differ from those of the activities', 0.5),
  structureNames: pair(FINESS, 'names of structures', 'share no word with those of the activities', 0.5),
  structureTowns: pair(FINESS, 'towns of structures', 'differ from those of the activities', 0.5),
  ownPhones: pair('activities', 'telephone numbers', 'differ from those of other lines of the structure', 0.3),
  ownStreets: pair('activities', 'streets', 'differ from those of other lines of the structure'),
  ownSirets: pair('activities', 'SIRET numbers', 'differ from those of other lines of the structure'),
  phoneDepartments: pair('activities', 'telephone numbers', 'stand in several departments'),
  structureCategories: pair(FINESS, 'categories of structures', 'stand beside the sector of another one'),
} as const satisfies Record<string, PairRow>;

export type PairKey = keyof typeof PAIRS;

/** The counts of one pair in one file, as plain data for other threads. */
export interface PairTally {
  key: PairKey;
  /** Number of the source. */
  file: number;
  checked: number;
  odd: number;
  /**
   * Control counts: the same check with the second value of another person or structure (a stranger). In a shifted column, the share of odd
   * cases in the pair is as high as in this control.
   */
  mixedChecked: number;
  mixedOdd: number;
  /** Counts by window of lines (`line >> WINDOW_BITS`). Cases without a line are in no window. */
  windows: { checked: Uint16Array<ArrayBuffer>; odd: Uint16Array<ArrayBuffer> };
  /**
   * The first odd case of every 128 lines, so that each run of lines has an example. In the rest of a large file, one case of every 1024
   * lines.
   */
  examples: Map<number, PairExample>;
}

interface PairExample {
  line: number;
  text: string;
}

/** Maximum length of an example. */
const LONGEST = 200;
/** From this line on, fewer examples are kept, because millions of lines would have too many. */
const FEWER_EXAMPLES = 65_536;
/** Number of cases at the beginning that are all compared with a stranger. */
const FIRST_MIXED = 1024;
/** Maximum number of values that are learnt of a column (a power of two). Columns of codes, communes and towns have fewer. */
const MOST_LEARNT = 65_536;
/** Seed that keeps the hashes of first values apart from those of second ones. */
const APART = 1 << 24;
/** Minimum number of cases that are expected of two values together. If fewer are expected, a lack of cases says nothing. */
const LEAST_EXPECTED = 5;
/** Two values do not belong together if they have less than this share of the expected cases. */
const RARE = 0.75;

export type Pairs = ReturnType<typeof createPairs>;

export function createPairs() {
  const counters: Partial<Record<PairKey, PairCounter>> = {};
  const of = (key: PairKey): PairCounter => (counters[key] ??= new PairCounter(key));
  return {
    /** Returns the counter of a pair. Code that counts many lines asks for it once. */
    of,
    all: (): PairTally[] =>
      Object.values(counters).flatMap(({ tallies }) => tallies.filter((one) => one !== undefined)),
    /** Adds the tallies of another thread. */
    add(others: readonly PairTally[]): void {
      for (const other of others) addTally(of(other.key).tallyOf(other.file), other);
    },
  };
}

/** Counts the cases of one pair in one thread. It uses typed arrays and hashes, because it runs for millions of lines. */
class PairCounter {
  readonly #key: PairKey;
  /** Tallies by the number of the file. */
  readonly tallies: (PairTally | undefined)[] = [];
  readonly #strangerAfter = createStrangers<number>();
  #seen = 0;
  /**
   * For `follows`: the commonest second value beside each first one, and how far it is ahead of all others (Boyer and Moore). For
   * `associated`: the number of cases of each value, and of both together.
   */
  readonly #table = new HashTable(MOST_LEARNT);

  constructor(key: PairKey) {
    this.#key = key;
  }

  tallyOf(file: number): PairTally {
    this.tallies[file] ??= emptyTally(this.#key, file);
    return this.tallies[file];
  }

  /** Counts a case that the caller has judged. A case with line 0 belongs to no window. `example` describes an odd case. */
  judged(file: number, line: number, odd: boolean, example?: () => string): void {
    const tally = this.tallyOf(file);
    addCase(tally, line, odd);
    if (odd && example) addExample(tally, line, example);
  }

  /** Counts a control case: a value beside the value of a stranger. */
  mixed(file: number, odd: boolean): void {
    addMixed(this.tallyOf(file), odd);
  }

  /** Counts a case of `a` and `b`. It is odd if `b` is not the commonest value beside `a`. The first case of `a` is not judged. */
  follows(file: number, line: number, a: string, b: string): void {
    const table = this.#table;
    const value = hashOf(b);
    const stranger = this.#strangerAfter(value);
    const slot = table.slot(hashOf(a));
    if (slot < 0) return;
    const { values, counts } = table;
    const commonest = values[slot];
    const ahead = counts[slot] as number;
    if (commonest === 0) {
      values[slot] = value;
      counts[slot] = 1;
      return;
    }
    const tally = this.tallyOf(file);
    const odd = commonest !== value;
    if (stranger !== undefined) addMixed(tally, commonest !== stranger);
    addCase(tally, line, odd);
    if (odd) addExample(tally, line, besideLater(a, b));
    if (!odd) counts[slot] = ahead + 1;
    else if (ahead > 0) counts[slot] = ahead - 1;
    else {
      values[slot] = value;
      counts[slot] = 1;
    }
  }

  /** Counts a case of `a` and `b`. It is odd if `b` is rarer beside `a` than elsewhere. Rare values are not judged. */
  associated(file: number, line: number, a: string, b: string): void {
    const [table, tally] = [this.#table, this.tallyOf(file)];
    const [one, other] = [hashOf(a, APART), hashOf(b)];
    table.reserve(3);
    const [first, second, both] = [table.slot(one), table.slot(other), table.slot(together(one, other))];
    const odd = this.#isRare(table.at(first), table.at(second), table.at(both));
    if (odd !== undefined) addCase(tally, line, odd);
    if (odd) addExample(tally, line, besideLater(a, b));
    const stranger = this.#strangerAfter(other);
    if (stranger !== undefined) {
      const beside = table.count(together(one, stranger));
      addMixed(tally, this.#isRare(table.at(first), table.count(stranger), beside));
    }
    this.#seen++;
    table.add(first);
    table.add(second);
    table.add(both);
  }

  #isRare(ofOne: number, ofOther: number, ofBoth: number): boolean | undefined {
    const expected = (ofOne * ofOther) / Math.max(1, this.#seen);
    return expected < LEAST_EXPECTED ? undefined : ofBoth < RARE * expected;
  }
}

/**
 * Returns a function that is called with the value of each case. It returns the value of a stranger if the two are to be compared: in the
 * first cases, then in one of `every`. The stranger is the value `back` cases before, because one person may have several lines.
 */
export function createStrangers<Value>(back = 8, every = 16) {
  const recent: Value[] = [];
  let cases = 0;
  return (value: Value): Value | undefined => {
    const at = cases++;
    const stranger = recent[at % back];
    recent[at % back] = value;
    return at < FIRST_MIXED || at % every === 0 ? stranger : undefined;
  };
}

function emptyTally(key: PairKey, file: number): PairTally {
  const windows = { checked: new Uint16Array(64), odd: new Uint16Array(64) };
  return { key, file, checked: 0, odd: 0, mixedChecked: 0, mixedOdd: 0, windows, examples: new Map() };
}

function addCase(tally: PairTally, line: number, odd: boolean): void {
  tally.checked++;
  if (odd) tally.odd++;
  if (line === 0) return;
  const window = line >> WINDOW_BITS;
  if (window >= tally.windows.checked.length) holdWindows(tally, window + 1);
  const { checked, odd: ofOdd } = tally.windows;
  checked[window] = (checked[window] as number) + 1;
  if (odd) ofOdd[window] = (ofOdd[window] as number) + 1;
}

function addMixed(tally: PairTally, odd: boolean | undefined): void {
  if (odd === undefined) return;
  tally.mixedChecked++;
  if (odd) tally.mixedOdd++;
}

function addExample({ examples }: PairTally, line: number, example: () => string): void {
  const block = line < FEWER_EXAMPLES ? line >> 7 : -(line >> 10);
  const held = examples.get(block);
  if (held && rank(line) >= rank(held.line)) return;
  examples.set(block, { line, text: detached(printable(shorten(example(), LONGEST))) });
}

/**
 * Ranks odd cases: the case with the lowest rank becomes the example. Up to FEWER_EXAMPLES, this is the first case. Beyond, it is a random
 * case of 1024 lines, which mostly falls where odd cases are dense. The rank depends on the line only, so that all threads agree.
 */
function rank(line: number): number {
  return line < FEWER_EXAMPLES ? line : Math.imul(line, 0x9e3779b1) >>> 0;
}

function addTally(tally: PairTally, other: PairTally): void {
  for (const key of ['checked', 'odd', 'mixedChecked', 'mixedOdd'] as const) tally[key] += other[key];
  holdWindows(tally, other.windows.checked.length);
  for (const key of ['checked', 'odd'] as const) {
    const counts = tally.windows[key];
    other.windows[key].forEach((count, window) => {
      counts[window] = (counts[window] as number) + count;
    });
  }
  for (const { line, text } of other.examples.values()) addExample(tally, line, () => text);
}

/** Makes room for `count` windows. */
function holdWindows({ windows }: PairTally, count: number): void {
  const { length } = windows.checked;
  if (count <= length) return;
  for (const key of ['checked', 'odd'] as const) {
    const larger = new Uint16Array(Math.max(count, 2 * length));
    larger.set(windows[key]);
    windows[key] = larger;
  }
}

/** Returns the hash of two values that stand together. */
function together(one: number, other: number): number {
  return Math.imul(one, 0x85ebca6b) ^ (other & ~1);
}

/** Returns a function that makes the text of an example, so that it is only made if it is kept. */
export function besideLater(a: string, b: string): () => string {
  return () => `"${b}" beside "${a}"`;
}

/** Copies the text, because a part of a line would keep the whole line in memory. */
function detached(text: string): string {
  return Buffer.from(text).toString();
}
