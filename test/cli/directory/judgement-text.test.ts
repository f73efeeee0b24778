// Issue "an edition is judged by what it says": what operators read of it.

import { expect, it } from '@jest/globals';
import { describeJudgement } from '../../../src/cli/directory/judgement-text.ts';
import type { Judgement } from '../../../src/import/judgement/judgement.ts';

const NOTHING: Judgement = {
  verdict: 'accepted',
  reasons: [],
  registers: [],
  columns: [],
  departments: [],
  consistency: [],
  doubtful: [],
};

it('a judgement shows where registers disagree, and what is doubtful', () => {
  const skills = { guard: 'unknown-people', register: 'skills', meaning: 'people of it are unknown', examples: [] };
  const doubtful = [
    { reference: 'Practitioner/1', reason: 'two names', linked: true as const },
    { reference: 'Practitioner/0', reason: 'two names' },
  ];
  const consistency = [
    { ...skills, checked: 2000, odd: 25, now: 0.0125, before: 0.011 },
    { ...skills, checked: 2000, odd: 1, now: 0.0005 },
    { ...skills, checked: 2000, odd: 0, now: 0 },
  ];
  const lines = describeJudgement({ ...NOTHING, consistency, doubtful });
  expect(lines.slice(1, 3)).toEqual([
    '  skills: 25 of 2 000 people of it are unknown (1.3 %; before: 1.1 %)',
    '  skills: 1 of 2 000 people of it are unknown (0.1 %)',
  ]);
  expect(lines.slice(3)).toEqual([
    '  Doubtful: Practitioner/1 (sign-in accounts are linked to it): two names',
    '  Doubtful: Practitioner/0: two names',
  ]);
});
