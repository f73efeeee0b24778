// Forty damages that were made up in plain words, without knowledge of the guards: then places of work, skills and diplomas.

import { PIPE_REGISTERS } from '#sandbox/shipped-edition.ts';
import { nameOf, withLines } from '#support/damage/edition-files.ts';
import type { Damage } from './damage.ts';
import { madeUp, ofActivities } from './made-up-people.ts';
import {
  A,
  cellsOf,
  commonest,
  D,
  departmentOf,
  departmentsOf,
  E,
  lower,
  M,
  type Row,
  region,
  rowsOf,
  shuffled,
  withCells,
  withRows,
} from './rows.ts';

const PHYSICIAN = '10';
const [PHYSIOTHERAPIST, DIETICIAN] = ['70', '95'] as const;
/** Departments of one region. */
const REGION = ['01', '26', '38', '42', '69', '73', '74'] as const;

const ofEstablishments = (name: string, change: (rows: Row[]) => readonly Row[]) =>
  madeUp(name, (files) => withRows(files, 'establishments', change));
const filled = (row: Row, column: number) => (row[column] ?? '') !== '';

/** Two digits in the middle exchanged. */
const exchanged = (phone: string) => phone.replace(/^(.{4})(.)(.*)(.)(.)$/, '$1$4$3$2$5');

export const MADE_UP_PLACES: readonly Damage[] = [
  ofActivities('postal codes of a department higher by 1000', (rows, draw) => {
    const department = draw.one(departmentsOf(rows).slice(0, 3));
    return rows.map((row) => {
      const postcode = row[A.postcode] ?? '';
      if (departmentOf(row) !== department || !/^\d+$/.test(postcode)) return row;
      const other = String(Number(postcode) + 1000).padStart(5, '0');
      return row.with(A.postcode, other).with(A.routing, (row[A.routing] ?? '').replace(postcode, other));
    });
  }),
  ofActivities('towns sorted within each department', (rows) => {
    const towns = new Map<string, string[]>();
    for (const row of rows) towns.set(departmentOf(row), [...(towns.get(departmentOf(row)) ?? []), row[A.town] ?? '']);
    for (const list of towns.values()) list.sort();
    return rows.map((row) => row.with(A.town, towns.get(departmentOf(row))?.shift() ?? ''));
  }),
  ofActivities('streets one line lower in 400 lines', (rows, draw) =>
    lower(rows, A.street, ...region(rows, 400, draw)),
  ),
  ofActivities('1 for every number of a street', (rows) =>
    rows.map((row) => (filled(row, A.streetNumber) ? row.with(A.streetNumber, '1') : row)),
  ),
  ofActivities('fax numbers in the place of phones', (rows) =>
    rows.map((row) => (filled(row, A.fax) ? row.with(A.phone, row[A.fax] ?? '') : row)),
  ),
  ofActivities('two digits exchanged in a quarter of the phones', (rows) =>
    rows.map((row, at) => (at % 4 === 0 ? row.with(A.phone, exchanged(row[A.phone] ?? '')) : row)),
  ),
  ofActivities('one phone for a region', (rows) =>
    rows.map((row) =>
      REGION.some((one) => one === departmentOf(row)) && filled(row, A.phone) ? row.with(A.phone, '0478000000') : row,
    ),
  ),
  ofActivities('names of structures of the next line in 300 lines', (rows, draw) =>
    lower(rows, [A.structureName], ...region(rows.slice(0, -1), 300, draw), -1),
  ),
  ofEstablishments('names of FINESS one line lower', (rows) => lower(rows, E.names)),
  ofEstablishments('categories of FINESS one line lower', (rows) => lower(rows, E.category)),
  ofEstablishments('legal entities of FINESS one line lower in 500 lines', (rows) =>
    lower(rows, [E.legalEntity], 0, Math.min(500, rows.length)),
  ),
  ofActivities('SIRET of the line above in 300 lines', (rows, draw) =>
    lower(rows, [A.siret], ...region(rows, 300, draw)),
  ),
  ofActivities('specialities of physicians in any order within 800 lines', (rows, draw) => {
    const some = new Set(rows.filter((row) => row[9] === PHYSICIAN).slice(0, 800));
    return shuffled(rows, A.skill, draw, (row) => some.has(row));
  }),
  madeUp('all specialities are the commonest', (files) => {
    const activities = rowsOf(files, 'activities');
    const code = commonest(activities.map((row) => row[A.skill[2]] ?? ''));
    const cells = cellsOf(
      activities.find((row) => row[A.skill[2]] === code),
      A.skill,
    );
    const columns = { activities: A.skill, skills: [9, 10, 11, 12], mailboxes: M.skill } as const;
    return (['activities', 'skills', 'mailboxes'] as const).reduce(
      (some, key) =>
        withRows(some, key, (rows) =>
          rows.map((row) => {
            const own = columns[key];
            return filled(row, own.at(-1) ?? 0) ? withCells(row, own, cells.slice(-own.length)) : row;
          }),
        ),
      files,
    );
  }),
  madeUp('diplomas of dieticians for half of the physiotherapists', (files) => {
    const professions = new Map(rowsOf(files, 'activities').map((row) => [row[A.nationalId], row[A.profession[0]]]));
    return withRows(files, 'diplomas', (rows) => {
      const isOf = (code: string) => (row: Row) => professions.get(row[D.nationalId]) === code;
      const others = rows.filter(isOf(DIETICIAN));
      const half = rows.filter(isOf(PHYSIOTHERAPIST)).filter((_, at) => at % 2 === 0);
      const cells = new Map(half.map((row, at) => [row, cellsOf(others[at % others.length], D.diploma)]));
      return rows.map((row) => withCells(row, D.diploma, cells.get(row) ?? cellsOf(row, D.diploma)));
    });
  }),
  ofActivities('modes of exercise inverted in a department', (rows, draw) => {
    const department = draw.one(departmentsOf(rows).slice(0, 3));
    const inverted = { S: ['L', 'Libéral'], L: ['S', 'Salarié'] } as const;
    return rows.map((row) => {
      const mode = inverted[row[A.mode[0]] as 'S' | 'L'];
      return departmentOf(row) === department && mode ? withCells(row, A.mode, mode) : row;
    });
  }),
  ofActivities('one role for all', (rows) => {
    const role = cellsOf(
      rows.find((row) => filled(row, A.role[0])),
      A.role,
    );
    return rows.map((row) => (filled(row, A.role[0]) ? withCells(row, A.role, role) : row));
  }),
  ofActivities('people of one department at the addresses of another', (rows, draw) => {
    const [from, to] = draw.some(departmentsOf(rows).slice(0, 10), 2) as [string, string];
    const there = rows.filter((row) => departmentOf(row) === to);
    return rows.map((row, at) =>
      departmentOf(row) === from ? withCells(row, A.address, cellsOf(there[at % there.length], A.address)) : row,
    );
  }),
  ofActivities('half of the structures without any cell for employees', (rows) =>
    rows.map((row) =>
      row[A.mode[0]] === 'S' && /[02468]$/.test(row[A.structureId] ?? '') ? withCells(row, A.structure, []) : row,
    ),
  ),
  madeUp('the files of two days joined, without the lines of both', (files, { dayBefore }) =>
    PIPE_REGISTERS.reduce((some, key) => {
      const before = String(dayBefore.get(nameOf(dayBefore, key)))
        .split('\n')
        .slice(1, -1);
      return withLines(some, key, ([header = '', ...lines]) => [header, ...new Set([...before, ...lines])]);
    }, files),
  ),
];
