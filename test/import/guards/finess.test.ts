// Guards on FINESS: names that its JSON feed must have, states, numbers that stand for several structures, and counts of
// structures that do not depend on files and forms.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GUARDS } from '#config/service/guard-table.ts';
import { createCollector } from '#import/collect/collector.ts';
import { guardFusedStructures, guardNeededKeys, guardUnknownState } from '#import/guards/finess.ts';
import type { EditionToJudge } from '#import/guards/measured-edition.ts';
import type { ImportReport } from '#import/judgement/import-report.ts';
import type { KeyNotes, KeyUse } from '#import/registers/finess-json-keys.ts';
import { finessAsJson, finessCells } from '#support/import/finess-as-json.ts';
import { establishment, finessJson, legalEntity, type Names } from '#support/import/finess-json-files.ts';
import {
  type Bench,
  finessEstablishment,
  finessFile,
  finessLegalEntity,
  openBench,
} from '#support/import/register-files.ts';

const NO_KEYS: KeyNotes = { objects: 0, strange: 0, keys: [], unknown: new Map(), respelled: new Map() };

function edition(keys: Partial<KeyNotes>, rest: Partial<EditionToJudge> = {}): EditionToJudge {
  const finessJson = {
    structureej: NO_KEYS,
    structureet: { ...NO_KEYS, ...keys },
    rootNames: new Set(),
    oddStates: new Map(),
    closed: { count: 0, open: 0 },
  };
  return { sources: [{ report: { name: 'x' }, finessJson }], ...rest } as unknown as EditionToJudge;
}

const use = (some: Partial<KeyUse>): KeyUse => {
  return { path: 'nom', needed: true, mapped: true, filled: 100, displaced: 0, misfits: 0, ...some };
};

describe('guard needed-keys', () => {
  const passes = (objects: number, some: Partial<KeyUse>, strange = 0) =>
    guardNeededKeys(edition({ objects, strange, keys: [use(some)] })).every(({ passed }) => passed);

  it.each([
    ['one structure in ten is enough', 100, { filled: 10 }, true],
    ['fewer are not', 100, { filled: 9 }, false],
    ['of 19 structures it says nothing', 19, { filled: 0 }, true],
    ['of 20 it does', 20, { filled: 0 }, false],
    ['a name that is not needed may be missing', 100, { filled: 0, needed: false }, true],
    ['some values of another kind', 2000, { filled: 2000, misfits: 20 }, true],
    ['many of them', 2000, { filled: 2000, misfits: 21, misfit: 'the number 1' }, false],
    ['19 of 100 values of another kind', 100, { misfits: 19 }, true],
    ['20 of them', 100, { misfits: 20 }, false],
  ])('%s', (_, objects, some, passed) => {
    expect(passes(objects, some)).toBe(passed);
  });
});

it.each([
  [21, 40, false],
  [20, 40, true],
  [20, 39, false],
  [19, 19, true],
])('guard unknown-state %d open of %d whose closing date has passed', (open, count, passed) => {
  const one = edition({});
  Object.assign(one.sources[0]?.finessJson?.closed ?? {}, { count, open });
  expect(guardUnknownState(one).map((verdict) => verdict.passed)).toEqual([passed]);
});

describe('guard fused', () => {
  const passes = (fused: number, structures: number) => {
    const collector = createCollector();
    for (let number = 0; number < fused; number++) collector.warn('fused-structures', 'F1');
    const report = { name: 'x', lines: structures, parts: { structureet: structures } };
    const sources = [{ recognised: { kind: 'finess' }, report }] as unknown as EditionToJudge['sources'];
    const limits = { fused: GUARDS.fused.limit.byDefault } as EditionToJudge['limits'];
    return guardFusedStructures(edition({}, { sources, collector, limits })).map(({ passed }) => passed);
  };

  it.each([
    [19, 100, [true]],
    [20, 100, [false]],
    [20, 20_000, [true]],
    [21, 20_000, [false]],
    [0, 0, []],
  ])('%d of %d numbers', (fused, structures, verdicts) => {
    expect(passes(fused, structures)).toEqual(verdicts);
  });
});

let bench: Bench;

/** A bench for each test. */
function eachWithBench(): void {
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());
}

const refusing = ({ guards }: ImportReport) =>
  guards.filter(({ passed, accepted }) => !passed && !accepted).map(({ name, register }) => `${name}:${register}`);
const figures = ({ guards }: ImportReport, guard: string) =>
  guards.find(({ name, passed }) => name === guard && !passed)?.figures;

/** 24 legal entities, each with one establishment. */
const structures = (ege: Names = {}) =>
  Array.from({ length: 24 }, (_, index) =>
    legalEntity({
      informationsGeneralesPMEJ: {
        ...(legalEntity()['informationsGeneralesPMEJ'] as Names),
        numFinessPm: String(690000100 + index),
        siren: String(990000100 + index),
      },
      ege: [
        establishment({
          informationsGeneralesEGE: {
            ...(establishment()['informationsGeneralesEGE'] as Names),
            numFinessEge: String(690000200 + index),
          },
          ...ege,
        }),
      ],
    }),
  );

describe('import: FINESS JSON of another schema', () => {
  const load = (text: string) => bench.run([bench.file('x', text)]);
  beforeAll(async () => {
    bench = await openBench();
    await load(finessJson(structures()));
  });
  afterAll(() => bench.close());
  const renamed = (name: string, to: string) => finessJson(structures()).replaceAll(`"${name}":`, `"${to}":`);

  it.each([
    ['categorieentiteGeographiqueExercice', ['structureet']],
    ['nomEgeLong', ['structureet']],
    ['denominationPm', ['structureej']],
    ['adresse', ['structureej', 'structureet']],
    ['libelleVoie', ['structureej', 'structureet']],
    ['usageAdresse', ['structureej', 'structureet']],
    ['ege', ['structureej']],
  ])('%s under another name is refused by name, and nothing is changed', async (name, parts) => {
    const before = await bench.read('Organization', 'F690000201');
    const report = await load(renamed(name, 'autre'));
    expect(report.outcome).toBe('refused');
    expect(refusing(report)).toEqual(expect.arrayContaining(parts.map((part) => `needed-keys:finess ${part}`)));
    expect(figures(report, 'needed-keys')).toMatch(
      new RegExp(`${name}.* in 0 of 24.*; unknown names: .*autre \\(\\d+ times\\)`),
    );
    expect(before).toBeDefined();
    expect(await bench.read('Organization', 'F690000201')).toEqual(before);
  });

  it('in the second half of the file alone it is refused, too', async () => {
    const text = finessJson([...structures(), ...structures()]);
    const at = text.length / 2;
    const report = await load(text.slice(0, at) + text.slice(at).replaceAll('"nomEgeLong":', '"autre":'));
    expect(figures(report, 'needed-keys')).toMatch(
      /nomEgeLong not in 24 with unknown names; unknown names: .*autre \(24 times\)$/,
    );
  });

  it('numbers for texts have lost their zeros', async () => {
    expect(
      refusing(await load(finessJson(structures()).replaceAll('"codePostal": "69003"', '"codePostal": 1000'))),
    ).toContain('needed-keys:finess structureet');
  });

  it('without legal entities it is refused', async () => {
    expect(refusing(await load(finessJson([])))).toContain('unusable-lines:finess');
    expect(refusing(await load(renamed('pmej', 'autre')))).toContain('unusable-lines:finess');
    await expect(load(`{"donnees":${finessJson(structures())}}`)).rejects.toThrow(
      /x: is JSON, but neither FHIR nor FINESS/,
    );
  });

  it('is loaded when the operator accepts it', async () => {
    const own = await openBench();
    await own.run([own.file('x', finessJson(structures()))]);
    const report = await own.run([own.file('x', renamed('nomEgeLong', 'autre'))], {
      accept: [{ name: 'needed-keys', register: 'finess structureet' }, { name: 'partial' }, { name: 'fill-rates' }],
    });
    await own.close();
    expect(report.outcome).toBe('imported');
  });
});

describe('import: states of FINESS JSON', () => {
  eachWithBench();
  const load = (text: string) => bench.run([bench.file('x', text)]);

  it('an unknown one is refused by name, and so is a structure without a state', async () => {
    await load(finessJson(structures()));
    const odd = structures();
    odd[3] = legalEntity({ ege: [establishment({ etatObjet: 'S' }), establishment({ etatObjet: null })] });
    const report = await load(finessJson(odd));
    expect(refusing(report)).toContain('unknown-state:finess');
    expect(figures(report, 'unknown-state')).toBe(
      `${bench.folder}/x: 1 structures of the state "S", first in legal entity 4, FINESS 690000013; ` +
        '1 structures without a state, first in legal entity 4, FINESS 690000013',
    );
  });

  it.each([
    ['2026-11-19', ['unknown-state:finess']],
    ['2026-11-20', []],
  ])('structures that were closed on %s are not all open in the file of 2026-11-20', async (day, reasons) => {
    const report = await load(finessJson(structures()).replaceAll('2030-01-01', day));
    expect(refusing(report).filter((reason) => !reason.startsWith('partial'))).toEqual(reasons);
  });

  it('a renamed state revives nobody', async () => {
    const closed = finessJson(structures({ etatObjet: 'I' }));
    const report = await load(closed.replaceAll('etatObjet', 'etat'));
    expect(refusing(report)).toContain('unknown-state:finess');
    expect(report.resources.Organization).toBe(0);
  });
});

describe('import: FINESS counted by structures', () => {
  eachWithBench();
  const lines = {
    entities: Array.from({ length: 30 }, (_, index) =>
      finessLegalEntity({ 1: String(690000100 + index), 3: 'GROUPE' }),
    ),
    sites: Array.from({ length: 30 }, (_, index) =>
      finessEstablishment({
        1: String(690000200 + index),
        2: String(690000100 + index),
        4: 'CLINIQUE',
        15: '69003 LYON',
      }),
    ),
    places: Array.from({ length: 30 }, (_, index) => `geolocalisation;${690000200 + index};1;2;x;2026-10-08`),
  };
  const file = (name: string, ...all: string[][]) => bench.file(name, finessFile(...all.flat()));
  const registers = ({ guards }: ImportReport) =>
    guards
      .filter(({ name }) => name === 'registers')
      .map(({ register, figures }) => `${register}: ${figures.replace(/^.*?: | \(.*$/g, '')}`)
      .sort();
  const SAME = ['structureej', 'structureet'].map((part) => `finess ${part}: 30 lines before, 30 now`);

  it('file with coordinates and without, the same twice, one form and the other: the guard sees the same number', async () => {
    const all = file('502', lines.entities, lines.sites);
    const json = finessAsJson(
      finessCells(lines.entities.join('\n'), 'structureej'),
      finessCells(lines.sites.join('\n'), 'structureet'),
    );
    // Under their published names, and one of them twice: neither is misnamed, nor repeated.
    const etalab = (number: number) => `etalab-cs1100${number}-stock-20261008-0830.csv`;
    const of501 = file(etalab(501), lines.entities);
    const report = await bench.run([
      of501,
      file(etalab(502), lines.sites),
      file(etalab(507), lines.sites, lines.places),
      file('copy', lines.sites),
    ]);
    expect(refusing(report).filter((reason) => !reason.startsWith('partial'))).toEqual([]);
    expect(registers(await bench.run([all]))).toEqual(SAME);
    expect(registers(await bench.run([file('507', lines.entities, lines.sites, lines.places)]))).toEqual(SAME);
    expect(
      registers(await bench.run([file('a', lines.entities, lines.sites), file('b', lines.sites, lines.entities)])),
    ).toEqual(SAME);
    expect(registers(await bench.run([bench.file('json', json)]))).toEqual(SAME);
    expect(registers(await bench.run([all]))).toEqual(SAME);
  });
});
