// What operators may accept of an edition: `directory import --accept REASON[:REGISTER]`.

import { describe, expect, it } from '@jest/globals';
import { ACCEPTABLE, parseAccept } from '#cli/directory/acceptances.ts';

describe('--accept', () => {
  it('takes reasons, each for one register or for all', () => {
    expect(parseAccept()).toEqual([]);
    expect(parseAccept(['partial, changed:Practitioner', 'fill-rates:finess/structureet'])).toEqual([
      { name: 'partial' },
      { name: 'changed', register: 'Practitioner' },
      { name: 'fill-rates', register: 'finess structureet' },
    ]);
    expect([ACCEPTABLE[0], new Set(ACCEPTABLE).size === ACCEPTABLE.length]).toEqual(['other-people', true]);
  });

  it.each([
    ['changed:a:b', '--accept "changed:a:b": write REASON or REASON:REGISTER.'],
    ['registers,people', '--accept people: that may not be accepted.'],
    ['growth:finess/structureets', expect.stringContaining('Did you mean "finess/structureet"?')],
    ['changed:', '--accept "changed:": write REASON or REASON:REGISTER.'],
    ['chnged', '--accept "chnged": there is no such reason. Did you mean "changed"?'],
    ['zzzzzz', `--accept "zzzzzz": there is no such reason. Reasons are ${ACCEPTABLE.join(', ')}.`],
    ['changed:skils', '--accept: there is no register "skils". Did you mean "skills"?'],
    [
      'changed:zzzzzzzz',
      expect.stringMatching(
        /^--accept: there is no register "zzzzzzzz"\. Registers are activities, .*PractitionerRole\.$/,
      ),
    ],
  ])('refuses %s', (text, message) => {
    expect(() => parseAccept([text])).toThrow(expect.objectContaining({ name: 'UsageError', message }));
  });
});
