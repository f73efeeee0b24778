// Forty damages that were made up in plain words, without knowledge of the guards: first mailboxes and people.

import { PERSON_COLUMNS, PIPE_REGISTERS, type PipeRegister } from '#sandbox/shipped-edition.ts';
import type { EditionFiles } from '#support/damage/edition-files.ts';
import type { Draw } from '#support/draw.ts';
import type { Damage, DamageContext } from './damage.ts';
import { without } from './growth.ts';
import { isOfPerson } from './mailboxes.ts';
import {
  A,
  cellsOf,
  commonest,
  departmentOf,
  departmentsOf,
  lower,
  M,
  ofTheNext,
  type Row,
  region,
  rowsOf,
  withCells,
  withRows,
} from './rows.ts';

export function madeUp(name: string, apply: (files: EditionFiles, context: DamageContext) => EditionFiles): Damage {
  return { name, renewal: 'seen', apply };
}

/** Damages one register; `change` has its rows and a draw. */
const ofMailboxes = (name: string, change: (rows: Row[], draw: Draw) => readonly Row[]) =>
  madeUp(name, (files, { draw }) => withRows(files, 'mailboxes', (rows) => change(rows, draw)));
export const ofActivities = (name: string, change: (rows: Row[], draw: Draw) => readonly Row[]): Damage =>
  madeUp(name, (files, { draw }) => withRows(files, 'activities', (rows) => change(rows, draw)));

const addressOf = (row: Row | undefined) => row?.[M.address] ?? '';
const withAddress = (row: Row, address: string) => withCells(row, [M.address], [address]);
const localPart = (row: Row | undefined) => addressOf(row).replace(/@.*/, '');
const domain = (row: Row) => addressOf(row).replace(/^[^@]*/, '');

/** Rows in which the addresses of people are those that `change` makes of them. */
const ofPeople = (rows: readonly Row[], change: (row: Row, at: number, people: readonly Row[]) => string): Row[] => {
  const people = rows.filter(isOfPerson);
  const addresses = new Map(people.map((row, at) => [row, change(row, at, people)]));
  return rows.map((row) => withAddress(row, addresses.get(row) ?? addressOf(row)));
};

const idOf = (row: Row, register: PipeRegister) => row[PERSON_COLUMNS[register].nationalId] ?? '';
const NURSE = ['60', 'Infirmier'] as const;
const MIDWIFE = ['50', 'Sage-Femme'] as const;

/** Columns of professions and names, in the registers that have them. */
const PROFESSIONS = { activities: A.profession, skills: [5, 6], mailboxes: M.profession } as const;

export const MADE_UP_PEOPLE: readonly Damage[] = [
  ofMailboxes('the mailbox column from its end to its start', (rows) =>
    rows.map((row, at) => withAddress(row, addressOf(rows.at(-1 - at)))),
  ),
  madeUp('the mailboxes of two departments exchanged', (files, { draw }) => {
    const activities = rowsOf(files, 'activities');
    const two = draw.some(departmentsOf(activities).slice(0, 10), 2);
    const departments = new Map(activities.map((row) => [row[A.nationalId], departmentOf(row)]));
    return withRows(files, 'mailboxes', (rows) => {
      const [some = [], others = []] = two.map((one) =>
        rows.filter((row) => isOfPerson(row) && departments.get(row[M.nationalId] ?? '') === one),
      );
      const pairs = some.slice(0, others.length).map((row, at) => [row, others[at] as Row] as const);
      const exchanged = new Map(pairs.flatMap(([one, other]) => [[one, other] as const, [other, one] as const]));
      return rows.map((row) => withAddress(row, addressOf(exchanged.get(row) ?? row)));
    });
  }),
  ofMailboxes('names in addresses exchanged with those of the next line, domains kept', (rows) =>
    ofPeople(rows, (row, at, people) => `${localPart(people[at % 2 === 0 ? at + 1 : at - 1] ?? row)}${domain(row)}`),
  ),
  ofMailboxes('every third line of mailboxes repeats the address above', (rows) =>
    rows.map((row, at) => (at % 3 === 2 ? withAddress(row, addressOf(rows[at - 1])) : row)),
  ),
  ofMailboxes('one domain for all mailboxes', (rows) =>
    rows.map((row) => withAddress(row, `${localPart(row)}@messagerie.mssante.example`)),
  ),
  ofMailboxes('addresses in small letters and cut at 24 characters', (rows) =>
    rows.map((row) => withAddress(row, addressOf(row).toLowerCase().slice(0, 24))),
  ),
  ofMailboxes('half of the addresses without dots before the @', (rows) =>
    ofPeople(rows, (row, at) =>
      at % 2 === 0 ? `${localPart(row).replaceAll('.', '')}${domain(row)}` : addressOf(row),
    ),
  ),
  madeUp('500 lines with mailboxes of other people', (files, { draw, otherPeople }) => {
    const others = rowsOf(otherPeople, 'mailboxes').filter(isOfPerson);
    return withRows(files, 'mailboxes', (rows) => {
      const [from, to] = region(rows.filter(isOfPerson), 500, draw);
      return rows.map((row, at) => (at >= from && at < to ? withAddress(row, addressOf(others[at])) : row));
    });
  }),
  madeUp('the mailbox of its secretariat for all people of a hospital', (files) => {
    const activities = rowsOf(files, 'activities');
    const hospital = commonest(activities.map((row) => row[A.finess] ?? ''));
    const lines = new Map(
      activities.filter((row) => row[A.finess] === hospital).map((row) => [row[A.nationalId], row]),
    );
    const address = 'secretariat@hopital.mssante.example';
    return withRows(files, 'mailboxes', (rows) => {
      const having = new Set(rows.map((row) => row[M.nationalId]));
      const more = [...lines.values()].filter((row) => !having.has(row[A.nationalId]));
      const model = rows.find((row) => isOfPerson(row) && row[5] === '') ?? [];
      const added = more.map((row) => {
        const columns = [M.address, M.nationalId - 1, M.nationalId, M.family, M.given, ...M.profession];
        const cells = [address, ...cellsOf(row, [A.number, A.nationalId, A.family, A.given, ...A.profession])];
        return withCells(model, columns, cells);
      });
      return [...rows.map((row) => (lines.has(row[M.nationalId]) ? withAddress(row, address) : row)), ...added];
    });
  }),
  ofActivities('the e-mail address of the line above where the own is empty', (rows) => {
    let last = '';
    return rows.map((row) => {
      last = row[A.mail] || last;
      return row[A.structureId] ? row.with(A.mail, last) : row;
    });
  }),
  ofActivities('professions one line lower in 500 lines', (rows) =>
    lower(rows, A.profession, Math.min(1000, rows.length >> 1), Math.min(1500, rows.length)),
  ),
  madeUp('nurses and midwives exchanged', (files) =>
    Object.entries(PROFESSIONS).reduce((some, [key, columns]) => {
      const exchanged = (row: Row) => {
        if (row[columns[0]] === NURSE[0]) return withCells(row, columns, MIDWIFE);
        return row[columns[0]] === MIDWIFE[0] ? withCells(row, columns, NURSE) : row;
      };
      return withRows(some, key as keyof typeof PROFESSIONS, (rows) => rows.map(exchanged));
    }, files),
  ),
  ofActivities('civility inverted', (rows) =>
    rows.map((row) => withCells(row, A.civility, row[5] === 'M' ? ['MME', 'Madame'] : ['M', 'Monsieur'])),
  ),
  ofActivities('the title DR for all', (rows) => rows.map((row) => withCells(row, A.title, ['DR', 'Docteur']))),
  madeUp('4 % of the people removed and others invented', (files, { draw, otherPeople }) => {
    const ids = [...new Set(rowsOf(files, 'activities').map((row) => row[A.nationalId] ?? ''))];
    const strangers = [...new Set(rowsOf(otherPeople, 'activities').map((row) => row[A.nationalId] ?? ''))];
    const count = Math.ceil(ids.length * 0.04);
    const invented = new Set(strangers.slice(0, count));
    return PIPE_REGISTERS.reduce(
      (some, key) =>
        withRows(some, key, (rows) => [
          ...rows,
          ...rowsOf(otherPeople, key).filter((row) => invented.has(idOf(row, key))),
        ]),
      without(files, new Set(draw.some(ids, count))),
    );
  }),
  madeUp('200 people with the name of one', (files, { draw }) => {
    const [one, ...others] = draw.some(
      [...new Map(rowsOf(files, 'activities').map((row) => [row[A.nationalId], row])).values()],
      201,
    );
    const ids = new Set(others.map((row) => row[A.nationalId] ?? ''));
    const name = cellsOf(one, [A.family, A.given]);
    return PIPE_REGISTERS.reduce(
      (some, key) =>
        withRows(some, key, (rows) =>
          rows.map((row) => {
            const { family, given } = PERSON_COLUMNS[key];
            return ids.has(idOf(row, key)) ? withCells(row, [family, given], name) : row;
          }),
        ),
      files,
    );
  }),
  ofActivities('given names of 300 lines one line lower', (rows, draw) =>
    lower(rows, [A.given], ...region(rows, 300, draw)),
  ),
  ofActivities('family names of physiotherapists as their first letter', (rows) =>
    rows.map((row) => (row[9] === '70' ? row.with(A.family, (row[A.family] ?? '').slice(0, 1)) : row)),
  ),
  ofActivities('family names of women replaced by their civility', (rows) =>
    rows.map((row) => (row[5] === 'MME' ? row.with(A.family, 'Madame') : row)),
  ),
  ofActivities('the second activity of each person given to the next one', (rows) => {
    const seen = new Set<string>();
    const isSecond = (row: Row) => {
      const id = row[A.nationalId] ?? '';
      const wasSeen = seen.has(id);
      seen.add(id);
      return wasSeen;
    };
    const second = new Set(rows.filter(isSecond));
    const columns = [...A.mode, ...A.structure, ...A.role];
    return ofTheNext(rows, columns, (row) => second.has(row));
  }),
];
