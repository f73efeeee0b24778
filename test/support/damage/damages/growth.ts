// Damages that make people: once more under another number, from tests, by lines that nobody has; and professions that vanish.

import { withCheckDigit } from '#sandbox/numbers.ts';
import { PERSON_COLUMNS, PIPE_REGISTERS, type PipeRegister } from '#sandbox/shipped-edition.ts';
import type { EditionFiles } from '#support/damage/edition-files.ts';
import type { Damage } from './damage.ts';
import { A, cellsOf, departmentOf, departmentsOf, type Row, rowsOf, withCells, withRows } from './rows.ts';

const idOf = (row: Row, register: PipeRegister) => row[PERSON_COLUMNS[register].nationalId] ?? '';
const idsOf = (rows: readonly Row[]) => new Set(rows.map((row) => row[A.nationalId] ?? ''));

/** A number that nobody has. The serial numbers of generated people begin with 190, those of the sandbox likewise. */
const otherNumber = (number: string) => withCheckDigit(`18${number.slice(2, -1)}`);

function withNumber(row: Row, register: PipeRegister, number: string): Row {
  const { nationalId } = PERSON_COLUMNS[register];
  return withCells(row, [nationalId - 1, nationalId], [number, `8${number}`]);
}

const inAll = (files: EditionFiles, change: (rows: Row[], register: PipeRegister) => readonly Row[]) =>
  PIPE_REGISTERS.reduce((some, key) => withRows(some, key, (rows) => change(rows, key)), files);

/** Some people once more under another number, with all their lines. */
export function onceMore(files: EditionFiles, ids: ReadonlySet<string>): EditionFiles {
  return inAll(files, (rows, register) => [
    ...rows,
    ...rows
      .filter((row) => ids.has(idOf(row, register)))
      .map((row) => withNumber(row, register, otherNumber(idOf(row, register).slice(1)))),
  ]);
}

/** The edition without some people. */
export const without = (files: EditionFiles, ids: ReadonlySet<string>): EditionFiles =>
  inAll(files, (rows, register) => rows.filter((row) => !ids.has(idOf(row, register))));

/** People of these names more, each with the rest of a line that is there. */
function withTests(files: EditionFiles, names: readonly (readonly [family: string, given: string])[]): EditionFiles {
  return withRows(files, 'activities', (rows) => [
    ...rows,
    ...names.map(([family, given], at) => {
      const model = rows[at * 3] ?? [];
      const number = withCheckDigit(`1887${String(at).padStart(6, '0')}`);
      return withCells(withNumber(model, 'activities', number), [A.family, A.given], [family, given]);
    }),
  ]);
}

const DENTIST = '40';
const MIDWIFE = '50';
const ofProfessions = (files: EditionFiles, ...codes: string[]) =>
  idsOf(rowsOf(files, 'activities').filter((row) => codes.includes(row[A.profession[0]] ?? '')));
const TESTS = 300;
/** Lines of one person. */
const MANY = 8000;

export const GROWTH: readonly Damage[] = [
  {
    name: 'everybody once more under another number',
    renewal: /./,
    apply: (files) => onceMore(files, idsOf(rowsOf(files, 'activities'))),
  },
  {
    name: '15 % of people once more under another number',
    renewal: /./,
    apply: (files, { draw }) => {
      const ids = [...idsOf(rowsOf(files, 'activities'))];
      return onceMore(files, new Set(draw.some(ids, ids.length * 0.15)));
    },
  },
  {
    name: 'a department once more under other numbers',
    renewal: /./,
    apply: (files, { draw }) => {
      const rows = rowsOf(files, 'activities');
      const department = draw.one(departmentsOf(rows).slice(0, 3));
      return onceMore(files, idsOf(rows.filter((row) => departmentOf(row) === department)));
    },
  },
  {
    name: '300 people called TEST',
    renewal: /./,
    apply: (files) =>
      withTests(
        files,
        Array.from({ length: TESTS }, (_, at) => ['TEST', `TEST${String(at + 1).padStart(3, '0')}`] as const),
      ),
  },
  {
    name: 'five people called TEST, NE PAS UTILISER and DOE',
    renewal: { warned: /test-person/ },
    apply: (files) =>
      withTests(files, [
        ['TEST', 'TEST'],
        ['NE PAS UTILISER', 'TEST'],
        ['DOE', 'John'],
        ['TEST', 'NE PAS UTILISER'],
        ['TEST', 'TEST2'],
      ]),
  },
  {
    name: 'three and a half lines of activities for each person',
    renewal: /./,
    apply: (files) =>
      withRows(files, 'activities', (rows) =>
        [0, 41, 97].flatMap((by) =>
          rows.map((row, at) =>
            by === 0 ? row : withCells(row, A.structure, cellsOf(rows[(at + by) % rows.length], A.structure)),
          ),
        ),
      ),
  },
  {
    name: '8000 lines of one person',
    renewal: /./,
    apply: (files) =>
      withRows(files, 'activities', (rows) => [
        ...rows,
        ...Array.from({ length: MANY }, (_, at) =>
          withCells(rows[0] ?? [], A.structure, cellsOf(rows[at % rows.length], A.structure)).with(
            A.phone,
            `01990${String(at).padStart(5, '0')}`,
          ),
        ),
      ]),
  },
  {
    name: 'dentists and midwives are missing',
    renewal: /./,
    apply: (files) => without(files, ofProfessions(files, DENTIST, MIDWIFE)),
  },
  {
    name: 'midwives are missing from the activities alone',
    renewal: /./,
    apply: (files) => withRows(files, 'activities', (rows) => rows.filter((row) => row[A.profession[0]] !== MIDWIFE)),
  },
];
