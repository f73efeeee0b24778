// Directory data, section 4: what FINESS, the activities and the lines of one register say about one thing is held against each other.

import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import type { PairTally } from '#import/collect/pairs.ts';
import { createActivityComparison, createPersonComparison } from '#import/consistency/activities.ts';
import { createPeopleComparison, peopleIn } from '#import/consistency/people.ts';
import { createStructureComparison } from '#import/consistency/structures.ts';
import { createConcepts } from '#import/mapping/codeable-concepts.ts';
import { factsOfActivity, factsOfFiness } from '#import/mapping/structure-facts.ts';
import { finessRow } from '#import/registers/finess-row.ts';
import { A, D, M, S } from '#import/registers/person-columns.ts';
import { lineOf, placeOf } from '#support/import/lines.ts';

const context = { namespace: 'https://hygie.example', concepts: createConcepts(), warn: () => undefined };
const FINESS = new Set(['structureet']);

const ofActivities = (cells: Readonly<Record<string, string>>) => factsOfActivity(lineOf(A, cells), context);
const ofFiness = (cells: Readonly<Record<string, string>>) =>
  factsOfFiness(finessRow(new Map(Object.entries({ line: 'structureet', ...cells }))), context);

const HERE = { name: 'CLINIQUE DES LILAS', phone: '0478000001', postalCode: '69003', city: 'Lyon 3e Arrondissement' };

describe('directory data 4: a structure in FINESS and in the activities', () => {
  const counted = (
    ...structures: (readonly [finess: Readonly<Record<string, string>>, ...ReturnType<typeof ofActivities>[]])[]
  ) => {
    const collector = createCollector();
    const compare = createStructureComparison(FINESS, collector);
    for (const [at, [finess, ...activities]] of structures.entries()) {
      const facts = [...activities, ofFiness(finess)];
      const origins = facts.map((_, index) => ({ file: index < activities.length ? 1 : 2, line: at + 40 }));
      compare(`F69000000${at}`, facts, origins, false);
    }
    return collector;
  };
  const figures = (collector: ReturnType<typeof createCollector>) =>
    Object.fromEntries(
      collector.pairs
        .all()
        .map(({ key, file, checked, odd, mixedChecked, mixedOdd }: PairTally) => [
          key,
          { file, checked, odd, mixedChecked, mixedOdd },
        ]),
    );

  it('agrees in phone, a word of the name and the town, however they are written', () => {
    const same = { name: 'CL LILAS', phone: '04 78 00 00 01', routing: '69003 LYON CEDEX 03' };
    const saint = { name: 'PORT', phone: '0477000003', routing: '42000 SAINT ETIENNE' };
    const collector = counted(
      [same, ofActivities(HERE)],
      [saint, ofActivities({ name: 'EHPAD DU PORT', phone: '0477000003', postalCode: '42000', city: 'St-Étienne' })],
    );
    const fitting = { file: 2, checked: 2, odd: 0, mixedChecked: 1, mixedOdd: 1 };
    expect(figures(collector)).toEqual({ structurePhones: fitting, structureNames: fitting, structureTowns: fitting });
  });

  it('has an address in all its lines', () => {
    const known = { ...HERE, routing: '69003 LYON' };
    const collector = counted(
      [known, ofActivities(HERE)],
      [known, ofActivities(HERE), ofActivities({ name: 'CLINIQUE DES LILAS' })],
      [{ name: 'CLINIQUE' }, ofActivities({ name: 'CLINIQUE' })],
    );
    expect(collector.consistency.all.blankAddresses).toMatchObject({ checked: 2, odd: 1, examples: ['F690000001'] });
  });
});

describe('directory data 4: values of one line', () => {
  const LINES = [
    {
      role: 'FON-01',
      roleLabel: 'Titulaire',
      sector: 'SA07',
      sectorLabel: 'Cabinet',
      genre: 'GENR01',
      genreLabel: 'Soins',
    },
    {
      role: 'FON-02',
      roleLabel: 'Salarié',
      sector: 'SA01',
      sectorLabel: 'Hôpital',
      genre: 'GENR02',
      genreLabel: 'Conseil',
    },
  ] as const;
  const PLACES = [
    { postalCode: '69003', commune: '69383', city: 'Lyon 3e', phone: '0478000001' },
    { postalCode: '20090', commune: '2A004', city: 'Ajaccio', phone: '0495000001' },
  ] as const;
  const lines = (count: number, change: (cells: Record<string, string>, number: number) => void = () => {}) => {
    const collector = createCollector();
    const compare = createActivityComparison(collector);
    for (let number = 0; number < count; number++) {
      const [ofLine, ofPlace] = [number % 5 < 2 ? 1 : 0, number % 3 < 1 ? 1 : 0] as const;
      const cells = { ...LINES[ofLine], ...PLACES[ofPlace], mode: ofLine ? 'S' : 'L' };
      change(cells, number);
      compare(lineOf(A, cells), placeOf('pa.txt', number + 2, 1));
    }
    return new Map(collector.pairs.all().map((tally) => [tally.key, tally]));
  };

  it('communes and towns, codes and labels, roles and modes fit, those of Corsica too', () => {
    const tallies = lines(400);
    expect([...tallies.keys()].sort()).toEqual(
      [
        ...[
          'communeTowns',
          'genreLabels',
          'phoneDepartments',
          'phoneZones',
          'postcodeCommunes',
          'roleLabels',
          'roleModes',
        ],
        ...['sectorLabels', 'townDepartments'],
      ].sort(),
    );
    for (const { odd } of tallies.values()) expect(odd).toBe(0);
    for (const key of ['communeTowns', 'postcodeCommunes', 'roleModes'] as const)
      expect((tallies.get(key)?.mixedOdd ?? 0) > 0).toBe(true);
  });

  it('beyond the first 32,768 lines, every fourth or sixteenth window of lines is compared', () => {
    const collector = createCollector();
    const compare = createActivityComparison(collector);
    const cells = lineOf(A, { ...LINES[0], ...PLACES[0] });
    for (let line = 32_768; line < 32_768 + 512; line++) compare(cells, placeOf('pa.txt', line, 1));
    const checked = Object.fromEntries(collector.pairs.all().map((tally) => [tally.key, tally.checked]));
    expect(checked).toMatchObject({ postcodeCommunes: 128, communeTowns: 127, townDepartments: 31, roleLabels: 31 });
  });

  it('civility, title and diplomas of the next person are odd', () => {
    const collector = createCollector();
    const compare = createPersonComparison(collector);
    for (let number = 0; number < 500; number++) {
      const [isNurse, isOdd] = [number % 2 === 1, number >= 400];
      const first = lineOf(A, {
        given: isNurse ? 'Anna-Lou' : 'Jean Paul',
        civility: isNurse === isOdd ? 'M' : 'MME',
        profession: isNurse ? '60' : '10',
        title: isNurse === isOdd ? 'DR' : '',
      });
      const diploma = lineOf(D, isNurse === isOdd ? { diploma: 'DE09' } : { field: 'INF' });
      const line = placeOf('pa.txt', number + 2, 1);
      compare(first, line, [diploma], [line]);
    }
    const odd = Object.fromEntries(collector.pairs.all().map((tally) => [tally.key, tally.odd]));
    expect(odd).toEqual({ civilityNames: 100, professionTitles: 100, diplomaProfessions: 100 });
  });
});

describe('directory data 4: people of one id, and people that the activities lack', () => {
  it('8,000 lines of two people are told apart', () => {
    const lines = Array.from({ length: 8000 }, (_, number) =>
      lineOf(A, {
        family: number % 2 ? 'MARTIN' : 'DUPONT',
        given: number % 2 ? 'Jean' : 'Zoé',
        name: `CABINET ${number}`,
      }),
    );
    expect(peopleIn(lines).map((rows) => rows.length)).toEqual([4000, 4000]);
  });

  it('are counted by their profession, as other registers give it', () => {
    const collector = createCollector();
    const comparison = createPeopleComparison(new Set(['diplomas', 'skills', 'mailboxes']), collector);
    const known = { nationalId: '1', activities: [lineOf(A, { profession: '10' })], diplomas: [], mailboxes: [] };
    comparison.compare({ ...known, skills: [lineOf(S, { profession: '10' })] }, () => undefined);
    const unknown = { nationalId: '2', diplomas: [lineOf(D, {})], skills: [lineOf(S, { profession: '50' })] };
    comparison.countUnknown({ ...unknown, mailboxes: [lineOf(M, { profession: '50' })] });
    const { unknownInDiplomas, unknownInSkills, unknownInMailboxes } = collector.consistency.all;
    expect(unknownInDiplomas).toMatchObject({ checked: 1, odd: 1, groups: {} });
    expect(unknownInSkills.groups).toEqual({
      'profession 10': { checked: 1, odd: 0 },
      'profession 50': { checked: 1, odd: 1 },
    });
    expect(unknownInMailboxes.groups).toEqual({ 'profession 50': { checked: 1, odd: 1 } });
  });
});
