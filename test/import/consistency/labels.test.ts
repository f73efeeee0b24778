// Directory data, section 4: a column of codes that was shuffled holds nothing but codes that exist; their labels tell.

import { describe, expect, it } from '@jest/globals';
import { createTallies } from '#import/collect/consistency-tallies.ts';
import { createLabelComparison } from '#import/consistency/labels.ts';
import { S } from '#import/registers/person-columns.ts';
import { activity, openBench, registerText, SETTINGS } from '#support/import/register-files.ts';

const skill = (type: string, code: string, label: string): string[] => {
  const row = Array.from({ length: 13 }, () => '');
  row[S.skillType] = type;
  row[S.skill] = code;
  row[S.skillLabel] = label;
  return row;
};

describe('import: codes and their labels', () => {
  it('another label of a code is odd; the same code of another type, and an empty one, are not', () => {
    const tallies = createTallies();
    const look = createLabelComparison('labelsInSkills', tallies);
    for (const row of [
      skill('S', 'SM26', 'Médecine générale'),
      skill('S', 'SM26', 'Médecine générale'),
      skill('C', 'SM26', 'Allergologie'),
      skill('S', 'SM26', ''),
      skill('S', 'SM26', 'Radiologie'),
    ])
      look(row);
    expect(tallies.all.labelsInSkills).toMatchObject({
      checked: 2,
      odd: 1,
      examples: ['S SM26: "Médecine générale" and "Radiologie"'],
    });
  });

  it('codes that stand beside the labels of other lines are refused, at a first load too', async () => {
    const bench = await openBench();
    const names = ['Médecin', 'Infirmier', 'Pharmacien', 'Sage-Femme'];
    const load = (shifted: number) => {
      const lines = Array.from({ length: 400 }, (_, at) =>
        activity({
          1: String(19000000000 + at),
          9: String(10 + ((at + (at < shifted ? 1 : 0)) % 4)),
          10: names[at % 4] ?? '',
        }),
      );
      return bench.run([bench.file('pa.txt', registerText('activities', lines))], {
        settings: { ...SETTINGS, dataFolder: bench.dataFolder },
        dryRun: true,
      });
    };
    const reasons = async (shifted: number) =>
      (await load(shifted)).judgement.reasons.filter((reason) => reason.startsWith('labels-differ'));
    expect(await reasons(0)).toEqual([]);
    expect(await reasons(200)).toEqual([
      expect.stringMatching(
        /^labels-differ \(activities\): .* codes that came before have another label .*such as 1\d: "/,
      ),
    ]);
    await bench.close();
  });
});
