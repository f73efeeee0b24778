// What is counted of one structure and of one line of activities, to the last case.

import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { createActivityComparison, createPersonComparison } from '#import/consistency/activities.ts';
import { createStructureComparison } from '#import/consistency/structures.ts';
import type { StructureFacts } from '#import/mapping/structure-facts.ts';
import { A } from '#import/registers/person-columns.ts';
import { type Cells, lineOf, placeOf, talliesOf } from '#support/import/lines.ts';
import { facts } from '#support/import/structure-facts.ts';

describe('directory data 4: cases of a structure', () => {
  const at = (postalCode: string, city = '') => ({ address: { element: {}, parts: { postalCode, city } } });
  const BOTH = ['structureet', 'structureej'];
  function compared(all: StructureFacts[], { finess = BOTH, id = 'F690000013', hasMailbox = false } = {}) {
    const collector = createCollector();
    const places = all.map((_, line) => ({ file: 0, line: line + 1 }));
    createStructureComparison(new Set(finess), collector)(id, all, places, hasMailbox);
    return collector;
  }
  const cases = (...given: Parameters<typeof compared>) => {
    const { fusedInActivities: _fused, ...rest } = talliesOf(compared(...given));
    return rest;
  };
  const own = facts('activities', { finess: '690000013' });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['a number of its own', cases([own], { finess: [] }), { numbers: [0, 1] }],
    [
      'the number of another one',
      cases([facts('activities', { finess: '690000099' }), facts('activities')], { finess: [] }),
      { numbers: [1, 1, 'F690000013: 690000099'] },
    ],
    ['no number in its id', cases([own], { id: 'R1', finess: [] }), {}],
    ['missing in FINESS', cases([own], { id: 'R1' }), { establishments: [1, 1, 'R1'] }],
    ['there', cases([own, facts('establishment')], { id: 'R1' }), { establishments: [0, 1] }],
    ['a legal entity', cases([own, facts('legal-entity')], { id: 'R1' }), { establishments: [0, 1] }],
    ['not looked for', cases([own], { id: 'R1', finess: ['structureej'] }), {}],
    ['referred to, and missing', cases([facts('reference')]), { legalEntities: [1, 1, 'F690000013'] }],
    ['referred to, and there', cases([facts('reference'), facts('legal-entity')]), { legalEntities: [0, 1] }],
    ['referred to, not looked for', cases([facts('reference')], { finess: ['structureet'] }), {}],
    ['known from its mailbox alone', cases([], { hasMailbox: true }), { mailStructures: [1, 1, 'F690000013'] }],
    ['with a mailbox', cases([facts('legal-entity')], { hasMailbox: true }), { mailStructures: [0, 1] }],
    [
      'in another department',
      cases([facts('activities', at('69003')), facts('establishment', at('13001'))]),
      { places: [1, 1, 'F690000013: 69, in FINESS 13'], blankAddresses: [0, 1] },
    ],
    [
      'in one of its departments',
      cases([facts('activities', at('69003')), facts('activities', at('13002')), facts('establishment', at('13001'))]),
      { places: [0, 1], blankAddresses: [0, 1] },
    ],
    [
      'without an address in a line',
      cases([facts('activities'), facts('establishment', at('13001'))]),
      { blankAddresses: [1, 1, 'F690000013'] },
    ],
    [
      'of another legal entity',
      cases([facts('activities', { partOf: 'F1' }), facts('establishment', { partOf: 'F2' })]),
      { belonging: [1, 1, 'F690000013: F1, in FINESS F2'] },
    ],
    [
      'of its legal entity',
      cases([
        facts('activities', { partOf: 'F1' }),
        facts('activities', { partOf: 'F2' }),
        facts('establishment', { partOf: 'F2' }),
      ]),
      { belonging: [0, 1] },
    ],
    ['of none', cases([facts('activities', { partOf: 'F1' }), facts('establishment')]), {}],
  ])('%s', (_what, found, expected) => expect(found).toEqual(expected));

  it('its value is held against the first eight wordings', () => {
    const odd = (names: string[], more: object = {}) => {
      const wordings = names.map((name) => facts('activities', { name }));
      return compared([...wordings, facts('establishment', { name: 'CLINIQUE', ...more })], { id: 'F1' })
        .pairs.all()
        .map(({ key, checked, odd: odds, examples }) => [
          ...[key, odds, checked],
          ...examples.values().map(({ text }) => text),
        ]);
    };
    const others = Array.from({ length: 7 }, (_, number) => `CABINET ${number}`);
    expect(odd([...others, 'LA CLINIQUE'])).toEqual([['structureNames', 0, 1]]);
    expect(odd([...others, 'CABINET', 'LA CLINIQUE'])).toEqual([
      ['structureNames', 1, 1, 'F1: "CLINIQUE" beside "CABINET 0"'],
    ]);
    // Words of three letters are in many names.
    expect(odd(['DES ROSES'], { name: 'DES LYS' })[0]?.slice(0, 3)).toEqual(['structureNames', 1, 1]);
  });

  it('towns are alike in their first twelve letters, saints and districts aside', () => {
    const agree = (a: string, b: string) => {
      const { pairs } = compared([facts('activities', at('1', a)), facts('establishment', at('1', b))]);
      return pairs.all().find(({ key }) => key === 'structureTowns')?.odd === 0;
    };
    expect([
      ...[agree('St-Étienne', 'SAINT ETIENNE'), agree('Sainte Foy', 'STE-FOY'), agree('Lyon 3e', 'LYON')],
      ...[agree('CHATEAUNEUF SUR LOIRE', 'CHATEAUNEUF SUR X'), agree('CHATEAUNEUF', 'CHATEAUNEUX')],
      ...[agree('STAINS', 'SAINS'), agree('Lyon', 'Lille'), agree('St-Denis', 'DENIS')],
    ]).toEqual([true, true, true, true, false, false, false, false]);
  });

  it('two structures of one id are listed up to 200, and then counted', () => {
    const collector = createCollector();
    const compare = createStructureComparison(new Set(), collector);
    const lilas = facts('activities', { name: 'CLINIQUE DES LILAS', ...at('69003') });
    const port = facts('activities', { name: 'EHPAD DU PORT', ...at('13001') });
    for (let number = 0; number < 202; number++) compare(`R${number}`, [lilas, port], [], false);
    compare('R', [lilas, { ...port, ...at('') } as StructureFacts], [], false);
    compare('R', [lilas, facts('activities', { name: 'DU PORT'.slice(0, 2), ...at('13001') })], [], false);
    expect(collector.doubtful()).toHaveLength(200);
    const both = '"CLINIQUE DES LILAS" in 69003 and "EHPAD DU PORT" in 13001';
    expect(collector.consistency.all.fusedInActivities).toMatchObject({
      checked: 204,
      odd: 202,
      examples: expect.arrayContaining([`R0: ${both}`]),
    });
    expect(collector.warnings()).toMatchObject([{ kind: 'fused-in-activities', count: 202 }]);
  });
});

describe('directory data 4: values of one line', () => {
  const pairsOf = (lines: readonly Cells[]) => {
    const collector = createCollector();
    const compare = createActivityComparison(collector);
    for (const [index, cells] of lines.entries()) compare(lineOf(A, cells), placeOf('pa.txt', index + 2));
    return Object.fromEntries(collector.pairs.all().map(({ key, checked, odd }) => [key, [odd, checked]]));
  };

  it.each([
    ['69383', '69003', 0],
    ['69383', '13001', 1],
    ['69383', '79003', 1],
    ['69383', '60003', 1],
    ['2A004', '20000', 0],
    ['2B033', '20200', 0],
    ['2C033', '20200', 1],
    ['2A004', '21000', 1],
    ['29004', '20000', 1],
  ])('the commune %s beside %s: %d odd', (commune, postalCode, odd) => {
    expect(pairsOf([{ commune, postalCode }])).toEqual({ postcodeCommunes: [odd, 1] });
  });

  it('labels of genres and sectors, telephones and their departments', () => {
    const line = (cells: Cells) => ({ genre: 'G', genreLabel: 'Soin', sector: 'S', sectorLabel: 'Cabinet', ...cells });
    expect(pairsOf([line({}), line({}), line({ genreLabel: 'x' }), line({ sectorLabel: 'x' })])).toEqual({
      genreLabels: [1, 3],
      sectorLabels: [1, 3],
    });
    const phone = (postalCode: string) => ({ postalCode, city: 'LYON', phone: '+33478000001' });
    expect(pairsOf([phone('69003'), phone('69009'), phone('13001')])).toEqual({
      phoneDepartments: [1, 2],
      townDepartments: [1, 2],
    });
  });

  it.each([
    ['01', [0, 5]],
    ['05', [0, 5]],
    ['00', [0, 0]],
    ['06', [0, 0]],
    ['31', [0, 0]],
  ])('telephones of %s: %j of a zone', (start, found) => {
    const lines = Array.from({ length: 10 }, (_, at) => ({ postalCode: '75001', phone: `${start}4000000${at}` }));
    expect(pairsOf(lines)['phoneZones'] ?? [0, 0]).toEqual(found);
  });

  it('the civility belongs to the first given name', () => {
    const collector = createCollector();
    const compare = createPersonComparison(collector);
    const names = ['Anna Lou', 'ANNA-MARIA', 'Anna', 'Lou', 'Maria'];
    for (const [at, given] of names.entries()) {
      const line = placeOf('pa.txt', at + 2);
      compare(lineOf(A, { given, civility: given === 'Anna' ? 'M' : 'MME' }), line, [], []);
    }
    expect(collector.pairs.all()).toMatchObject([{ key: 'civilityNames', checked: 2, odd: 1 }]);
  });
});
