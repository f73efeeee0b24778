// Issue "registers are not compared with each other": which cases are counted, and which of them are odd.

import { expect, it } from '@jest/globals';
import { benchForEach } from '#support/import/bench.ts';
import {
  activity,
  type Cells,
  finessEstablishment,
  finessFile,
  finessLegalEntity,
  registerText,
} from '#support/import/register-files.ts';

const bench = benchForEach();

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
  ]);
});
