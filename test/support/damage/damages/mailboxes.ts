// Damages to secure mailboxes: addresses of people that stand beside others, or that reach nobody.

import type { EditionFiles } from '#support/damage/edition-files.ts';
import type { Draw } from '#support/draw.ts';
import type { Damage } from './damage.ts';
import { lower, M, ofTheNext, type Row, region, shuffled, withCells, withRows } from './rows.ts';

function ofMailboxes(
  name: string,
  change: (rows: Row[], draw: Draw) => readonly Row[],
  more: Partial<Damage> = {},
): Damage {
  return {
    name: `mailboxes: ${name}`,
    renewal: /./,
    ...more,
    apply: (files, { draw }) => withRows(files, 'mailboxes', (rows) => change(rows, draw)),
  };
}

export const isOfPerson = (row: Row): boolean => row[M.type] === 'PER';
const COLUMN = [M.address];
const withAddress = (row: Row, address: string) => withCells(row, COLUMN, [address]);
const SHIFTED = 200;
const shiftedPart = (rows: Row[], draw: Draw) => lower(rows, COLUMN, ...region(rows.filter(isOfPerson), SHIFTED, draw));

export const MAILBOXES: readonly Damage[] = [
  ofMailboxes('one line lower from the middle on', (rows) => lower(rows, COLUMN, rows.length / 2)),
  ofMailboxes('200 lines one line lower', shiftedPart),
  ofMailboxes('200 lines one line lower, where 40 % are unlike the name', shiftedPart, { form: 'unlike-mailboxes' }),
  ofMailboxes('a quarter without their domain', (rows) =>
    rows.map((row, at) => (at % 4 === 0 ? withAddress(row, (row[M.address] ?? '').replace(/@.*/, '')) : row)),
  ),
  ofMailboxes(
    'one without its domain',
    (rows, draw) => rows.with(0, withAddress(rows[0] ?? [], `${draw.one(['anne.petit', 'cabinet'])}@medecin`)),
    // A single one is left out and reported; the register stays.
    { renewal: { warned: /./ } },
  ),
  ofMailboxes('sorted apart from their owners', (rows) => {
    const sorted = rows.map((row) => row[M.address] ?? '').sort();
    return rows.map((row, at) => withAddress(row, sorted[at] ?? ''));
  }),
  ofMailboxes('one for everybody', (rows, draw) => {
    const address = draw.one(rows.filter(isOfPerson))[M.address] ?? '';
    return rows.map((row) => (isOfPerson(row) ? withAddress(row, address) : row));
  }),
  ofMailboxes('mailto: before each', (rows) => rows.map((row) => withAddress(row, `mailto:${row[M.address]}`))),
  ofMailboxes('those of others for everybody', (rows, draw) => shuffled(rows, COLUMN, draw, isOfPerson)),
  ofMailboxes(
    'those of others for everybody, where 14 % have one',
    (rows, draw) => shuffled(rows, COLUMN, draw, isOfPerson),
    { form: 'few-mailboxes' },
  ),
  ofMailboxes(
    'those of two people exchanged',
    (rows, draw) => {
      const two = draw.some(rows.filter(isOfPerson), 2);
      return ofTheNext(rows, COLUMN, (row) => two.includes(row));
    },
    // Two of a country are no reason to refuse it.
    { renewal: { warned: /mailbox-of-another/ } },
  ),
];

/** Shares of people with a mailbox: of fewer, and of all. */
const [FEW, ALL] = [14, 23] as const;
/** Share (in a hundred) of addresses that do not say the name. */
export const UNLIKE = 40;
const WORDS = ['secretariat', 'cabinet', 'contact', 'accueil'] as const;
const NAMES = ['anne.lagarde', 'paul.vasson', 'claire.dumesnil', 'marc.oriol', 'lea.castaing'] as const;

/** The edition with fewer mailboxes of people: the same people have one on both days. */
export function withFewMailboxes(files: EditionFiles): EditionFiles {
  return withRows(files, 'mailboxes', (rows) =>
    rows.filter((row) => !isOfPerson(row) || shareOf(row) < (FEW / ALL) * 100),
  );
}

/** The edition with addresses unlike the name for 40 % of people: maiden names, practices and secretariats, spread evenly. */
export function withUnlikeMailboxes(files: EditionFiles): EditionFiles {
  return withRows(files, 'mailboxes', (rows) =>
    rows.map((row) => (isOfPerson(row) && shareOf(row) < UNLIKE ? withAddress(row, unlikeAddress(row)) : row)),
  );
}

/** An address that says a maiden name, or what a practice calls itself. */
export function unlikeAddress(row: Row): string {
  const number = Number((row[M.nationalId] ?? '').slice(-8)) || 0;
  const names = number % 3 === 0 ? WORDS : NAMES;
  return (row[M.address] ?? '').replace(/^[^@]*/, `${names[number % names.length]}.${number.toString(36)}`);
}

/** A number from 0 to 99 that a person keeps from day to day. */
export function shareOf(row: Row): number {
  let hash = 2_166_136_261;
  for (const character of row[M.nationalId] ?? '') hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619) >>> 0;
  return hash % 100;
}
