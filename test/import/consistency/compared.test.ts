// Issue "registers are not compared with each other": which cases are counted, and which of them are odd.

import { describe, expect, it } from '@jest/globals';
import { otherPerson, sameName } from '#import/consistency/names.ts';
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

describe('import: cases of each register', () => {
  const bench = openedForEach(openBench);

  const NO_STRUCTURE = Object.fromEntries(Array.from({ length: 28 }, (_, index) => [index + 19, '']));
  const person = (cells: Cells): Cells => activity({ 23: '', 21: '690000013', 22: '690000021', ...cells });
  const skill = (rpps: string, cells: Cells = {}): Cells => {
    return { 0: '8', 1: rpps, 2: `8${rpps}`, 3: 'MARTIN', 4: 'Jeanne', 5: '10', 11: 'SM26', ...cells };
  };
  const mailbox = (rpps: string, cells: Cells = {}): Cells => {
    const [local] = [rpps || 'structure'];
    return { 0: 'PER', 1: `${local}@h.example`, 4: rpps && `8${rpps}`, 9: 'MARTIN', 10: 'Jeanne', 13: '10', ...cells };
  };
  const [A, B, C] = ['19000000018', '19000000026', '19000000034'] as const;

  it('people and structures of every register, each once', async () => {
    const structure = { 0: 'ORG', 4: '', 5: 'FINESS' };
    const { judgement } = await bench.run([
      bench.file(
        'activities',
        registerText('activities', [
          person({ 1: A, ...NO_STRUCTURE }),
          person({ 1: A, 15: 'SM26', 35: '69001' }),
          // A student without a skill is no physician without one; FINESS names another legal entity.
          person({ 1: B, 9: '10', 11: 'E', 21: '690000039', 22: '690000047', 35: '69001' }),
          person({ 1: C, 9: '40', ...NO_STRUCTURE, 15: 'SM54' }),
        ]),
      ),
      bench.file('skills', registerText('skills', [skill(A), skill(C, { 3: '', 4: '' }), skill('19000000042')])),
      bench.file(
        'mailboxes',
        registerText('mailboxes', [
          mailbox(B, { 9: 'JEANNE', 10: 'Martin' }),
          mailbox('', { ...structure, 6: '690000013' }),
          mailbox('', { ...structure, 6: '690000054' }),
        ]),
      ),
      bench.file(
        'finess',
        finessFile(
          finessEstablishment({ 1: '690000013', 2: '690000021', 15: '69003 LYON' }),
          finessEstablishment({ 1: '690000039', 2: '690000021', 15: '13001 MARSEILLE' }),
          finessLegalEntity({ 1: '690000021' }),
        ),
      ),
    ]);
    const counted = judgement.consistency.map(
      ({ guard, register, odd, checked }) => `${guard} ${register}: ${odd} of ${checked}`,
    );
    expect(counted).toEqual([
      'unknown-people skills: 1 of 3',
      'unknown-people mailboxes: 0 of 1',
      'names-differ skills: 0 of 2',
      'names-differ mailboxes: 1 of 1',
      'professions-differ skills: 1 of 2',
      'professions-differ mailboxes: 0 of 1',
      'professions-differ skills: 1 of 2',
      'labels-differ activities: 0 of 7',
      'dangling-structures finess structureet: 0 of 2',
      'dangling-structures finess structureej: 1 of 2',
      'dangling-structures activities: 0 of 2',
      'dangling-structures activities: 1 of 2',
      'dangling-structures activities: 1 of 2',
      'dangling-structures mailboxes: 1 of 2',
      'coverage activities: 1 of 3',
      'coverage skills: 0 of 1',
      'coverage mailboxes: 2 of 3',
      'fused activities: 0 of 3',
      'fused activities: 0 of 2',
      'coverage activities: 0 of 2',
    ]);
  });
});

// Directory data, section 2: names as registers write them, and what is not the same name. Issue "registers are not compared
// with each other".
describe('import: two lines about one person', () => {
  const named = (text: string) => {
    const [family = '', given = ''] = text.split('/');
    return { family, given };
  };

  it.each([
    ['LEFÈVRE/Hélène', 'lefevre/HELENE'],
    ['LE GALL/Jean-Pierre', 'LEGALL/JEAN PIERRE'],
    ['MARTIN-DUPONT/Jeanne', 'DUPONT/Jeanne'],
    ['MARTIN/Jeanne Marie Louise', 'MARTIN/Jeanne'],
    ['MARTIN/Pierre Jean', 'MARTIN/Jean Pierre'],
    ['MARTIN/J', 'MARTIN/Jeanne'],
    ['SCHMITT/Mohamed', 'SCHMIDT/Mohammed'],
    ['D’HERVÉ/Anne', "D'HERVE/ANNE"],
  ])('%s and %s are one name', (a, b) => {
    expect([sameName(named(a), named(b)), otherPerson(named(a), named(b))]).toEqual([true, false]);
  });

  it.each([
    ['a marriage', 'MARTIN/Jeanne', 'DUPONT/Jeanne'],
    ['another given name in use', 'MARTIN/Jeanne', 'MARTIN/Louise'],
    ['swapped columns', 'MARTIN/Jeanne', 'JEANNE/Martin'],
    ['an empty cell', 'MARTIN/Jeanne', '/Louise'],
    ['no name at all', 'MARTIN/Jeanne', '/'],
  ])('%s is another name, and not another person', (_, a, b) => {
    expect([sameName(named(a), named(b)), otherPerson(named(a), named(b))]).toEqual([false, false]);
    expect([sameName(named(b), named(a)), otherPerson(named(b), named(a))]).toEqual([false, false]);
  });

  it.each([
    ['MARTIN/Jeanne', 'DUPONT/Paul'],
    ['LE GALL/Yann', 'LE ROUX/Anne'],
    ['PAUL/Marie', 'JEAN/Paul'],
    ['ROY/Jean-Luc', 'PETIT/Jean-Marc'],
  ])('%s and %s are two people', (a, b) => {
    expect(otherPerson(named(a), named(b))).toBe(true);
    expect(otherPerson(named(b), named(a))).toBe(true);
  });
});
