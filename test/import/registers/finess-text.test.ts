// Directory import: FINESS text files whose layout changes: they have no header that could say so.

import { expect, it } from '@jest/globals';
import { benchForEach } from '#support/import/bench.ts';
import { type Cells, finessEstablishment, finessFile } from '#support/import/register-files.ts';

const bench = benchForEach();

const lines = (count: number, cells: Cells = {}) =>
  Array.from({ length: count }, (_, index) =>
    finessEstablishment({ 1: String(690000100 + index), 4: 'CLINIQUE', ...cells }),
  );
const load = (...all: string[]) => bench.run([bench.file('x', finessFile(...all))]);
const left = (report: Awaited<ReturnType<typeof load>>) => report.linesLeftOut.examples.map(({ reason }) => reason);

it('a cell more at the end of every line is refused, and says how many there are', async () => {
  const report = await load(...lines(3).map((line) => `${line};X`));
  expect(report.guards.find(({ name }) => name === 'unusable-lines')).toMatchObject({
    passed: false,
    figures: expect.stringContaining('line 2: 33 cells instead of 32: another layout, or a ";" within a text'),
  });
});

it('an empty one is no matter', async () => {
  expect(left(await load(...lines(3).map((line) => `${line};`)))).toEqual([]);
});

it.each([
  [1, 'imported'],
  [2, 'refused'],
])('%d of 100 lines of a new kind: %s', async (odd, outcome) => {
  const report = await load(
    ...lines(100 - odd),
    ...lines(odd).map((line) => line.replace('structureet', 'structurexy')),
  );
  expect(new Set(left(report))).toEqual(new Set(['a line of unknown kind "structurexy"']));
  expect(report.outcome).toBe(outcome);
});

it('a category without its label keeps its code', async () => {
  await load(...lines(1, { 18: '355' }));
  const { type } = (await bench.read('Organization', 'F690000100')) ?? {};
  expect(type).toEqual([{ coding: [{ system: expect.stringContaining('TRE_R66'), code: '355' }] }]);
});
