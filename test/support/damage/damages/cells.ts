// Damages to cells: what spreadsheets, converters and wrong queries make of columns.

import { PERSON_COLUMNS, PIPE_REGISTERS } from '#sandbox/shipped-edition.ts';
import { withLines } from '#support/damage/edition-files.ts';
import type { Draw } from '#support/draw.ts';
import { HEADERS, type PipeRegister } from '#support/import/register-files.ts';
import type { Damage, Expectation } from './damage.ts';

type Row = string[];

interface Options extends Pick<Damage, 'firstLoad'> {
  registers?: readonly PipeRegister[];
}

function ofRows(
  name: string,
  renewal: Expectation,
  change: (rows: Row[], register: PipeRegister, draw: Draw) => Row[],
  { registers = PIPE_REGISTERS, ...more }: Options = {},
): Damage {
  return {
    name,
    renewal,
    ...more,
    apply: (files, { draw }) => {
      const register = draw.one(registers);
      return withLines(files, register, ([header = '', ...lines]) => {
        const rows = lines.map((line) => line.split('|'));
        return [header, ...change(rows, register, draw).map((row) => row.join('|'))];
      });
    },
  };
}

/** As every cell, with the first line. */
function ofText(
  name: string,
  renewal: Expectation,
  change: (line: string) => string,
  { registers = PIPE_REGISTERS, ...more }: Options = {},
): Damage {
  return {
    name,
    renewal,
    ...more,
    apply: (files, { draw }) => withLines(files, draw.one(registers), (lines) => lines.map(change)),
  };
}

/** One column from each line. */
function column(rows: readonly Row[], at: number): string[] {
  return rows.map((row) => row[at] ?? '');
}

/** A line that another damage has cut short stays as it is. */
export function withCell(row: Row, at: number, value: string): Row {
  return at < row.length ? row.with(at, value) : row;
}

function withColumn(rows: readonly Row[], at: number, values: (row: Row, index: number) => string): Row[] {
  return rows.map((row, index) => withCell(row, at, values(row, index)));
}

/** Columns without which people cannot be found. */
const NEEDED: Readonly<Record<PipeRegister, readonly string[]>> = {
  activities: [
    "Nom d'exercice",
    "Prénom d'exercice",
    'Code profession',
    'Libellé profession',
    'Libellé commune (coord. structure)',
    'Code postal (coord. structure)',
    'Raison sociale site',
    'Identifiant technique de la structure',
    'Code mode exercice',
    'Libellé Voie (coord. structure)',
  ],
  diplomas: ['Code diplôme obtenu', 'Libellé diplôme obtenu', 'Code type diplôme obtenu', "Nom d'exercice"],
  skills: ['Code savoir-faire', 'Libellé savoir-faire', 'Code type savoir-faire', "Nom d'exercice", 'Code profession'],
  mailboxes: [
    'Adresse BAL',
    'Type de BAL',
    'Identification nationale PP',
    "Nom d'exercice",
    'Identification Structure',
  ],
};
const at = (register: PipeRegister, label: string) => HEADERS[register].split('|').indexOf(label);
const postcode = at('activities', 'Code postal (coord. structure)');
const finess = at('activities', 'Numéro FINESS site');
const ACTIVITIES = { registers: ['activities'] } as const;
/** Towns of FINESS are in capitals and of its own wording: at a first import nothing contradicts. */
const UNSEEN = { ...ACTIVITIES, firstLoad: 'unseen' } as const;
const isPerson = (row: Row, register: PipeRegister) => (row[PERSON_COLUMNS[register].nationalId] ?? '') !== '';

export const CELLS: readonly Damage[] = [
  {
    name: 'labels of family and given names swapped',
    renewal: /./,
    apply: (files, { draw }) => {
      const register = draw.one(PIPE_REGISTERS);
      const { family, given } = PERSON_COLUMNS[register];
      return withLines(files, register, ([header = '', ...lines]) => {
        const labels = header.split('|');
        const swapped = withCell(withCell(labels, family, labels[given] ?? ''), given, labels[family] ?? '');
        return [swapped.join('|'), ...lines];
      });
    },
  },
  {
    name: 'columns in another order, labels too',
    renewal: 'same',
    apply: (files, { draw }) =>
      withLines(files, draw.one(PIPE_REGISTERS), (lines) => {
        const width = (lines[0] ?? '').split('|').length - (lines[0]?.endsWith('|') ? 1 : 0);
        const order = draw.some([...Array(width).keys()], width);
        return lines.map((line) => {
          const cells = line.split('|');
          return [...order.map((from) => cells[from]), ...cells.slice(width)].join('|');
        });
      }),
  },
  ofRows('family and given names swapped', /./, (rows, register) => {
    const { family, given } = PERSON_COLUMNS[register];
    return rows.map((row) => withCell(withCell(row, family, row[given] ?? ''), given, row[family] ?? ''));
  }),
  ofRows('a needed column emptied', /./, (rows, register, draw) =>
    withColumn(rows, at(register, draw.one(NEEDED[register])), () => ''),
  ),
  ofRows(
    'a needed column emptied in the second half',
    /./,
    (rows, register, draw) => {
      const emptied = at(register, draw.one(NEEDED[register]));
      return withColumn(rows, emptied, (row, index) => (index < rows.length / 2 ? (row[emptied] ?? '') : ''));
    },
    ACTIVITIES,
  ),
  ofRows('cells shifted by one from some column on', /./, (rows, _register, draw) => {
    const from = draw.between(2, 8);
    return rows.map((row) => row.toSpliced(from, 0, '').slice(0, row.length));
  }),
  ofRows(
    'one value in the whole of a needed column',
    /./,
    (rows, register, draw) => {
      const filled = at(register, draw.one(NEEDED[register]));
      const value = draw.one(column(rows, filled).filter((cell) => cell !== ''));
      return withColumn(rows, filled, () => value);
    },
    // In few lines, most may have the same value.
    { firstLoad: 'unseen' },
  ),
  ofRows(
    'values of other lines in a needed column',
    /./,
    (rows, register, draw) => {
      const mixed = at(register, draw.one(NEEDED[register]));
      const values = draw.some(column(rows, mixed), rows.length);
      return withColumn(rows, mixed, (_, index) => values[index] ?? '');
    },
    UNSEEN,
  ),
  ofText('UTF-8 taken for Latin-1', /./, (line) => Buffer.from(line).toString('latin1')),
  ofText('? for every accent', /./, (line) => line.replace(/[^\0-\x7f]/g, '?')),
  ofText('U+FFFD for every accent', /./, (line) => line.replace(/[^\0-\x7f]/g, '\uFFFD')),
  ofText('accents as in HTML', /./, (line) => line.replace(/[^\0-\x7f]/g, (letter) => `&#${letter.codePointAt(0)};`)),
  ofText('accents apart from their letters', 'same', (line) => line.normalize('NFD')),
  ofText('no-break blanks', 'same', (line) => line.replaceAll(' ', '\u00a0')),
  ofText('in capitals', /./, (line) => line.toUpperCase(), UNSEEN),
  ofText('in small letters', /./, (line) => line.toLowerCase(), ACTIVITIES),
  ofText('every cell in quotes', /./, (line) =>
    line
      .split('|')
      .map((cell) => `"${cell}"`)
      .join('|'),
  ),
  ofText('separated by semicolons', /unreadable|partial|registers/, (line) => line.replaceAll('|', ';')),
  ofRows(
    'postcodes without leading zeros',
    /./,
    (rows) => withColumn(rows, postcode, (row) => (row[postcode] ?? '').replace(/^0+/, '')),
    ACTIVITIES,
  ),
  ofRows(
    'FINESS numbers without leading zeros',
    /./,
    (rows) => withColumn(rows, finess, (row) => (row[finess] ?? '').replace(/^\d/, '')),
    ACTIVITIES,
  ),
  ofRows('national numbers in scientific notation', /./, (rows, register) => {
    const { nationalId } = PERSON_COLUMNS[register];
    return withColumn(rows, nationalId, (row) =>
      isPerson(row, register) ? Number(row[nationalId]).toExponential(5) : '',
    );
  }),
  ofRows('the civility for the family name', /./, (rows) => withColumn(rows, 7, (row) => row[6] ?? ''), ACTIVITIES),
  ofRows('national numbers of the line before', /./, (rows, register) => {
    const { nationalId } = PERSON_COLUMNS[register];
    const ids = column(rows, nationalId);
    return withColumn(rows, nationalId, (_, index) => ids.at(index - 1) ?? '');
  }),
  ofRows('names of the line before', /./, (rows, register) => {
    const { family, given } = PERSON_COLUMNS[register];
    return rows.map((row, index) =>
      withCell(withCell(row, family, rows.at(index - 1)?.[family] ?? ''), given, rows.at(index - 1)?.[given] ?? ''),
    );
  }),
  ofRows(
    'one number on the lines of two people, for one in twenty',
    /./,
    (rows) =>
      rows.map((row, index) =>
        index % 40 < 2
          ? withCell(withCell(row, 1, rows[index - (index % 40)]?.[1] ?? ''), 2, rows[index - (index % 40)]?.[2] ?? '')
          : row,
      ),
    ACTIVITIES,
  ),
  ofRows(
    'FINESS numbers of the structure before',
    /./,
    (rows) => {
      const filled = rows.filter((row) => row[finess] !== '');
      const before = new Map(filled.map((row, index) => [row, filled.at(index - 1)?.[finess] ?? '']));
      return withColumn(rows, finess, (row) => before.get(row) ?? '');
    },
    ACTIVITIES,
  ),
  ofRows(
    'texts cut at eight characters',
    /./,
    (rows) => rows.map((row) => row.map((cell) => (/\p{L}/u.test(cell) ? cell.slice(0, 8) : cell))),
    ACTIVITIES,
  ),
  ofRows('labels for codes of professions', /./, (rows) => withColumn(rows, 9, (row) => row[10] ?? ''), ACTIVITIES),
  ofRows(
    'towns of other lines',
    /./,
    (rows, _register, draw) => {
      const towns = draw.some(rows, rows.length).map((row) => row.slice(34, 38));
      return rows.map((row, index) => (row[37] === '' ? row : row.toSpliced(34, 4, ...(towns[index] ?? []))));
    },
    UNSEEN,
  ),
];
