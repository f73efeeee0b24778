// What guards on FINESS and on growth say, word for word.

import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { guardGrowth } from '#import/guards/counts.ts';
import { guardFusedStructures, guardNeededKeys, guardUnknownState } from '#import/guards/finess.ts';
import { unitOf } from '#import/guards/measured-edition.ts';
import { judgedEdition, told } from '#support/import/judged-edition.ts';

const REMEDY = 'Take the file as published; if its schema has changed, Hygie needs an update';
const NO_KEYS = { objects: 0, strange: 0, keys: [], unknown: new Map(), respelled: new Map() };
const source = (notes: object) => ({
  report: { name: 'f.json' },
  finessJson: {
    structureej: NO_KEYS,
    structureet: NO_KEYS,
    rootNames: new Set(),
    oddStates: new Map(),
    closed: { count: 0, open: 0 },
    ...notes,
  },
});

describe('directory data 4: what guards on FINESS say', () => {
  it('names that are needed: each fault, and unknown names that may stand in their place', () => {
    const use = (path: string, more: object) => ({
      path,
      needed: true,
      mapped: true,
      filled: 100,
      displaced: 0,
      misfits: 0,
      ...more,
    });
    const keys = [
      use('a', { misfits: 25, misfit: 'the number 7 (legal entity 1)' }),
      use('b', { filled: 9 }),
      use('c', { displaced: 27 }),
      use('d', { displaced: 26 }),
      use('e', { needed: false, filled: 0, misfits: 100 }),
    ];
    const unknown = new Map(['u', 'v', 'w', 'x', 'y', 'z'].map((path, count) => [path, { path, count, first: '' }]));
    const structureej = { ...NO_KEYS, objects: 100, strange: 30, keys, unknown };
    expect(
      told(guardNeededKeys(judgedEdition({ sources: [source({ structureej }), { report: { name: 'x' } }] }))),
    ).toEqual([
      `refused: needed-keys (finess structureej): f.json: a is the number 7 (legal entity 1), 25 times; b in 9 of 100; c not in 27 with unknown names; unknown names: u (0 times), v (1 times), w (2 times), x (3 times), y (4 times). ${REMEDY}`,
      'passed: needed-keys (finess structureet): f.json: all needed names are there',
    ]);
    const alone = { ...structureej, unknown: new Map(), keys: keys.slice(1, 2) };
    expect(guardNeededKeys(judgedEdition({ sources: [source({ structureej: alone })] }))[0]?.figures).toBe(
      'f.json: b in 9 of 100',
    );
  });

  it('states: the last five faults', () => {
    const said = (notes: object) => guardUnknownState(judgedEdition({ sources: [source(notes)] }))[0];
    expect(told(said({}))).toEqual([
      'passed: unknown-state (finess): f.json: every structure is open (A) or closed (I)',
    ]);
    const states = ['S', '', 'T', 'U', 'V'].map((code, count) => [code, { count, first: `legal entity ${count}` }]);
    expect(told(said({ oddStates: new Map(states as never), closed: { count: 39, open: 20 } }))).toEqual([
      `refused: unknown-state (finess): f.json: 1 structures without a state, first in legal entity 1; 2 structures of the state "T", first in legal entity 2; 3 structures of the state "U", first in legal entity 3; 4 structures of the state "V", first in legal entity 4; 20 of 39 structures with a closing date in the past (dateFermeture) are open. ${REMEDY}`,
    ]);
  });

  it('numbers of several structures', () => {
    const sources = [
      { recognised: { kind: 'finess' }, report: { name: 'f', lines: 9, parts: { structureej: 40, structureet: 60 } } },
    ];
    const said = (count: number) => {
      const collector = createCollector();
      for (let number = 1; number <= count; number++) collector.warn('fused-structures', `F${number}`);
      return guardFusedStructures(judgedEdition({ sources, collector }));
    };
    expect(told(said(20))).toEqual([
      'refused: fused (finess): 20 of 100 numbers stand for several structures (20.0 %, limit 0.10 %), such as F1. Take the file as published',
    ]);
    expect(told(said(0))).toEqual([
      'passed: fused (finess): 0 of 100 numbers stand for several structures (0.00 %, limit 0.10 %)',
    ]);
  });

  it('a tally counts lines, unless its file has another unit', () => {
    const sources = [{ report: { name: 'a' } }, { report: { name: 'b', unit: 'legal entity' } }] as never;
    expect(['a', 'b', 'c'].map((file) => unitOf(sources, { file }))).toEqual(['line', 'legal entity', 'line']);
  });
});

describe('directory data 4: what the guard on growth says', () => {
  const DOUBLED = 'Does the edition hold people or lines twice? Take the files as published';
  const STATISTICS = { columns: {}, values: {}, departments: {} };
  const counts = (Practitioner: number) => ({ Practitioner, Organization: 100, PractitionerRole: 100 });

  it('types and registers, but for FINESS in its other form and FHIR', () => {
    const columns = (name: string) => ({ ...STATISTICS, columns: { 'finess structureet': { [name]: 1 } } });
    const editions = Object.fromEntries(
      ['skills', 'finess structureet', 'fhir Practitioner'].map((name) => [name, { lines: 1000 }]),
    );
    const sources = [
      { recognised: { kind: 'skills' }, report: { lines: 1300 } },
      { recognised: { kind: 'finess' }, report: { lines: 2000, parts: { structureet: 2000 } } },
      { recognised: { kind: 'fhir' }, report: { lines: 2000, parts: { Practitioner: 2000 } } },
    ];
    const judged = (name: string) =>
      guardGrowth(
        judgedEdition({
          sources,
          counts: counts(1000),
          statistics: columns(name),
          before: { id: 's', editions, counts: counts(800), statistics: columns('nofinesset') },
        }),
      );
    const other = judged('informationsGeneralesEGE.numFinessEge');
    expect(told(other)).toEqual([
      `refused: growth (Practitioner): 800 before, 1000 now (25.0 % more, limit 10.0 %). ${DOUBLED}`,
      ...['Organization', 'PractitionerRole'].map(
        (register) => `passed: growth (${register}): 100 before, 100 now (0.00 % more, limit 10.0 %)`,
      ),
      `refused: growth (skills): 1000 before, 1300 now (30.0 % more, limit 10.0 %). ${DOUBLED}`,
    ]);
  });

  it('departments, and lines of each person', () => {
    const departments = (people: number) => ({ '01': { Practitioner: people }, 75: { Practitioner: 5000 } });
    const measured = () => ({ people: 100, lines: 250 });
    const collector = { ...createCollector(), populations: { measured } };
    const judged = (linesPerPerson: number, earlier?: number) =>
      guardGrowth(
        judgedEdition({
          collector,
          statistics: { ...STATISTICS, departments: departments(200), linesPerPerson },
          ...(earlier !== undefined && {
            before: {
              id: 's',
              editions: {},
              counts: counts(0),
              statistics: { ...STATISTICS, departments: departments(100), linesPerPerson: earlier },
            },
          }),
        }),
      );
    expect(told(judged(2.5))).toEqual([
      'passed: growth (activities): 250 lines of 100 people (2.50 for each; limit 2.50)',
    ]);
    expect(told(judged(1.3, 1).slice(3))).toEqual([
      `refused: growth (Practitioner): departments 01 (100 before, 200 now) have gained more than the whole country. ${DOUBLED}`,
      `refused: growth (activities): 250 lines of 100 people (1.30 for each, 1.00 before; limit 1.20). ${DOUBLED}`,
    ]);
  });
});
