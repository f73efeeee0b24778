// Makes fictional people. Each of them is a copy of a person in the shipped edition, with a new number and name. From one edition to the
// next, some people leave, move or get a further mailbox.

import { DEMO_ACCOUNTS } from '#seeds/demo-accounts.ts';
import { createDraw } from './draw.ts';
import { finessOf, formerIdOf, sirenOf, siretOf, technicalIdOf, withCheckDigit } from './numbers.ts';
import {
  headOf,
  nameOf,
  PERSON_COLUMNS,
  type Person,
  PIPE_REGISTERS,
  type PipeRegister,
  SHIPPED_EDITION,
} from './shipped-edition.ts';

/** Columns of the register of activities that contain ids of a structure. */
const STRUCTURE = { siret: 19, siren: 20, finess: 21, legalEntity: 22, technical: 23, former: 46 } as const;
const MAILBOX_OF = { kind: 5, number: 6 } as const;
/**
 * Columns with the names and the house number of a structure, by register. If the structure is a person's own practice, these columns
 * contain that person's name, so a copy of the person gets a new name and house number in them.
 */
const OWN_PRACTICE = {
  activities: { names: [24, 25, 26], house: 28 },
  mailboxes: { names: [18, 19], house: 22 },
} as const;
/** Beginning of the technical id of a structure that is one person's own practice. The number of the person follows in the id. */
const OF_ONE_PERSON = 'R2';
const STREET = 32;
const HOUSES = 150;
/**
 * RPPS numbers without their check digit. They begin at 1,900,000,000, and each seed has a range of RANGE numbers; after SEEDS seeds, the
 * ranges repeat. A number that a demo person already has is replaced by a number from EXCEPTIONS on.
 */
const [RANGE, SEEDS, EXCEPTIONS] = [1_000_000, 90, 1_999_000_000];

const DEMO_IDS = new Set(DEMO_ACCOUNTS.flatMap(({ practitioners }) => practitioners ?? []));
/** The people of the demo accounts, unchanged from the shipped edition. */
const DEMO_PEOPLE: readonly Person[] = SHIPPED_EDITION.people.filter(({ rpps }) => DEMO_IDS.has(`8${rpps}`));

/** Given names of the people in the shipped edition, by title. */
const GIVEN_NAMES = Map.groupBy(SHIPPED_EDITION.people.map(nameOf), ({ title }) => title);

/**
 * Makes the person with this serial number among the people of the seed. The same arguments always give the same person.
 * @param models people of whom the new person may be a copy; by default, all people of the shipped edition
 * @param copy the copy of the structures in which the person works; 0 means the structures of the shipped edition
 */
export function personOf(seed: number, number: number, models = SHIPPED_EDITION.people, copy = 0): Person {
  const draw = createDraw(seed * 1_000_003 + number);
  const model = models[(number * 7919 + seed) % models.length] as Person;
  const old = nameOf(model);
  const family = nameOf(draw.one(SHIPPED_EDITION.people)).family;
  const names = { family, given: draw.one(GIVEN_NAMES.get(old.title) ?? []).given };
  const rpps = rppsOf(seed, number);
  const house = String(draw.between(1, HOUSES));
  const lineOf = (register: PipeRegister, line: string, at: number): string => {
    const cells = line.replaceAll(model.rpps, rpps).split('|');
    // All registers spell the name in the same way, so that they agree on each person.
    cells[PERSON_COLUMNS[register].family] = names.family;
    cells[PERSON_COLUMNS[register].given] = names.given;
    if (register === 'activities') inOtherStructure(cells, copy);
    if (register === 'mailboxes') {
      inMailboxOfOther(cells, copy);
      cells[1] = `${addressOf(names.given)}.${addressOf(names.family)}.${Number(rpps).toString(36)}${at || ''}@${cells[1]?.split('@')[1]}`;
    }
    if (register === 'activities' || register === 'mailboxes') {
      const id = cells[register === 'activities' ? STRUCTURE.technical : MAILBOX_OF.number];
      if (id?.startsWith(OF_ONE_PERSON)) asOwnPractice(cells, register, old, names, house);
    }
    return cells.join('|');
  };
  const lines = Object.fromEntries(
    PIPE_REGISTERS.map((register) => [register, model.lines[register].map((line, at) => lineOf(register, line, at))]),
  ) as unknown as Person['lines'];
  return { rpps, lines };
}

function rppsOf(seed: number, number: number): string {
  const rpps = withCheckDigit(String(1_900_000_000 + (seed % SEEDS) * RANGE + number));
  return DEMO_PEOPLE.some((person) => person.rpps === rpps)
    ? withCheckDigit(String(EXCEPTIONS + (number % RANGE)))
    : rpps;
}

function inOtherStructure(cells: string[], copy: number): void {
  if (copy === 0) return;
  const of = (column: number, make: (number: string, copy: number) => string) => {
    cells[column] = make(cells[column] ?? '', copy);
  };
  of(STRUCTURE.siret, siretOf);
  of(STRUCTURE.siren, sirenOf);
  of(STRUCTURE.finess, finessOf);
  of(STRUCTURE.legalEntity, finessOf);
  of(STRUCTURE.technical, technicalIdOf);
  of(STRUCTURE.former, formerIdOf);
}

function inMailboxOfOther(cells: string[], copy: number): void {
  const { kind, number } = MAILBOX_OF;
  const make = { FINESS: finessOf, SIRET: siretOf }[cells[kind] ?? ''] ?? technicalIdOf;
  cells[number] = make(cells[number] ?? '', copy);
}

/** Converts the line of a structure's mailbox to the line for a copy of that structure. Copy 0 is the structure itself. */
export function structureMailbox(line: string, copy: number): string {
  const cells = line.split('|');
  inMailboxOfOther(cells, copy);
  if (copy > 0) cells[1] = (cells[1] ?? '').replace('@', `.${copy}@`);
  return cells.join('|');
}

function asOwnPractice(
  cells: string[],
  register: keyof typeof OWN_PRACTICE,
  old: { family: string; given: string },
  names: { family: string; given: string },
  house: string,
): void {
  const columns = OWN_PRACTICE[register];
  if (cells[columns.house]) cells[columns.house] = house;
  for (const column of columns.names) {
    const cell = cells[column] ?? '';
    if (!cell.endsWith(old.family)) continue;
    const before = cell.slice(0, -old.family.length).replace(old.given.toUpperCase(), names.given.toUpperCase());
    cells[column] = before + names.family;
  }
}

/** Converts a name to lower-case letters and digits for a mail address, with a hyphen in place of other characters. */
function addressOf(name: string): string {
  const letters = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return letters.replace(/[^a-z0-9]+/g, '-');
}

/** Moves a person's own practice to a street that is named after the day, such as `RUE DU JOUR 3`. */
export function moved(person: Person, day: number): Person {
  const activities = person.lines.activities.map((line) => {
    const cells = line.split('|');
    if (cells[STRUCTURE.technical]?.startsWith(OF_ONE_PERSON) && cells[STREET] !== '') cells[STREET] = `DU JOUR ${day}`;
    return cells.join('|');
  });
  return { ...person, lines: { ...person.lines, activities } };
}

/** Adds a mailbox to a person. Its address begins with the day, such as `jour3`. */
export function withMailbox(person: Person, day: number): Person {
  const { family, given: first } = nameOf(person);
  const cells = headOf('mailboxes', '')
    .split('|')
    .map(() => '');
  const profession = person.lines.activities[0]?.split('|')[9] ?? '';
  const address = `jour${day}.${addressOf(family)}.${person.rpps}@medecin.mssante.example`;
  Object.assign(cells, ['PER', address, '8', person.rpps, `8${person.rpps}`]);
  Object.assign(cells, { 9: family, 10: first, 11: 'C', 12: 'Civil', 13: profession, 17: 'O' });
  return { ...person, lines: { ...person.lines, mailboxes: [...person.lines.mailboxes, cells.join('|')] } };
}

export interface FictionalEdition {
  /** Number of people, including the demo people. It must be larger than the number of demo people. */
  practitioners: number;
  /** Seed of the random choices. Editions with different seeds have different people, except for the demo people. */
  seed: number;
  /** Days since the first edition; 0 for the first edition. */
  day: number;
}

/**
 * Share of the people who change each day. A third of them leave, a third move, and a third get a mailbox. A new person takes the place of
 * each person who leaves.
 */
const CHURN = 0.005;

/**
 * Number of times that an edition contains the structures of the shipped edition. One copy of them serves as many people as the shipped
 * edition has.
 */
export function copiesOfStructures({ practitioners }: FictionalEdition): number {
  return Math.ceil(practitioners / SHIPPED_EDITION.people.length);
}

/** Makes the people of an edition, in the order in which the files list them. The demo people come first and never change. */
export function* peopleOfDay({ practitioners, seed, day }: FictionalEdition): Generator<Person> {
  const { people } = SHIPPED_EDITION;
  yield* DEMO_PEOPLE;
  const others = practitioners - DEMO_PEOPLE.length;
  const share = Math.max(1, Math.round((practitioners * CHURN) / 3));
  const [leaves, moves, joins] = [7919, 104_729, 15_485_863].map((factor) =>
    createTurns(others, share, seed, factor, day),
  ) as [Turns, Turns, Turns];
  for (let position = 0; position < others; position++) {
    const { times, last: arrived } = leaves(position);
    const copy = Math.floor((position + DEMO_PEOPLE.length) / people.length);
    // If a person leaves, a person with a new number takes their place.
    let person = personOf(seed, position + times * others, people, copy);
    const { last: movedOn } = moves(position);
    const { last: joinedOn } = joins(position);
    if (movedOn > arrived) person = moved(person, movedOn);
    if (joinedOn > arrived) person = withMailbox(person, joinedOn);
    yield person;
  }
}

/**
 * Returns how often a position in the list of people was chosen for a change until the day of the edition, and the last day on which it was
 * chosen (0 means never).
 */
type Turns = (position: number) => { times: number; last: number };

/**
 * Chooses `share` positions in the edition for a change on each day. No position is chosen again before every other position was chosen.
 */
function createTurns(positions: number, share: number, seed: number, factor: number, day: number): Turns {
  const cycle = Math.ceil(positions / share);
  let step = factor;
  while (commonDivisor(step, positions) > 1) step++;
  return (position) => {
    const first = Math.floor(((position * step + seed) % positions) / share) + 1;
    const times = day < first ? 0 : Math.floor((day - first) / cycle) + 1;
    return { times, last: times === 0 ? 0 : first + (times - 1) * cycle };
  };
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other);
}
