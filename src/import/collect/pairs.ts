// Counts how often the two values of a pair fit together, for each file and for each window of 32 lines. If a column is shifted in a part
// of a file, that is, if its values stand some lines too high or too low, the counts of the windows in that part show it.

import { printable, shorten } from '#shared/log/printable.ts';
import { HashTable, hashOf } from './hash-table.ts';

/**
 * A window has 2 ** 5 lines. It may have more cases than lines: in the JSON feed of FINESS, one line has a legal entity and its structures.
 */
export const WINDOW_BITS = 5;

/** One pair of values that belong together. */
export interface PairRow {
  /** The register to which a fault is attributed, by its name in the snapshot registry. */
  register: string;
  /** Words for a report: `whole` names the cases that are counted, and `what` tells what is odd about some of them. */
  whole: string;
  what: string;
  /** Minimum `fit` (see `PairFigures`) at a first import. If absent, a first import is judged only by its runs of odd lines. */
  usualFit?: number;
  /** Set if only the runs of odd lines are judged, because another pair judges the same cases as a whole. */
  onlyRuns?: true;
}

function pair(register: string, whole: string, what: string, usualFit?: number): PairRow {
  return { register, whole, what, ...(usualFit !== undefined && { usualFit }) };
}

const FINESS = 'finess structureet';

export const PAIRS = {
  mailboxNames: pair('mailboxes', 'addresses', "do not have the owner's name", 0.35),
  // Addresses without a name are not counted here. A hospital may have addresses made of numbers in many consecutive lines, and these would
  // look like a shifted column.
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
  /** Number of the file in this import. */
  file: number;
  checked: number;
  odd: number;
  /**
   * Counts of a control: the first value of a pair is checked with the second value of another person or structure (a stranger). In a
   * shifted column, the share of odd cases is as high as in this control.
   */
  mixedChecked: number;
  mixedOdd: number;
  /** Counts by window of lines (`line >> WINDOW_BITS`). A case without a line number belongs to no window. */
  windows: { checked: Uint16Array<ArrayBuffer>; odd: Uint16Array<ArrayBuffer> };
  /**
   * The first odd case of every 128 lines, so that each run of odd lines has an example. From line `FEWER_EXAMPLES` on, there is one
   * example for every 1024 lines.
   */
  examples: Map<number, PairExample>;
}

interface PairExample {
  line: number;
  text: string;
}

/** Maximum length of an example, in characters. */
const LONGEST = 200;
/** From this line on, there are fewer examples, because a file of millions of lines would have too many. */
const FEWER_EXAMPLES = 65_536;
/** The first cases, up to this number, are all compared with a stranger. After them, only some cases are. */
const FIRST_MIXED = 1024;
/** Maximum number of values that a `PairCounter` remembers (a power of two). Columns of codes, communes and towns have fewer. */
const MOST_LEARNT = 65_536;
/** Seed for the hashes of first values, so that they differ from the hashes of equal second values. */
const APART = 1 << 24;
/** Two values are judged only if at least this number of cases with both is expected. With fewer, a lack of cases may be chance. */
const LEAST_EXPECTED = 5;
/** A case is odd if its two values stand together in less than this share of the expected cases. */
const RARE = 0.75;

export type Pairs = ReturnType<typeof createPairs>;

export function createPairs() {
  const counters: Partial<Record<PairKey, PairCounter>> = {};
  const of = (key: PairKey): PairCounter => (counters[key] ??= new PairCounter(key));
  return {
    /** Returns the counter of a pair. Code that counts many lines should ask for the counter only once. */
    of,
    all: (): PairTally[] =>
      Object.values(counters).flatMap(({ tallies }) => tallies.filter((one) => one !== undefined)),
    /** Adds the tallies of another thread. */
    add(others: readonly PairTally[]): void {
      for (const other of others) addTally(of(other.key).tallyOf(other.file), other);
    },
  };
}

/** Counts the cases of one pair in one thread. It uses typed arrays and hashes, because it counts millions of lines. */
class PairCounter {
  readonly #key: PairKey;
  /** The tallies, by the number of their file. */
  readonly tallies: (PairTally | undefined)[] = [];
  readonly #strangerAfter = createStrangers<number>();
  #seen = 0;
  /**
   * The values that are remembered. For `follows`: the commonest second value beside each first value, and how far this second value is
   * ahead of all others (algorithm of Boyer and Moore). For `associated`: the number of cases of each value, and of each two values
   * together.
   */
  readonly #table = new HashTable(MOST_LEARNT);

  constructor(key: PairKey) {
    this.#key = key;
  }

  tallyOf(file: number): PairTally {
    this.tallies[file] ??= emptyTally(this.#key, file);
    return this.tallies[file];
  }

  /** Counts a case that the caller has judged. A case with line 0 belongs to no window. `example` makes the description of an odd case. */
  judged(file: number, line: number, odd: boolean, example?: () => string): void {
    const tally = this.tallyOf(file);
    addCase(tally, line, odd);
    if (odd && example) addExample(tally, line, example);
  }

  /** Counts a case of the control, in which a value was checked with the value of a stranger. */
  mixed(file: number, odd: boolean): void {
    addMixed(this.tallyOf(file), odd);
  }

  /**
   * Counts a case of `b` beside `a`. It is odd if another value is the commonest beside `a` so far. The first case of `a` is not judged.
   */
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

  /** Counts a case of `b` beside `a`. It is odd if `b` is rarer beside `a` than in all cases. Rare values are not judged. */
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
 * Returns a function that is called with the value of each case. It returns the value of a stranger, with which the caller compares the
 * case. This is the value of `back` cases earlier, because nearer cases may be other lines of the same person. After the first
 * `FIRST_MIXED` cases, only one case in `every` is compared. For the others, the function returns undefined.
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
 * Ranks odd cases: the case with the lowest rank becomes the example of its block of lines. Before line `FEWER_EXAMPLES`, this is the first
 * odd case of the block. From there on, it is a random one, so it mostly comes from lines in which odd cases are dense. The rank depends on
 * the line number alone, so that all threads choose the same case.
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

/** Enlarges the arrays, so that there are at least `count` windows. */
function holdWindows({ windows }: PairTally, count: number): void {
  const { length } = windows.checked;
  if (count <= length) return;
  for (const key of ['checked', 'odd'] as const) {
    const larger = new Uint16Array(Math.max(count, 2 * length));
    larger.set(windows[key]);
    windows[key] = larger;
  }
}

/** Returns the hash of two values that stand beside each other, from their two hashes. */
function together(one: number, other: number): number {
  return Math.imul(one, 0x85ebca6b) ^ (other & ~1);
}

/** Returns a function that makes the text of an example. So the text is made only if the example is kept. */
export function besideLater(a: string, b: string): () => string {
  return () => `"${b}" beside "${a}"`;
}

/** Copies a text that may be a part of a line. Without the copy, it would keep the whole line in memory. */
function detached(text: string): string {
  return Buffer.from(text).toString();
}
