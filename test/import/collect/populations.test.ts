// The counts of an edition's people: whole figures of a few people, in one thread and in two, and the limits of what is listed.

import { describe, expect, it } from '@jest/globals';
import { createPopulations } from '#import/collect/population-figures.ts';
import { A } from '#import/registers/person-columns.ts';
import { lineOf } from '#support/import/lines.ts';

type Cells = Partial<Record<keyof typeof A, string>>;

const DOCTOR = { profession: '10', professionLabel: 'Médecin' };
const DENTIST = { profession: '40', professionLabel: 'Dentiste' };
const NURSE = { profession: '60', professionLabel: 'Infirmier' };
const jeanne = { ...DOCTOR, family: 'MARTIN', given: 'Jeanne', skill: 'SM26', postalCode: '69003' };
const paul = { ...DOCTOR, family: 'ROY', given: 'Paul' };
const twin = { ...DENTIST, family: 'PETIT', given: 'Anne', postalCode: '97400' };

/** People by their identifiers, with the structure and lines of each. */
const PEOPLE: readonly (readonly [id: string, structure: string | undefined, ...lines: Cells[]])[] = [
  ['810000000001', 'R1', jeanne],
  ['810000000002', 'R1', jeanne],
  [
    '810000000003',
    'R2',
    { ...DOCTOR, family: 'PETIT', given: 'Anne', skill: 'SM26', postalCode: '20137' },
    { ...DOCTOR, skill: 'SM54', postalCode: '20200' },
    { ...DOCTOR, skill: 'SM54', postalCode: '20200' },
  ],
  ['810000000004', undefined, { ...paul, postalCode: '75001' }, NURSE],
  ['810000000005', undefined, { ...paul, postalCode: 'GL' }],
  ['810000000006', 'R3', { ...DENTIST, postalCode: '01000' }],
  ['810000000007', undefined, { ...DENTIST, family: 'TEST', given: 'Test', postalCode: '00100' }],
  ['810000000008', 'R1', { profession: 'Médecin', skill: 'SM26' }],
  ['02A12345B', 'R4', twin],
  ['3012345678/02', 'R4', twin],
  ['12345678901234', 'R4', twin],
  ['810000000009', 'R5', twin],
  ['810000000010', 'R4', { ...twin, given: '' }],
];

const NO_ELEMENTS = {
  'Practitioner.identifier': 0,
  'Practitioner.active': 0,
  'Practitioner.name': 0,
  'Practitioner.telecom': 0,
  'Practitioner.address': 0,
  'Practitioner.qualification': 0,
  'Organization.identifier': 0,
  'Organization.active': 0,
  'Organization.type': 0,
  'Organization.name': 0,
  'Organization.alias': 0,
  'Organization.telecom': 0,
  'Organization.address': 0,
  'Organization.partOf': 0,
  'PractitionerRole.active': 0,
  'PractitionerRole.practitioner': 0,
  'PractitionerRole.organization': 0,
  'PractitionerRole.code': 0,
  'PractitionerRole.specialty': 0,
};
const FIGURES = {
  people: 13,
  lines: 16,
  largest: { id: 'R4', people: 4 },
  elements: { ...NO_ELEMENTS, 'Practitioner.name': 2, 'Practitioner.telecom': 1, 'PractitionerRole.code': 1 },
  professions: {
    'profession 10': 5,
    'profession 40': 7,
    'profession 60': 1,
    'speciality 10/SM26': 3,
    'speciality 10/SM54': 1,
    'diploma 10/DE28': 2,
    'diploma 60/DE28': 1,
  },
  matrix: {
    10: { 69: 2, '2A': 1, '2B': 1, 75: 1, abroad: 1 },
    40: { '01': 1, abroad: 1, 974: 5 },
    60: { unknown: 1 },
  },
  labels: { 10: 'Médecin', 40: 'Dentiste', 60: 'Infirmier' },
  withoutPlace: {
    byProfession: { 10: 2, 40: 1, 60: 1 },
    examples: ['810000000004', '810000000005', '810000000007'],
    namesakes: 2,
  },
  duplicates: {
    people: 5,
    groups: [{ ids: ['02A12345B', '12345678901234', '3012345678/02'] }, { ids: ['810000000001', '810000000002'] }],
  },
  addresses: 15,
  shared: [
    { address: 'Secretariat@x.example', people: 5 },
    { address: 'poste@x.example', people: 4 },
  ],
  tests: [{ id: '810000000007', name: 'TEST Test' }],
};

/** The addresses of people, one by one. Two of the first one differ by case only. */
const MAILBOXES: readonly (readonly string[])[] = [
  ['Secretariat@x.example', 'secretariat@X.example'],
  ...Array.from({ length: 4 }, () => ['Secretariat@x.example']),
  ...Array.from({ length: 4 }, () => ['poste@x.example']),
  ...Array.from({ length: 3 }, () => ['trois@x.example']),
  ['a@x.example', 'b@x.example', 'a@x.example'],
].slice(0, 13);

function counted(threads: number): ReturnType<typeof createPopulations> {
  const all = Array.from({ length: threads }, createPopulations);
  const of = (index: number) => all[index % threads] as (typeof all)[number];
  for (const [index, [id, structure, ...lines]] of PEOPLE.entries()) {
    for (const address of MAILBOXES[index] ?? []) of(index).mailbox(address);
    of(index).person(
      id,
      lines.map((cells) => lineOf(A, cells)),
      structure,
      A,
    );
  }
  for (const [index, [profession, code]] of [
    ['10', 'DE28'],
    ['10', 'DE28'],
    ['60', 'DE28'],
    ['10', 'Docteur'],
    ['Médecin', 'DE28'],
  ].entries())
    of(index).diploma(profession ?? '', code ?? '');
  const element = (type: string, ...names: string[]) =>
    of(names.length).element({ type, resource: Object.fromEntries(names.map((name) => [name, 'x'])) } as never);
  element('Practitioner', 'name', 'telecom');
  element('Practitioner', 'name');
  element('PractitionerRole', 'code', 'other');
  const [first, ...others] = all;
  for (const other of others) first?.add(structuredClone(other.notes()));
  return first as (typeof all)[number];
}

describe('the people of an edition', () => {
  it.each([1, 2])('whole figures, counted in %d threads', (threads) => {
    const populations = counted(threads);
    const { withoutPlace, ...figures } = populations.measured();
    expect({ ...figures, withoutPlace: { ...withoutPlace, examples: withoutPlace.examples.toSorted() } }).toEqual(
      FIGURES,
    );
    expect(populations.measured()).toBe(populations.measured());
  });

  it('nobody', () => {
    expect(createPopulations().measured()).toEqual({
      people: 0,
      lines: 0,
      largest: { id: '', people: 0 },
      elements: NO_ELEMENTS,
      professions: {},
      matrix: {},
      labels: {},
      duplicates: { people: 0, groups: [] },
      withoutPlace: { byProfession: {}, examples: [], namesakes: 0 },
      addresses: 0,
      shared: [],
      tests: [],
    });
  });

  it('codes of professions have two or three digits, postal codes five', () => {
    const populations = createPopulations();
    for (const [index, profession] of ['1', '10', '100', '1000', '1A', '01'].entries())
      populations.person(String(index), [lineOf(A, { profession, postalCode: '75001' })], 'R', A);
    for (const postalCode of ['7500', '750011', '7X001', '99999'])
      populations.person(postalCode, [lineOf(A, { profession: '10', postalCode })], 'R', A);
    const { professions, matrix } = populations.measured();
    expect(professions).toEqual({ 'profession 10': 5, 'profession 100': 1, 'profession 01': 1 });
    expect(matrix['10']).toEqual({ 75: 1, abroad: 3, 999: 1 });
  });

  it('elements are counted of the first 16,384 resources, then of one in 16', () => {
    const populations = createPopulations();
    const element = (resource: object) => populations.element({ type: 'Organization', resource } as never);
    for (let number = 0; number < 16_384; number++) element({ name: 'x' });
    for (let number = 0; number < 1600; number++) element({ alias: [] });
    const { elements } = populations.measured();
    expect([elements['Organization.name'], elements['Organization.alias']]).toEqual([17_875, 109]);
  });

  it('200 people without a place are listed, and a thousand groups and shared addresses', () => {
    const threads = [createPopulations(), createPopulations()] as const;
    for (const [at, thread] of threads.entries())
      for (let number = 0; number < 201; number++) thread.person(`${at}${number}`, [lineOf(A, {})], undefined, A);
    const [all, other] = threads;
    for (let number = 0; number < 2002; number++) {
      for (const thread of [all, other]) {
        thread.mailbox(`${number >> 1}@x.example`);
        thread.person(`9${10_000 + number}`, [lineOf(A, { family: `NOM${number >> 1}`, given: 'A' })], 'R', A);
      }
    }
    expect(all.notes().withoutPlace).toHaveLength(200);
    all.add(other.notes());
    const { withoutPlace, duplicates, shared } = all.measured();
    expect([withoutPlace.examples.length, duplicates.people, duplicates.groups.length, shared.length]).toEqual([
      200, 4004, 1000, 1000,
    ]);
  });
});
