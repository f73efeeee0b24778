// operations: the page on the quality of an edition, whole, with and without an edition before, and as a person reads it.

import { describe, expect, it } from '@jest/globals';
import { qualityPage, qualityText } from '#cli/directory/quality-page.ts';

type Sources = Parameters<typeof qualityPage>[0];

const record = (reference: string, reason: string) => ({ kind: 'no-name', reference, reason }) as never;
const quality = (changes: object = {}) =>
  ({
    professions: { 10: 2, 50: 3 },
    labels: { 10: 'Médecin' },
    matrix: { 10: { '69': 2 }, 50: { '01': 1, '69': 2 } },
    withoutPlace: { byProfession: { 10: 1, 99: 2 }, namesakes: 4, examples: ['8190', '8191'] },
    tests: [
      { id: '8192', name: 'TEST' },
      { id: '8199', name: 'HIDDEN' },
    ],
    doubtful: [
      record('Practitioner/1', 'one'),
      record('Practitioner/p-8199', 'hidden'),
      record('Practitioner/2', 'of SECRET'),
    ],
    duplicates: { groups: [{ ids: ['8193', '8194'] }, { ids: ['8195', '8199'] }] },
    mailboxes: {
      own: 1,
      other: 2,
      neutral: 3,
      listed: [record('Practitioner/3', 'mailbox'), record('Practitioner/4', 'm')],
      shared: [
        { address: 'a@b', people: 2 },
        { address: 'SECRET@b', people: 3 },
      ],
    },
    pairs: [
      {
        key: 'communeTowns',
        checked: 10,
        odd: 0.2,
        fit: 0.7,
        runs: [
          { from: 1, to: 5 },
          { from: 8, to: 9 },
        ],
      },
    ],
    ...changes,
  }) as unknown as NonNullable<Sources['before']>;
const judgement = {
  verdict: 'accepted',
  reasons: ['pairs (x): SECRET', 'partial: y'],
  registers: [
    { register: 'activities', title: 'A', now: { lines: 5, date: 'today' }, before: { lines: 4, date: 'yesterday' } },
    { register: 'skills', title: 'S', now: { lines: 1 } },
  ],
  consistency: [
    { guard: 'g', register: 'skills', meaning: 'are odd', checked: 9, odd: 3, now: 0.33, before: 0.1 },
    { guard: 'h', register: 'skills', meaning: 'are fine', checked: 9, odd: 0, now: 0 },
  ],
  columns: [
    { register: 'skills', column: 'A', now: 0.5, before: 0.4 },
    { register: 'skills', column: 'B', now: 0.1, before: 0.9 },
  ],
};
const hidden = {
  isShown: (reference: string, part?: string) =>
    !reference.includes('8199') && !(part === 'mailbox' && reference === 'Practitioner/4'),
  isNamedIn: (text: string) => text.includes('SECRET'),
};
const pageOf = (before?: object) =>
  qualityPage({
    edition: { snapshot: 's' },
    now: { judgement, quality: quality() } as never,
    hidden,
    nameOf: async (id: string) => `name of ${id}`,
    before: before as Sources['before'],
  });

describe('the page on the quality of an edition', () => {
  it('has every list, without what corrections hide, beside the edition before', async () => {
    const before = quality({
      professions: { 10: 1, 60: 7 },
      labels: { 50: 'Sage-Femme', 60: 'Infirmier' },
      matrix: { 10: { '69': 9 }, 60: { '13': 7 } },
      withoutPlace: { namesakes: 2 },
    });
    expect(await pageOf(before)).toEqual({
      edition: [{ snapshot: 's', verdict: 'accepted' }],
      reasons: [{ reason: 'pairs (x): it names what a correction hides' }, { reason: 'partial: y' }],
      registers: [
        { register: 'activities', lines: 5, linesBefore: 4, edition: 'today', editionBefore: 'yesterday' },
        { register: 'skills', lines: 1 },
      ],
      professions: [
        { code: '10', profession: 'Médecin', now: 2, before: 1 },
        { code: '50', profession: 'Sage-Femme', now: 3, before: 0 },
        { code: '60', profession: 'Infirmier', now: 0, before: 7 },
      ],
      professionsByDepartment: [
        { department: '69', profession: 'Médecin', now: 2, before: 9 },
        { department: '13', profession: 'Infirmier', now: 0, before: 7 },
        { department: '69', profession: 'Sage-Femme', now: 2, before: 0 },
        { department: '01', profession: 'Sage-Femme', now: 1, before: 0 },
      ],
      doubtfulRecords: [{ record: 'Practitioner/1', reason: 'one' }],
      samePersonUnderSeveralNumbers: [{ name: 'name of 8193', numbers: '8193, 8194' }],
      peopleWithoutPlaceOfWork: [
        { profession: 'Médecin', people: 1 },
        { profession: '99', people: 2 },
      ],
      namesakesWithoutPlaceOfWork: [{ people: 4, peopleBefore: 2 }],
      examplesWithoutPlaceOfWork: [
        { number: '8190', name: 'name of 8190' },
        { number: '8191', name: 'name of 8191' },
      ],
      mailboxes: [{ withOwnName: 1, withNameOfAnother: 2, withoutName: 3 }],
      mailboxesWithNameOfAnother: [{ record: 'Practitioner/3', reason: 'mailbox' }],
      addressesOfSeveralPeople: [{ address: 'a@b', people: 2 }],
      namesOfTests: [{ number: '8192', name: 'TEST' }],
      registersBesideEachOther: [
        { register: 'skills', oddity: 'are odd', odd: 3, checked: 9, share: 0.33, shareBefore: 0.1 },
      ],
      valuesThatBelongTogether: [
        {
          register: 'activities',
          oddity: 'communes stand beside another town',
          checked: 10,
          shareOdd: 0.2,
          shareFit: 0.7,
          lines: '1-5, 8-9',
        },
      ],
      filledColumns: [
        { register: 'skills', column: 'B', shareNow: 0.1, shareBefore: 0.9 },
        { register: 'skills', column: 'A', shareNow: 0.5, shareBefore: 0.4 },
      ],
    });
  });

  it('without an edition before has the largest figures first', async () => {
    const { professions, professionsByDepartment, namesakesWithoutPlaceOfWork } = await pageOf();
    expect([professions, professionsByDepartment, namesakesWithoutPlaceOfWork]).toEqual([
      [
        { code: '10', profession: 'Médecin', now: 2 },
        { code: '50', profession: '50', now: 3 },
      ],
      [
        { department: '69', profession: 'Médecin', now: 2 },
        { department: '69', profession: '50', now: 2 },
        { department: '01', profession: '50', now: 1 },
      ],
      [{ people: 4 }],
    ]);
  });

  it('is read as tables, of fifty rows at most', () => {
    const rows = Array.from({ length: 1051 }, (_, index) => ({ name: `n${index}`, people: 1000 + index }));
    const text = qualityText({
      namesOfTests: [],
      filledColumns: [
        { column: 'a  b\nc', shareNow: 0.1234, lines: 12345 },
        { column: 'd', other: 'x' },
      ],
      long: rows,
    });
    const lines = text.split('\n');
    expect(lines.slice(0, 14)).toEqual([
      ...['# Quality of the directory', '', '## Names of tests', '', 'None.', '', '## Filled columns', ''],
      ...[
        '| Column | Share now | Lines | Other |',
        '| --- | --- | --- | --- |',
        '| a b c | 12.3 % | 12 345 |  |',
        '| d |  |  | x |',
      ],
      ...['', '## Long'],
    ]);
    expect([lines.length, ...lines.slice(-5)]).toEqual([
      ...[70, '| n48 | 1 048 |', '| n49 | 1 049 |', '', '1 001 more are in the JSON (`--json`).', ''],
    ]);
  });
});
