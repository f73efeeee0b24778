// operations.md, `--accept REASON[:REGISTER],...`: each reason covers what it names, and nothing else.

import { describe, expect, it } from '@jest/globals';
import {
  type Acceptance,
  acceptOption,
  refuses,
  sentenceOf,
  sentencesOf,
  verdict,
  withAcceptances,
} from '#import/guards/verdict.ts';

const failed = (register?: string) =>
  verdict('registers', {
    ...(register !== undefined && { register }),
    passed: false,
    figures: 'fewer',
    remedy: 'Look',
  });
const standing = (verdicts: Parameters<typeof withAcceptances>[0], ...accept: Acceptance[]) =>
  withAcceptances(verdicts, accept)
    .filter(refuses)
    .map(({ name, register }) => `${name} ${register ?? ''}`.trim());

describe('operations.md: --accept', () => {
  const three = [failed('skills'), failed('finess structureet'), failed()];

  it('covers all registers, one, or all parts of one', () => {
    expect(standing(three, { name: 'registers' })).toEqual([]);
    expect(standing(three, { name: 'registers', register: 'skills' })).toEqual([
      'registers finess structureet',
      'registers',
    ]);
    expect(standing(three, { name: 'registers', register: 'finess' })).toEqual(['registers skills', 'registers']);
    expect(standing(three, { name: 'registers', register: 'skill' })).toHaveLength(3);
    expect(standing(three, { name: 'shrinkage' })).toHaveLength(3);
  });

  it('never covers what nobody may accept, and leaves what passed as it is', () => {
    const people = verdict('people', { passed: false, figures: 'fictional' });
    expect(standing([people], { name: 'people' })).toEqual(['people']);
    const passed = verdict('registers', { passed: true, figures: 'as many', remedy: 'Look' });
    expect(withAcceptances([passed], [{ name: 'registers' }])).toEqual([
      { name: 'registers', passed: true, figures: 'as many' },
    ]);
  });

  it('is printed as it can be given again, only where it helps', () => {
    expect(acceptOption(three, [])).toBe('--accept registers:skills,registers:finess/structureet,registers');
    expect(acceptOption([...three, verdict('canaries', { passed: false, figures: 'lost' })], [])).toBe('');
    const given = [{ name: 'other-people' }, { name: 'registers' }];
    expect(acceptOption(withAcceptances(three, given), given)).toBe('');
    const shrunk = verdict('shrinkage', { passed: false, figures: 'fewer' });
    expect(acceptOption(withAcceptances([...three, shrunk], given), given)).toBe(
      '--accept other-people,registers,shrinkage',
    );
    expect(acceptOption([...three, failed('diplomas')], [])).toBe('--accept registers');
    expect(sentenceOf(failed('skills'))).toBe('registers (skills): fewer. Look');
  });

  it('what a guard says of several registers alike is one sentence; what was accepted needs no remedy', () => {
    expect(
      sentencesOf([...three, verdict('registers', { register: 'diplomas', passed: false, figures: 'none' })]),
    ).toEqual([
      'registers (skills, finess structureet): fewer. Look',
      'registers: fewer. Look',
      'registers (diplomas): none',
    ]);
    expect(sentencesOf(withAcceptances([failed()], [{ name: 'registers' }]))).toEqual(['registers: fewer']);
  });
});
