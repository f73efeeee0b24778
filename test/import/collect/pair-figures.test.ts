// The counts of pairs to the last one: which cases are judged, which are compared with a stranger, and which are shown.

import { describe, expect, it } from '@jest/globals';
import { createPairs, createStrangers, type PairTally } from '#import/collect/pairs.ts';

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => index + from);
const only = (pairs: ReturnType<typeof createPairs>) => pairs.all()[0] as PairTally;
const figures = ({ checked, odd, mixedChecked, mixedOdd }: PairTally) => ({ checked, odd, mixedChecked, mixedOdd });
const shown = ({ examples }: PairTally) => [...examples].map(([block, { line, text }]) => [block, line, text]);

it('strangers are the eighth case before, of the first 1,024 cases and then of one in 16', () => {
  const strangerAfter = createStrangers<number>();
  const strangers = numbers(1100).map((value) => strangerAfter(value));
  expect(strangers).toEqual(numbers(1100).map((at) => (at < 8 || (at >= 1024 && at % 16 !== 0) ? undefined : at - 8)));
});

describe('directory data 4: a value that follows', () => {
  it('is held against the commonest one so far, and the first decides nothing', () => {
    const pairs = createPairs();
    const labels = ['x', 'x', 'y', 'y', 'y', 'y', 'x', 'z'];
    for (const [at, label] of labels.entries()) pairs.of('roleLabels').follows(3, at + 40, '01', label);
    // x, then y is odd twice, takes the place of x at the third, and holds it.
    expect(only(pairs)).toMatchObject({ key: 'roleLabels', file: 3, checked: 7, odd: 5, mixedChecked: 0 });
    expect([...only(pairs).windows.checked.subarray(0, 3)]).toEqual([0, 7, 0]);
    expect([...only(pairs).windows.odd.subarray(0, 3)]).toEqual([0, 5, 0]);
    expect(shown(only(pairs))).toEqual([[0, 42, '"y" beside "01"']]);
  });

  it('is compared with those of strangers', () => {
    const pairs = createPairs();
    for (const at of numbers(32)) pairs.of('communeTowns').follows(0, at + 1, `c${at % 3}`, `t${at % 3}`);
    // Eight cases before stands another commune; of the first eight cases nothing stands there.
    expect(figures(only(pairs))).toEqual({ checked: 29, odd: 0, mixedChecked: 24, mixedOdd: 24 });
    const alike = createPairs();
    for (const at of numbers(32)) alike.of('communeTowns').follows(0, at + 1, 'c', 't');
    expect(figures(only(alike))).toEqual({ checked: 31, odd: 0, mixedChecked: 24, mixedOdd: 0 });
  });
});

describe('directory data 4: values that go together', () => {
  const counted = (...cases: readonly (readonly [a: string, b: string, times: number])[]) => {
    const pairs = createPairs();
    let line = 0;
    for (const [a, b, times] of cases)
      for (const _ of numbers(times)) pairs.of('roleModes').associated(0, ++line, a, b);
    return figures(only(pairs));
  };

  it('are judged from five expected cases on', () => {
    expect(counted(['a', 'b', 5])).toMatchObject({ checked: 0, odd: 0 });
    expect(counted(['a', 'b', 10])).toEqual({ checked: 5, odd: 0, mixedChecked: 2, mixedOdd: 0 });
  });

  it('are odd with less than three quarters of the expected ones', () => {
    const before = [
      ['d', 'b', 6],
      ['a', 'c', 6],
    ] as const;
    // At the last but one case, 7.1 cases are expected and 5 are known; at the last one 8 and 6.
    expect(counted(...before, ['a', 'b', 6])).toMatchObject({ checked: 4, odd: 3 });
    expect(counted(...before, ['a', 'b', 7])).toMatchObject({ checked: 5, odd: 3 });
  });

  it('and so are those of strangers', () => {
    expect(counted(['a', 'b', 20], ['c', 'd', 20])).toEqual({ checked: 22, odd: 0, mixedChecked: 20, mixedOdd: 1 });
  });
});

describe('directory data 4: examples of odd cases', () => {
  it('are the first of 128 lines, whatever their order, and one of 1,024 from line 65,536 on', () => {
    const pairs = createPairs();
    const judged = (line: number, text = `${line}`) => pairs.of('ownPhones').judged(0, line, true, () => text);
    for (const line of [130, 129, 255, 256, 127, 65_535, 65_536]) judged(line);
    expect(shown(only(pairs))).toEqual([
      [1, 129, '129'],
      [2, 256, '256'],
      [0, 127, '127'],
      [511, 65_535, '65535'],
      [-64, 65_536, '65536'],
    ]);
    for (const line of numbers(1024, 65_536)) judged(line);
    expect(shown(only(pairs)).at(-1)).toEqual([-64, 65_676, '65676']);
    pairs.of('ownPhones').judged(0, 700, true);
    pairs.of('ownPhones').judged(0, 800, false, () => 'fits');
    expect(only(pairs).examples.size).toBe(5);
  });

  it('an example is shown without control characters, and not longer than 200 characters', () => {
    const pairs = createPairs();
    pairs.of('ownPhones').judged(0, 5, true, () => `\u001b[2J${'x'.repeat(5000)}`);
    expect(shown(only(pairs))).toEqual([[0, 5, expect.stringMatching(/^\\x1b\[2Jx{100,196}…$/)]]);
  });

  it('and the counts of other threads are added, in as many windows as they have', () => {
    const [one, other] = [createPairs(), createPairs()];
    one.of('ownPhones').judged(1, 40, true, () => 'second');
    one.of('ownPhones').mixed(1, false);
    other.of('ownPhones').judged(1, 33, true, () => 'first');
    other.of('ownPhones').judged(1, 10_000, false);
    other.of('ownPhones').mixed(1, true);
    other.of('ownSirets').judged(0, 5, false);
    one.add(structuredClone(other.all()));
    expect(one.all()).toMatchObject([
      { key: 'ownPhones', file: 1, checked: 3, odd: 2, mixedChecked: 2, mixedOdd: 1 },
      { key: 'ownSirets', file: 0, checked: 1, odd: 0 },
    ]);
    const { windows } = only(one);
    expect([windows.checked[1], windows.odd[1], windows.checked[312], windows.odd[312]]).toEqual([2, 2, 1, 0]);
    expect(windows.checked.length).toBe(windows.odd.length);
    expect(shown(only(one))).toEqual([[0, 33, 'first']]);
  });
});
