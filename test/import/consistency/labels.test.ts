// Codes beside their labels: each line is compared with the first label of its code, of a long register one line in sixteen.

import { describe, expect, it } from '@jest/globals';
import { createLabelComparison } from '#import/consistency/activities.ts';
import { A } from '#import/registers/person-columns.ts';

describe('labels of codes', () => {
  function compared(lines: readonly Readonly<Record<number, string>>[]) {
    const counted: (string | undefined)[] = [];
    const keys = new Set<string>();
    const compare = createLabelComparison('labelsInActivities', {
      count: (key: string, example?: string) => {
        keys.add(key);
        counted.push(example);
      },
    } as never);
    for (const line of lines) compare(Array.from({ length: 60 }, (_, at) => line[at] ?? '') as never);
    if (counted.length > 0) expect([...keys]).toEqual(['labelsInActivities']);
    return counted;
  }
  const doctor = (label: string) => ({ [A.profession]: '10', [A.professionLabel]: label });

  it('are compared with the first one of their code; empty cells are not', () => {
    expect(
      compared([doctor('Médecin'), doctor('Médecin'), doctor('Sage-Femme'), doctor(''), { [A.professionLabel]: 'x' }]),
    ).toEqual([undefined, '10: "Médecin" and "Sage-Femme"']);
  });

  it('are those of one table', () => {
    const skill = (table: string, label: string) => ({ [A.skillType]: table, [A.skill]: '1', [A.skillLabel]: label });
    expect(compared([skill('S', 'a'), skill('C', 'b'), skill('S', 'c')])).toEqual(['S 1: "a" and "c"']);
  });

  it('are compared on the first 4096 lines, then on one in sixteen', () => {
    const all = compared(Array.from({ length: 4096 + 33 }, () => doctor('Médecin')));
    expect(all).toHaveLength(4095 + 2);
  });
});
