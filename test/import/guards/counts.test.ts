// Directory data, section 4: what an earlier release counted is compared as far as it says the same.

import { expect, it } from '@jest/globals';
import { guardRegisters } from '#import/guards/counts.ts';
import type { MappedEdition } from '#import/guards/measured-edition.ts';

type Before = Record<string, { lines: number; distinct?: true }>;

/** What is refused of an edition with so many lines of each part of FINESS. */
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
