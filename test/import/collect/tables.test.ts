// The tables by which an edition is measured: kinds of warnings, what columns are expected to hold, what is compared and which elements are
// counted. Reports and editions before this one use their keys.

import { expect, it } from '@jest/globals';
import { expectationOf } from '#import/collect/column-expectations.ts';
import { COMPARISONS } from '#import/collect/consistency-tallies.ts';
import {
  fromThread,
  ImportAlreadyRunning,
  ImportError,
  isFileSystemError,
  readingFile,
  toMachineError,
  toReadError,
} from '#import/collect/import-error.ts';
import { PAIRS, WINDOW_BITS } from '#import/collect/pairs.ts';
import * as population from '#import/collect/population-counts.ts';
import { isOrdinary, notable, WARNINGS, type WarningKind } from '#import/collect/warnings.ts';
import { COLUMN_TABLES } from '#import/registers/column-documentation.ts';
import { rows } from '#support/rows.ts';

it('warnings have these meanings, and some are ordinary', () => {
  const kinds = Object.keys(WARNINGS) as WarningKind[];
  expect(rows([WARNINGS, kinds.filter(isOrdinary)])).toMatchSnapshot();
  const summary = (kind: WarningKind) => ({ kind, meaning: WARNINGS[kind], count: 2, examples: ['a', 'b'] });
  expect(notable([summary('bad-check-digit'), summary('no-name')])).toEqual([
    '2 persons without a name (kept), such as a',
  ]);
});

it('columns are expected to hold these values', () => {
  const people = ['activities', 'diplomas', 'skills', 'mailboxes'];
  const parts = ['finess structureej', 'finess structureet', 'finess geolocalisation', 'fhir Practitioner', 'other'];
  const registers = [...people, ...parts];
  const keys = new Set(COLUMN_TABLES.flatMap(({ columns }) => columns.map(({ key }) => String(key))));
  const expected = registers.flatMap((register) =>
    [...keys, 'other'].map((key) => [`${register}.${key}`, expectationOf(register, key)] as const),
  );
  expect(rows(Object.fromEntries(expected.filter(([, values]) => Object.keys(values).length > 0)))).toMatchSnapshot();
});

it('these are compared and counted', () => {
  expect(rows([COMPARISONS, PAIRS, WINDOW_BITS, population.ELEMENTS])).toMatchSnapshot();
});

it('errors of disks and files are said with their remedy', () => {
  const failed = (code: string, more: object = {}) =>
    Object.assign(new Error(code), { code, syscall: 'open', ...more });
  const said = (error: unknown) => `${(error as Error).constructor.name}: ${(error as Error).message}`;
  const reading = 'ENOENT ENOTDIR EISDIR ELOOP ENAMETOOLONG EACCES EPERM EMFILE ENFILE ESTALE EIO EXXX'.split(' ');
  const writing = 'ENOSPC EDQUOT SQLITE_FULL EFBIG EROFS EACCES SQLITE_READONLY SQLITE_CANTOPEN EIO SQLITE_IOERR'.split(
    ' ',
  );
  const texts = [
    reading.map((code) => [code, said(toReadError(failed(code), 'a.txt'))]),
    writing.map((code) => [code, said(toMachineError(failed(code), '/data'))]),
    said(toMachineError(failed('ENOSPC', { path: '/data/x' }), '/data')),
    said(toMachineError(failed('ENOSPC', { path: '/in/x' }), '/data')),
    said(new ImportAlreadyRunning('process 1')),
  ];
  expect(rows(texts)).toMatchSnapshot();
  const own = new ImportError({ file: 'a' }, 'is odd.', 'Mend it.');
  const other = new Error('x');
  expect(toReadError(other, 'a.txt')).toBe(other);
  expect([
    toReadError(own, 'b'),
    toMachineError(own, '/'),
    toReadError(other, 'b'),
    toMachineError(other, '/'),
  ]).toEqual([own, own, other, other]);
  expect([failed('ENOENT'), other, null].map(isFileSystemError)).toEqual([true, false, false]);
  expect(said(toReadError(Object.assign(new Error('x'), { syscall: 'read' }), 'a'))).toContain('cannot be read ().');
  expect(said(toMachineError(new Error('SQLite: database or disk is full'), '/data'))).toContain(
    '/data: the disk is full.',
  );
});

it('an error of the files names the place, and keeps its class among threads', async () => {
  const message = (location: object) => new ImportError(location, 'is odd.', 'Mend it.').message;
  expect([
    message({ file: 'a.txt', line: 3, column: 'Nom\u0007' }),
    message({ line: 3 }),
    message({ column: 'Nom' }),
    message({}),
  ]).toEqual([
    'a.txt, line 3, column "Nom\\x07": is odd. Mend it.',
    'line 3: is odd. Mend it.',
    'column "Nom": is odd. Mend it.',
    'is odd. Mend it.',
  ]);
  const lost = Object.assign(new Error('x'), { name: 'ImportError' });
  expect(fromThread(lost)).toBe(lost);
  expect(lost).toBeInstanceOf(ImportError);
  const other = new Error('x');
  expect(fromThread(other)).toBe(other);
  expect(other).not.toBeInstanceOf(ImportError);
  expect(new ImportAlreadyRunning('process 1').holder).toBe('process 1');
  const failed = Object.assign(new Error('x'), { code: 'EISDIR', syscall: 'read' });
  await expect(readingFile('a', () => Promise.reject(failed))).rejects.toThrow('a: is a folder now.');
  expect(await readingFile('a', async () => 'content')).toBe('content');
});
