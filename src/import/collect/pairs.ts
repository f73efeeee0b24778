// Counts how often the two values of a pair fit each other, by file and by window of lines. A shifted column shows as a run of windows.

/** A window is 32 lines, so that its counts fit a byte. */
export const WINDOW_BITS = 5;

/** One pair of values that belong together. */
export interface PairRow {
  /** Name in the snapshot registry of the register in doubt. */
  register: string;
  /** Name of the cases that are counted, and of their oddity. */
  whole: string;
  what: string;
  /** Least fit (0-1) at a first load. Without it, the pair is judged by runs of lines and by the edition before. */
  usualFit?: number;
  /** Least difference (0-1) between the odd shares of strangers and of the pair; 0.2 if absent. */
  leastGap?: number;
}

function pair(register: string, whole: string, what: string, usualFit?: number): PairRow {
  return { register, whole, what, ...(usualFit !== undefined && { usualFit }) };
}

const FINESS = 'finess structureet';

export const PAIRS = {
  mailboxNames: pair('mailboxes', 'addresses', "do not have the owner's name", 0.35),
  mailboxRuns: pair('mailboxes', 'addresses with a name', "have another's name"),
  communeTowns: pair('activities', 'communes', 'stand beside another town', 0.8),
  townDepartments: pair('activities', 'towns', 'stand beside the postal code of another department', 0.5),
  postcodeCommunes: pair('activities', 'postal codes', 'stand beside a commune of another department', 0.8),
  roleLabels: pair('activities', 'codes of roles', 'stand beside another label', 0.9),
  genreLabels: pair('activities', 'codes of kinds of activity', 'stand beside another label', 0.9),
  sectorLabels: pair('activities', 'codes of sectors', 'stand beside another label', 0.9),
  roleModes: pair('activities', 'modes of exercise', 'stand beside a role of another mode'),
  professionTitles: pair('activities', 'professions', 'stand beside the title of another one'),
  civilityNames: pair('activities', 'given names', 'stand beside another civility', 0.4),
  diplomaProfessions: pair('diplomas', 'professions', 'stand beside the diploma of another one', 0.4),
  phoneZones: pair('activities', 'departments', 'stand beside the telephone zone of another one'),
  structurePhones: pair(FINESS, 'telephone numbers', 'differ from those of the activities', 0.5),
  structureNames: pair(FINESS, 'names of structures', 'share no word with those of the activities', 0.5),
  structureTowns: pair(FINESS, 'towns of structures', 'differ from those of the activities', 0.5),
  ownPhones: pair('activities', 'telephone numbers', 'differ from those of other lines of the structure', 0.3),
} as const satisfies Record<string, PairRow>;

export type PairKey = keyof typeof PAIRS;

/** The counts of one pair in one file, as plain data for other threads. */
export interface PairTally {
  key: PairKey;
  /** Number of the source. */
  file: number;
  checked: number;
  odd: number;
  /** The same for the value of one line beside that of a stranger's line. */
  mixedChecked: number;
  mixedOdd: number;
  /** Counts of lines by `line >> WINDOW_BITS`. Cases without a line are in none. */
  windows: { checked: Uint8Array; odd: Uint8Array };
  /** The odd cases of the lowest lines. */
  examples: { line: number; text: string }[];
}

export interface Pairs {
  /** Counts a case. Line 0 stands in no window. `example` describes an odd case. */
  judged(key: PairKey, file: number, line: number, odd: boolean, example?: () => string): void;
  /** Counts a value beside that of a stranger. */
  mixed(key: PairKey, file: number, odd: boolean): void;
  /** Counts a case of `b` that should be the commonest beside `a`, also beside the stranger before. */
  follows(key: PairKey, file: number, line: number, a: string, b: string): void;
  /** Counts a case of `b` that should not be rare beside `a`, also beside the stranger before. */
  associated(key: PairKey, file: number, line: number, a: string, b: string): void;
  all(): PairTally[];
  /** Adds the tallies of another thread. */
  add(tallies: readonly PairTally[]): void;
}

export function createPairs(): Pairs {
  return {
    judged: () => undefined,
    mixed: () => undefined,
    follows: () => undefined,
    associated: () => undefined,
    all: () => [],
    add: () => undefined,
  };
}
