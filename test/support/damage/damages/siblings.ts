// Damages to other columns than mailboxes: facts of one line that stand in another.

import type { FileKey } from '#sandbox/shipped-edition.ts';
import type { Draw } from '#support/draw.ts';
import type { Damage } from './damage.ts';
import { A, D, E, lower, ofTheNext, type Row, region, withRows } from './rows.ts';

function ofRows(
  key: FileKey,
  name: string,
  change: (rows: Row[], draw: Draw) => readonly Row[],
  more: Partial<Damage> = {},
): Damage {
  return {
    name,
    renewal: /./,
    ...more,
    apply: (files, { draw }) => withRows(files, key, (rows) => change(rows, draw)),
  };
}

const TOWNS = 600;

export const SIBLINGS: readonly Damage[] = [
  ofRows('establishments', 'phones of FINESS one line lower', (rows) => lower(rows, [E.phone])),
  ofRows('activities', 'towns of 600 lines one line lower', (rows, draw) =>
    lower(rows, [A.town], ...region(rows, TOWNS, draw)),
  ),
  ofRows('activities', 'postal codes of 600 lines one line lower', (rows, draw) =>
    lower(rows, [A.postcode], ...region(rows, TOWNS, draw)),
  ),
  ofRows('activities', 'codes of roles of another line in the last 15 %', (rows) =>
    lower(rows, [A.role[0]], rows.length * 0.85, rows.length, 7),
  ),
  ofRows('diplomas', 'diplomas of the next person', (rows) => ofTheNext(rows, D.diploma)),
  ofRows('activities', 'phones of the next person', (rows) =>
    ofTheNext(rows, [A.phone], (row) => (row[A.phone] ?? '') !== ''),
  ),
  ofRows(
    'activities',
    'one FINESS number on two structures, for one structure in twenty',
    (rows) => fused(rows, (at) => at % 20 === 0),
    // Fewer than ten more are warnings, one for each structure.
    { renewal: 'seen' },
  ),
  ofRows(
    'activities',
    'one FINESS number on two structures',
    (rows) => fused(rows, (at) => at === 3),
    // A single one stays as it was in FINESS.
    { renewal: { warned: /fused/ } },
  ),
];

/** Lines of some structures stand under the number of the structure before. */
function fused(rows: readonly Row[], isFused: (at: number) => boolean): Row[] {
  const columns = [A.finess, A.structureId];
  const structures = [...new Map(rows.filter((row) => row[A.finess]).map((row) => [row[A.finess] as string, row]))];
  const others = new Map(
    structures.flatMap(([number], at) => {
      const before = structures.at(at - 1)?.[1];
      return isFused(at) && before ? [[number, before] as const] : [];
    }),
  );
  return rows.map((row) => {
    const other = others.get(row[A.finess] ?? '');
    return other ? columns.reduce((changed, column) => changed.with(column, other[column] ?? ''), row) : row;
  });
}
