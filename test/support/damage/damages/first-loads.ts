// Damages that contradict themselves, so that they can be seen without an edition before.

import type { Draw } from '#support/draw.ts';
import type { Damage } from './damage.ts';
import { A, cellsOf, commonest, type Row, shuffled, withCells, withRows } from './rows.ts';

function ofActivities(
  name: string,
  change: (rows: Row[], draw: Draw) => readonly Row[],
  more: Pick<Damage, 'firstLoad'> = {},
): Damage {
  return {
    name,
    renewal: /./,
    ...more,
    apply: (files, { draw }) => withRows(files, 'activities', (rows) => change(rows, draw)),
  };
}

const CUT = 20;

export const FIRST_LOADS: readonly Damage[] = [
  ofActivities('names of structures cut at 20 characters', (rows) =>
    rows.map((row) => row.with(A.structureName, (row[A.structureName] ?? '').slice(0, CUT))),
  ),
  {
    name: 'names of people cut at 12 characters',
    renewal: /./,
    apply: (files) =>
      withRows(files, 'activities', (rows) =>
        rows.map((row) =>
          row.with(A.family, (row[A.family] ?? '').slice(0, 12)).with(A.given, (row[A.given] ?? '').slice(0, 12)),
        ),
      ),
  },
  ofActivities('phones of nine digits', (rows) =>
    rows.map((row) => row.with(A.phone, (row[A.phone] ?? '').replace(/^0/, ''))),
  ),
  ofActivities('blank addresses of a third of the structures', (rows) =>
    rows.map((row) => (/[369]$/.test(row[A.structureId] ?? '') ? withCells(row, A.address, []) : row)),
  ),
  ofActivities('civility of another line', (rows, draw) => shuffled(rows, A.civility, draw)),
  ofActivities(
    'one line in ten in the same structure',
    (rows) => {
      const id = commonest(rows.map((row) => row[A.structureId] ?? ''));
      const model = rows.find((row) => row[A.structureId] === id);
      return rows.map((row, at) => (at % 10 === 0 ? withCells(row, A.structure, cellsOf(model, A.structure)) : row));
    },
    // The only hospital of an island has as many.
    { firstLoad: 'seen' },
  ),
  ofActivities('a fifth of the structures under the number of another', (rows) => {
    const structures = [...new Map(rows.filter((row) => row[A.structureId]).map((row) => [row[A.structureId], row]))];
    const numbers = [A.siret, A.siret + 1, A.finess, A.finess + 1, A.structureId];
    const others = new Map(
      structures.flatMap(([id], at) => (at % 5 === 1 ? [[id, cellsOf(structures[at - 1]?.[1], numbers)]] : [])),
    );
    return rows.map((row) => withCells(row, numbers, others.get(row[A.structureId]) ?? cellsOf(row, numbers)));
  }),
];
