// Issue "two people under one id": different people or structures under one number are named and not made into one.

import { describe, expect, it } from '@jest/globals';
import { confirmedPerson, peopleIn } from '#import/consistency/people.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { finessJson, legalEntity } from '#support/import/finess-json-files.ts';
import {
  activity,
  type Cells,
  finessEstablishment,
  finessFile,
  finessLegalEntity,
  openBench,
  registerText,
} from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';

describe('fused records', () => {
  const bench = openedForEach(openBench);

  describe('import: people under one number', () => {
    const ID = '819000000018';
    const JEANNE: Cells = { 7: 'MARTIN', 8: 'Jeanne' };
    const PAUL: Cells = { 7: 'DUPONT', 8: 'Paul', 5: 'M', 23: 'R20000000000002', 24: 'CABINET DU DR DUPONT' };
    /** Nobody is served from a directory without people. */
    const OTHER: Cells = { 1: '19000000026', 7: 'ROY', 8: 'Anne', 23: 'R20000000000009' };
    const diploma = (cells: Cells): Cells => ({ 0: '8', 1: '19000000018', 2: ID, 5: 'DE', 7: 'DE28', ...cells });
    const named = (family: string, given: string): Cells => ({ 3: family, 4: given });

    const activities = (name: string, ...lines: Cells[]) =>
      bench.file(name, registerText('activities', [...lines, OTHER].map(activity)));
    const diplomas = (name: string, ...lines: Cells[]) =>
      bench.file(name, registerText('diplomas', lines.map(diploma)));
    const stored = async () => {
      const snapshot = await bench.snapshot();
      const clauses = [{ field: 'practitioner', match: 'exact', anyOf: [`Practitioner/${ID}`] }] as const;
      const roles = await snapshot.search({ type: 'PractitionerRole', clauses, limit: 10, total: false });
      const person = await snapshot.read('Practitioner', ID);
      return [person, ...roles.matches].map((one) => one && { ...one, position: 0 });
    };

    describe('import: two people under one national identifier', () => {
      it('are named with both lines; person and roles stay as they were, versions and structures included', async () => {
        await bench.run([activities('a', JEANNE)]);
        const before = await stored();
        expect(before).toHaveLength(2);
        // Neither line is at the practice that the role of yesterday names.
        const report = await bench.run([activities('b', { ...JEANNE, 23: 'R20000000000003' }, PAUL)]);
        expect(report.outcome).toBe('imported');
        expect(report.warnings.filter(({ kind }) => kind === 'fused-people')).toMatchObject([{ count: 1 }]);
        expect(report.judgement.doubtful).toEqual([
          {
            kind: 'fused-people',
            reference: `Practitioner/${ID}`,
            reason: `"MARTIN Jeanne" (${bench.folder}/b, line 2) and "DUPONT Paul" (${bench.folder}/b, line 3); left as it was`,
          },
        ]);
        expect(await stored()).toEqual(before);
        expect(await bench.read('Organization', 'R20000000000001')).toMatchObject({ name: 'CABINET DU DR MARTIN' });
        expect(await bench.read('Organization', 'R20000000000003')).toBeDefined();
      });

      it('at a first import the person that other registers confirm is taken, without lines of the other', async () => {
        const report = await bench.run([activities('a', JEANNE, PAUL), diplomas('d', named('DUPONT', 'PAUL'))]);
        expect(report.judgement.doubtful).toMatchObject([
          { reason: expect.stringMatching(/; taken for "DUPONT Paul", as other registers have it$/) },
        ]);
        const person = JSON.stringify(await bench.read('Practitioner', ID));
        expect(person).toMatch(/"family":"DUPONT".*DE28/);
        expect(person).not.toMatch(/MARTIN/);
        expect((await stored()).map((one) => one?.json).join()).toMatch(/R20000000000002/);
        expect((await stored()).map((one) => one?.json).join()).not.toMatch(/R20000000000001/);
      });

      it.each([
        ['none', [{ 1: '19000000026', 2: '819000000026', ...named('ROY', 'Anne') }]],
        ['both', [named('DUPONT', 'Paul'), { ...named('MARTIN', 'Jeanne'), 7: 'DE09' }]],
        ['a line without a name', [named('', '')]],
      ])('at a first import both are left out where other registers confirm %s', async (_, lines) => {
        const report = await bench.run([activities('a', JEANNE, PAUL), diplomas('d', ...lines)]);
        expect(report.judgement.doubtful).toMatchObject([{ reason: expect.stringMatching(/; left out$/) }]);
        expect(await stored()).toEqual([undefined]);
        expect(await bench.read('Organization', 'R20000000000001')).toBeDefined();
      });

      it('are left out if other people are meant, even if the id was known before', async () => {
        await bench.run([activities('a', JEANNE)]);
        const accept = [{ name: 'other-people' }];
        await bench.run([activities('b', JEANNE, PAUL)], { accept });
        expect(await stored()).toEqual([undefined]);
      });

      it('a sign-in account that is linked to one is marked', async () => {
        await openAccounts(bench.database).create([{ email: 'j@h.example', name: 'J', practitioners: [ID] }]);
        const report = await bench.run([activities('a', JEANNE, PAUL)]);
        expect(report.judgement.doubtful).toMatchObject([{ reference: `Practitioner/${ID}`, linked: true }]);
      });
    });

    it('import: one id on the lines of very many people is nobody’s: names are not compared with one another, nor with other registers', () => {
      const row = (number: number) => Object.assign(Array(57).fill(''), { 7: `NOM${'X'.repeat(number)}`, 8: 'Anne' });
      const rows = (count: number) => Array.from({ length: count }, (_, number) => row(number));
      expect([peopleIn(rows(50)).length, peopleIn(rows(51)).length]).toEqual([1, 51]);
      const diploma = Object.assign(Array(13).fill(''), { 3: 'NOM', 4: 'Anne' });
      const person = { nationalId: ID, activities: rows(51), diplomas: [diploma], skills: [], mailboxes: [] };
      expect(confirmedPerson(person, peopleIn(person.activities))).toBeUndefined();
      expect(confirmedPerson(person, [[row(0)], [Object.assign(row(0), { 7: 'PETIT', 8: 'Jean' })]])).toBeDefined();
    });
  });

  describe('import: two structures under one FINESS number', () => {
    const NORTH: Cells = {
      1: '690000013',
      3: 'CLINIQUE DU NORD',
      7: '1',
      9: 'DES LILAS',
      15: '69003 LYON',
      22: '99000000100011',
    };
    const SOUTH: Cells = {
      1: '690000013',
      3: 'EHPAD DU SUD',
      7: '9',
      9: 'DU PORT',
      15: '13001 MARSEILLE',
      22: '99100000100012',
    };

    /** Some buckets, and so several threads. */
    const MANY_BUCKETS = { bucketBytes: 10_000 };

    const text = (name: string, ...lines: string[]) => bench.file(name, finessFile(...lines));
    const nameNow = async (id = 'F690000013') => (await bench.read('Organization', id))?.['name'];
    const fused = (report: { warnings: { kind: string; examples: string[] }[] }) =>
      report.warnings.filter(({ kind }) => kind === 'fused-structures').flatMap(({ examples }) => examples);

    it('are named; the one of the edition before stays as it was, its version included', async () => {
      await bench.run([text('a', finessEstablishment(NORTH))]);
      const before = await (await bench.snapshot()).read('Organization', 'F690000013');
      const report = await bench.run([
        text('b', finessEstablishment({ ...NORTH, 3: 'CLINIQUE' }), finessEstablishment(SOUTH)),
      ]);
      expect(report.outcome).toBe('imported');
      expect(fused(report)).toEqual([
        'Organization/F690000013: "CLINIQUE" in 69003 (structureet) and "EHPAD DU SUD" in 13001 (structureet); left as it was',
      ]);
      expect(await (await bench.snapshot()).read('Organization', 'F690000013')).toEqual({ ...before, position: 0 });
    });

    it('in several threads, too; but where other people are meant nothing stays', async () => {
      const people = Array.from({ length: 400 }, (_, index) =>
        activity({ 1: `190000${String(index).padStart(5, '0')}` }),
      );
      const edition = [bench.file('pa', registerText('activities', people)), text('a', finessEstablishment(NORTH))];
      await bench.run(edition);
      const both = [edition[0] ?? '', text('b', finessEstablishment(NORTH), finessEstablishment(SOUTH))];
      await bench.run(both, MANY_BUCKETS);
      expect(await nameNow()).toBe('CLINIQUE DU NORD');
      await bench.run([...both, text('c', finessLegalEntity())], {
        accept: [{ name: 'other-people' }, { name: 'partial' }],
      });
      expect(await nameNow()).toBe('EHPAD DU SUD');
    });

    it('an establishment under the number of a legal entity', async () => {
      await bench.run([text('a', finessLegalEntity({ 1: '690000021', 2: 'GROUPE' }))]);
      const report = await bench.run([
        text(
          'b',
          finessLegalEntity({ 1: '690000021', 2: 'GROUPE' }),
          finessEstablishment({ 1: '690000021', 3: 'GROUPE' }),
        ),
      ]);
      expect(fused(report)).toHaveLength(1);
      expect(await nameNow('F690000021')).toBe('GROUPE');
    });

    it.each([
      ['a name that changed', { 3: 'EHPAD DU SUD' }],
      ['a site that changed', { 9: 'DU PORT', 15: '13001 MARSEILLE' }],
      ['a legal unit that changed', { 22: '99100000100012' }],
      ['another site of the same SIRET', { 3: 'EHPAD', 9: 'DU PORT' }],
      ['another site without a name', { 3: '', 9: 'DU PORT', 15: '13001 MARSEILLE', 22: '' }],
      ['another name without a SIREN', { 3: 'EHPAD DU SUD', 22: '' }],
      ['another name without a street', { 3: 'EHPAD DU SUD', 7: '', 9: '', 15: '13001 MARSEILLE' }],
    ])('not: %s', async (_, cells: Cells) => {
      expect(
        fused(await bench.run([text('a', finessEstablishment(NORTH), finessEstablishment({ ...NORTH, ...cells }))])),
      ).toEqual([]);
    });

    const OTHER = { 3: 'EHPAD DU SUD', 9: 'DU PORT', 15: '13001 MARSEILLE', 22: '99100000100012' };
    it.each([
      ['a quite different structure in the other form', {}, 1],
      ['not: the forms of one structure, months apart: a long word of the name', { 3: 'EHPAD DES LILAS' }, 0],
      ['not: the legal unit', { 22: '99000000100077' }, 0],
      ['not: the postal code', { 15: '69003 LYON' }, 0],
      ['not: one without a name', { 3: '' }, 0],
      ['not: one without a SIREN', { 22: '' }, 0],
      ['not: one without a postal code', { 15: 'MARSEILLE' }, 0],
    ])('%s', async (_, cells: Cells, count) => {
      const files = [
        bench.file('x', finessJson([legalEntity()])),
        text('a', finessEstablishment({ ...OTHER, ...cells })),
      ];
      expect(fused(await bench.run(files))).toHaveLength(count);
      expect(await nameNow()).toBe('CENTRE HOSPITALIER DES LILAS');
    });
  });
});
