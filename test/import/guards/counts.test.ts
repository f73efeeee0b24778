// Directory data, section 4: counts of an earlier release are compared as far as they mean the same.

import { expect, it } from '@jest/globals';
import { guardRegisters } from '#import/guards/counts.ts';
import { hasLost } from '#import/guards/decline.ts';
import type { MappedEdition } from '#import/guards/measured-edition.ts';

type Before = Record<string, { lines: number; distinct?: true }>;

/** The registers that are refused of an edition with so many lines of each part of FINESS. */
const refused = (editions: Before, parts: Record<string, number>) => {
  const sources = [{ input: { name: 'x' }, recognised: { kind: 'finess' }, report: { name: 'x', parts, lines: 0 } }];
  const collector = { warnings: () => [] };
  const edition = { sources, collector, incoming: [], before: { editions }, limits: { registers: 0.1 } };
  return guardRegisters(edition as unknown as MappedEdition)
    .filter(({ passed }) => !passed)
    .map(({ register }) => register);
};

it('directory data 4: lines of FINESS, of which a structure may have several, say whether one is missing, and no more', () => {
  const lines = {
    'finess structureej': { lines: 177 },
    'finess structureet': { lines: 372 },
    'finess geolocalisation': { lines: 186 },
  };
  expect(refused(lines, { structureej: 177, structureet: 186 })).toEqual([]);
  expect(refused(lines, { structureej: 177 })).toEqual(['finess structureet']);
  expect(refused({ 'finess structureet': { lines: 372, distinct: true } }, { structureet: 186 })).toEqual([
    'finess structureet',
  ]);
});

// In a small directory one person who goes is a large share, and no damage.
it.each([
  [1, 8, 0.1, false],
  [4, 8, 0.1, false],
  [5, 30, 0.1, true],
  [5, 50, 0.1, false],
  // A register or type that is gone altogether is no small share, however small it was.
  [2, 2, 0.1, true],
  [2, 2, 1, false],
  // A limit of 0 allows none.
  [1, 8, 0, true],
  [0, 0, 0, false],
])('directory data 4: %d of %d lost, limit %d: %s', (count, before, limit, lost) => {
  expect(hasLost(count, before, limit)).toBe(lost);
});
