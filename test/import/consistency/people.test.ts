// What is counted of one person and of codes beside labels, to the last case: which register is in doubt, and what the examples say.

import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { createLabelComparison } from '#import/consistency/activities.ts';
import { createPeopleComparison, peopleIn } from '#import/consistency/people.ts';
import { A, D, M, S } from '#import/registers/person-columns.ts';
import { type Cells, lineOf, placeOf, talliesOf } from '#support/import/lines.ts';

describe('directory data 4: cases of a person', () => {
  const MARTIN = { family: 'MARTIN', given: 'Jeanne' };
  const doctor = { ...MARTIN, profession: '10', category: 'C', postalCode: '69003', skill: 'SM26' };
  function compared(activities: Cells, others: { diplomas?: Cells[]; skills?: Cells[]; mailboxes?: Cells[] }) {
    const collector = createCollector();
    const comparison = createPeopleComparison(new Set(['diplomas', 'skills', 'mailboxes']), collector);
    const { diplomas = [], skills = [], mailboxes = [] } = others;
    const person = {
      nationalId: '8190',
      activities: [lineOf(A, activities)],
      diplomas: diplomas.map((cells) => lineOf(D, cells)),
      skills: skills.map((cells) => lineOf(S, cells)),
      mailboxes: mailboxes.map((cells) => lineOf(M, cells)),
    };
    const own = comparison.compare(person, (register) => placeOf(`${register}.txt`));
    return { collector, person, own, cases: talliesOf(collector) };
  }
  const groups = (odd: number) => ({ 'department 69': { checked: 1, odd }, 'profession 10': { checked: 1, odd } });

  it('in other registers: another person, another name, another profession and another skill', () => {
    const { collector, person, own, cases } = compared(doctor, {
      diplomas: [{ family: 'DUPONT', given: 'Paul' }, MARTIN],
      skills: [{ family: 'MARTIN', given: 'Louise', profession: '40', skill: 'SM54' }],
    });
    const both = '"MARTIN Jeanne" (activities.txt, line 7) and "DUPONT Paul" (diplomas.txt, line 7)';
    expect(cases).toEqual({
      withoutDiploma: [0, 1],
      unknownInDiplomas: [0, 1],
      namesInDiplomas: [1, 1, `8190: ${both}`, groups(1)],
      withoutSkill: [0, 1],
      unknownInSkills: [0, 1, { 'profession 10': { checked: 1, odd: 0 } }],
      namesInSkills: [
        ...[1, 1, '8190: "MARTIN Jeanne" (activities.txt, line 7) and "MARTIN Louise" (skills.txt, line 7)', groups(1)],
      ],
      professionsInSkills: [1, 1, '8190: 40, in activities 10', groups(1)],
      withoutMailbox: [1, 1, '8190'],
      skillsInSkills: [1, 1, '8190: SM26'],
    });
    expect(own).toEqual({ ...person, diplomas: person.diplomas.slice(1) });
    expect(collector.doubtful()).toEqual([{ kind: 'line-of-another', reference: 'Practitioner/8190', reason: both }]);
    expect(collector.nameVariety.all()).toEqual({ people: 1, families: 1, givens: 1 });
  });

  it('that agree, or say nothing', () => {
    const { own, person, cases } = compared(doctor, {
      diplomas: [{}],
      skills: [{ ...MARTIN, profession: '10', skill: 'SM54' }, { skill: 'SM26' }],
      mailboxes: [{ family: 'Martin', given: 'J', profession: '' }],
    });
    expect(cases).toEqual({
      withoutDiploma: [0, 1],
      unknownInDiplomas: [0, 1],
      namesInDiplomas: [0, 1, groups(0)],
      withoutSkill: [0, 1],
      unknownInSkills: [0, 1, { 'profession 10': { checked: 1, odd: 0 } }],
      namesInSkills: [0, 1, groups(0)],
      professionsInSkills: [0, 1, groups(0)],
      skillsInSkills: [0, 1],
      withoutMailbox: [0, 1],
      unknownInMailboxes: [0, 1, { 'profession 10': { checked: 1, odd: 0 } }],
      namesInMailboxes: [0, 1, groups(0)],
      professionsInMailboxes: [0, 1, groups(0)],
    });
    expect(own).toBe(person);
  });

  it('skills are missed of physicians who are no students', () => {
    const skills = (cells: Cells) => compared(cells, {}).cases['withoutSkill'];
    expect([skills(doctor), skills({ ...doctor, category: 'E' }), skills({ ...doctor, profession: '60' })]).toEqual([
      [1, 1, '8190'],
      undefined,
      undefined,
    ]);
  });

  it('of one id are one or several people', () => {
    const groupsOf = (...names: string[]) => {
      const rows = names.map((name) => {
        const [family = '', given = ''] = name.split('/');
        return lineOf(A, { family, given });
      });
      return peopleIn(rows).map((people) => people.map((one) => `${one[A.family]}/${one[A.given]}`));
    };
    expect(groupsOf('A/B', 'A/B')).toEqual([['A/B', 'A/B']]);
    expect(groupsOf('MARTIN/Jeanne', 'DUPONT/Paul', 'MARTIN/Louise', '/Paul')).toEqual([
      ['DUPONT/Paul'],
      ['MARTIN/Jeanne', 'MARTIN/Louise'],
    ]);
    // The third name joins the first two.
    expect(groupsOf('MARTIN/Jeanne', 'DUPONT/Paul', 'MARTIN/Paul')).toEqual([
      ['MARTIN/Jeanne', 'DUPONT/Paul', 'MARTIN/Paul'],
    ]);
  });
});

describe('directory data 4: codes beside their labels', () => {
  const REGISTERS = {
    labelsInActivities: [A, 'profession', 'category', 'skillType skill', 'mode', 'sector'],
    labelsInDiplomas: [D, 'diplomaType', 'diplomaType diploma', 'permitType field'],
    labelsInSkills: [S, 'profession', 'skillType', 'skillType skill'],
  } as const;
  const PAIRS = Object.entries(REGISTERS).flatMap(([key, [columns, ...pairs]]) =>
    pairs.map((pair) => [key, pair, columns] as const),
  );

  it.each(PAIRS)('%s: %s', (key, pair, columns) => {
    const keys = pair.split(' ');
    const [code = '', within] = keys.toReversed();
    const collector = createCollector();
    const compare = createLabelComparison(key as keyof typeof REGISTERS, collector.consistency);
    const line = (label: string, table = 'T') =>
      lineOf(columns, { [code]: 'C', [`${code}Label`]: label, ...(within && { [within]: table }) });
    for (const one of [line('a'), line('a'), line('b'), line('')]) compare(one);
    expect(talliesOf(collector)).toEqual({ [key]: [1, 2, `${within ? 'T ' : ''}C: "a" and "b"`] });
    compare(line('c', 'U'));
  });

  it('on the first 4096 lines, then on one in sixteen', () => {
    const collector = createCollector();
    const compare = createLabelComparison('labelsInActivities', collector.consistency);
    const doctor = lineOf(A, { profession: '10', professionLabel: 'Médecin' });
    for (let line = 0; line < 4096 + 33; line++) compare(doctor);
    expect(talliesOf(collector)).toEqual({ labelsInActivities: [0, 4095 + 2] });
  });
});
