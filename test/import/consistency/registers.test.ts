// Issue "registers are not compared with each other": on which side of its limit a share is refused, in all and in a group.

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EXPECTED_REGISTERS } from '#config/service/guard-table.ts';
import { type ComparisonKey, createTallies } from '#import/collect/consistency-tallies.ts';
import { DEFAULT_LIMITS } from '#support/config/guards.ts';
import { type Edit, writePartOfEdition } from '#support/import/part-of-edition.ts';
import { openBench, SETTINGS } from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';
import { refusedConsistency } from './refused-consistency.ts';

// Issue "registers are not compared with each other": what is counted, on which side of its limit it is refused, and which
// register is named; against the shipped edition and damaged copies of it.
describe('import: registers compared', () => {
  type Counted = Partial<Record<ComparisonKey, [odd: number, checked: number]>>;

  /** Verdicts that did not pass, on these counts. */
  function refused(counted: Counted, before?: Record<string, number>): string[] {
    const consistency = createTallies();
    for (const [key, [odd, checked]] of Object.entries(counted) as [ComparisonKey, [number, number]][])
      for (let at = 0; at < checked; at++) consistency.count(key, at < odd ? `case ${at}` : undefined);
    return refusedConsistency(consistency, before);
  }

  describe('import: the shares of what does not agree', () => {
    it('are refused above the limit, and not at it', () => {
      expect(refused({ unknownInSkills: [50, 1000] })).toEqual([]);
      expect(refused({ unknownInSkills: [51, 1000] })).toEqual(['unknown-people:skills']);
    });

    it('are held against the edition before, where there is one; else against what is usual', () => {
      expect(refused({ withoutMailbox: [900, 1000] })).toEqual([]);
      expect(refused({ withoutMailbox: [900, 1000] }, { withoutMailbox: 0.7 })).toEqual(['coverage:mailboxes']);
      expect(refused({ unknownInSkills: [150, 1000] }, { unknownInSkills: 0.1 })).toEqual([]);
      expect(refused({ unknownInSkills: [151, 1000] }, { unknownInSkills: 0.1 })).toEqual(['unknown-people:skills']);
    });

    it('of less than ten cases too many may be chance', () => {
      expect(refused({ namesInSkills: [9, 10] })).toEqual([]);
      expect(refused({ namesInSkills: [10, 10] })).toEqual(['names-differ:skills']);
    });

    it('name the register of activities where all others contradict it, and else the one that does', () => {
      expect(refused({ namesInDiplomas: [99, 99], namesInSkills: [50, 60], namesInMailboxes: [40, 40] })).toEqual([
        'names-differ:activities',
      ]);
      expect(refused({ namesInDiplomas: [99, 99], namesInSkills: [50, 60], namesInMailboxes: [0, 40] })).toEqual([
        'names-differ:diplomas',
        'names-differ:skills',
      ]);
      expect(refused({ namesInDiplomas: [99, 99] })).toEqual(['names-differ:diplomas']);
      expect(refused({ withoutDiploma: [99, 99], withoutSkill: [99, 99] })).toEqual([
        'coverage:diplomas',
        'coverage:skills',
      ]);
    });
  });

  const directory = {
    ...SETTINGS.directory,
    guards: { ...SETTINGS.directory.guards, ...DEFAULT_LIMITS, expected: [...EXPECTED_REGISTERS] },
  };
  const [ACTIVITIES, DIPLOMAS, SKILLS] = ['Personne_activite', 'Dipl_AutExerc', 'SavoirFaire'] as const;

  const bench = openedForEach(openBench);

  const edition = (edits: Readonly<Record<string, Edit>>) => writePartOfEdition(join(bench.folder, 'edition'), edits);

  const cells =
    (edit: (line: string[], at: number, lines: string[][]) => string[]): Edit =>
    (lines) =>
      lines.map((line) => line.split('|')).map((line, at, all) => edit(line, at, all).join('|'));

  async function reasons(folder: string): Promise<string[]> {
    const settings = { ...SETTINGS, dataFolder: bench.dataFolder, directory };
    const report = await bench.run([folder], { settings, dryRun: true });
    return report.guards.filter(({ passed }) => !passed).map(({ name, register }) => `${name}:${register}`);
  }

  const half: Edit = (lines) => lines.slice(0, lines.length / 2);
  /** Coordinates follow all establishments. */
  const halfOfEstablishments: Edit = (lines) => {
    const isLocated = (line: string) => line.startsWith('geolocalisation');
    return [...half(lines.filter((line) => !isLocated(line))), ...lines.filter(isLocated)];
  };
  const swapped = (one: number, other: number) =>
    cells((line) => line.with(one, line[other] ?? '').with(other, line[one] ?? ''));
  const shifted = (...columns: number[]) =>
    cells((line, at, all) =>
      line.map((value, column) => (columns.includes(column) ? (all.at(at - 1)?.[column] ?? '') : value)),
    );

  /** The FINESS number of the structure before. */
  const shiftedNumbers = cells((line, at, all) => {
    const before = all.slice(0, at).findLast((one) => one[21] !== '');
    return line[21] === '' ? line : line.with(21, before?.[21] ?? '');
  });

  describe('import: a first import', () => {
    // The shipped edition as a whole is loaded by the set-up of the run.
    it('of a part of the shipped edition is not refused', async () => {
      expect(await reasons(edition({}))).toEqual([]);
    });

    it.each<[string, Record<string, Edit>, string[]]>([
      ['half of the activities', { [ACTIVITIES]: half }, ['unknown-people:activities']],
      ['half of the diplomas', { [DIPLOMAS]: half }, ['coverage:diplomas']],
      ['half of the establishments', { cs1100507: halfOfEstablishments }, ['dangling-structures:finess structureet']],
      [
        'names swapped in activities',
        { [ACTIVITIES]: swapped(7, 8) },
        ['names-differ:activities', 'names-differ:activities', 'pairs:activities'],
      ],
      ['names swapped in skills', { [SKILLS]: swapped(3, 4) }, ['names-differ:skills']],
      [
        'names swapped in all registers',
        { [ACTIVITIES]: swapped(7, 8), [DIPLOMAS]: swapped(3, 4), [SKILLS]: swapped(3, 4), MSSante: swapped(9, 10) },
        ['names-differ:activities', 'pairs:activities'],
      ],
      ['FINESS numbers shifted in activities', { [ACTIVITIES]: shiftedNumbers }, ['dangling-structures:activities']],
      [
        'ids shifted in activities',
        { [ACTIVITIES]: shifted(0, 1, 2) },
        [
          'names-differ:activities',
          'professions-differ:activities',
          'coverage:skills',
          'fused:activities',
          'pairs:diplomas',
        ],
      ],
    ])('that is damaged by %s', async (_, edits, expected) => {
      expect(await reasons(edition(edits))).toEqual(expected);
    });

    it('without a register names it before a column that is empty in another register', async () => {
      const folder = edition({ [ACTIVITIES]: cells((line) => line.with(7, '')) });
      rmSync(join(folder, readdirSync(folder).find((name) => name.includes(DIPLOMAS)) ?? ''));
      expect((await reasons(folder)).slice(0, 2)).toEqual(['partial:diplomas', 'fill-floors:activities']);
    });

    it('of the skills under the name of diplomas names both, and a file that is still being written', async () => {
      const folder = edition({});
      const pathOf = (part: string) => join(folder, readdirSync(folder).find((name) => name.includes(part)) ?? '');
      writeFileSync(pathOf(DIPLOMAS), readFileSync(pathOf(SKILLS)));
      expect(await reasons(folder)).toEqual(['partial:diplomas', 'misnamed:diplomas']);
      renameSync(pathOf(DIPLOMAS), `${pathOf(DIPLOMAS)}.part`);
      const { guards } = await bench.run([folder], {
        settings: { ...SETTINGS, dataFolder: bench.dataFolder, directory },
      });
      expect(guards.find(({ name, passed }) => name === 'partial' && !passed)?.figures).toMatch(
        /not given \(.*Dipl_AutExerc_\d+\.txt\.part is still being written, by its name\)$/,
      );
    });
  });
});

// Issue "registers are not compared with each other": a damage of one department or profession alone, which is a small share
// of all.
describe('import: groups compared', () => {
  type Counted = Partial<Record<ComparisonKey, Record<string, [odd: number, checked: number]>>>;

  /** Verdicts that did not pass, where each group has these counts and a thousand others are as they should be. */
  function refused(counted: Counted, before?: Record<string, number>): string[] {
    const [consistency, others] = [createTallies(), createTallies()];
    for (const [key, groups] of Object.entries(counted) as [ComparisonKey, Record<string, [number, number]>][]) {
      for (let at = 0; at < 1000; at++) consistency.count(key);
      for (const [group, [odd, checked]] of Object.entries(groups))
        for (let at = 0; at < checked; at++)
          (at % 2 === 0 ? consistency : others).count(key, at < odd ? 'x' : undefined, group === '' ? [] : [group]);
    }
    consistency.add(others.all);
    return refusedConsistency(consistency, before);
  }

  describe('import: what does not agree in a group of people', () => {
    it('is refused from twenty on, where most are odd, however small a share of all', () => {
      expect(refused({ namesInDiplomas: { 'department 48': [20, 39] } })).toEqual(['names-differ:diplomas']);
      expect(refused({ namesInDiplomas: { 'department 48': [20, 40] } })).toEqual([]);
      expect(refused({ namesInDiplomas: { 'department 48': [19, 19] } })).toEqual([]);
      expect(refused({ namesInDiplomas: { 'department 48': [10, 10], 'department 65': [10, 10] } })).toEqual([]);
    });

    it('is no skill that another register gives: activities are not at fault for it', () => {
      expect(
        refused({ skillsInSkills: { '': [665, 900] }, professionsInSkills: {}, professionsInMailboxes: {} }),
      ).toEqual([]);
      expect(
        refused({ skillsInSkills: { '': [666, 900] }, professionsInSkills: {}, professionsInMailboxes: {} }),
      ).toEqual(['professions-differ:skills']);
      const both = {
        professionsInSkills: { '': [90, 90] },
        professionsInMailboxes: { '': [90, 90] },
      } satisfies Counted;
      expect(refused({ skillsInSkills: {}, ...both })).toEqual(['professions-differ:activities']);
    });

    it('is accepted where the edition before had as many', () => {
      const counted = { namesInDiplomas: { 'department 48': [30, 30] } } satisfies Counted;
      expect(refused(counted, { namesInDiplomas: 0.02 })).toEqual([]);
      expect(refused(counted, { namesInDiplomas: 0.009 })).toEqual(['names-differ:diplomas']);
    });

    it('names the register of activities where every other register with people of the group contradicts it', () => {
      const diplomas = { 'profession 50': [30, 30] } satisfies Record<string, [number, number]>;
      expect(
        refused({ namesInDiplomas: diplomas, namesInSkills: {}, namesInMailboxes: { 'profession 50': [3, 4] } }),
      ).toEqual(['names-differ:activities']);
      expect(
        refused({ namesInDiplomas: diplomas, namesInSkills: {}, namesInMailboxes: { 'profession 50': [0, 4] } }),
      ).toEqual(['names-differ:diplomas']);
    });
  });
});
