// Issue "registers are not compared with each other": a damage of one department or profession alone, which is a small share
// of all.

import { describe, expect, it } from '@jest/globals';
import { type ComparisonKey, createTallies } from '#import/collect/consistency-tallies.ts';
import { DEFAULT_LIMITS } from '#support/config/guards.ts';
import { benchForEach } from '#support/import/bench.ts';
import { refusedConsistency } from '#support/import/refused-consistency.ts';
import { activity, type Cells, registerText, SETTINGS } from '#support/import/register-files.ts';

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
    const both = { professionsInSkills: { '': [90, 90] }, professionsInMailboxes: { '': [90, 90] } } satisfies Counted;
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

describe('import: people of one department', () => {
  const bench = benchForEach();

  it('whose names are in each other’s column are found in a country', async () => {
    const people = Array.from({ length: 500 }, (_, at) => ({
      rpps: `19${String(at).padStart(9, '0')}`,
      isThere: at < 20,
    }));
    const person = ({ rpps, isThere }: (typeof people)[number]): Cells => ({
      ...{ 1: rpps, 2: `8${rpps}`, 35: isThere ? '48000' : '75009', 9: isThere ? '50' : '10' },
      ...(isThere && { 7: 'Jeanne', 8: 'MARTIN' }),
    });
    const diploma = ({ rpps }: (typeof people)[number]): Cells => ({
      1: rpps,
      2: `8${rpps}`,
      3: 'MARTIN',
      4: 'Jeanne',
    });
    const files = [
      bench.file(
        'activities',
        registerText(
          'activities',
          people.map((one) => activity(person(one))),
        ),
      ),
      bench.file('diplomas', registerText('diplomas', people.map(diploma))),
    ];
    const guards = { ...SETTINGS.directory.guards, namesDiffer: DEFAULT_LIMITS.namesDiffer };
    const settings = { ...SETTINGS, dataFolder: bench.dataFolder, directory: { ...SETTINGS.directory, guards } };
    const { judgement } = await bench.run(files, { settings });
    const reason = judgement.reasons.find((one) => one.startsWith('names-differ'));
    expect(reason).toContain('but 20 of 20 of department 48, but 20 of 20 of profession 50');
  });
});
