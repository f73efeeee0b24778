// Values that belong together are counted by pair, by file and by window of lines, in all threads alike.

import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { createPairs, type PairTally } from '#import/collect/pairs.ts';
import { LEAST_CASES } from '#import/guards/verdict.ts';
import { createDraw } from '#support/draw.ts';
import { collected, countJudged, hashOrder } from '#support/import/pairs.ts';

const share = ({ odd, checked }: PairTally) => odd / checked;
const mixedShare = ({ mixedOdd, mixedChecked }: PairTally) => mixedOdd / mixedChecked;

describe('directory data 4: pairs of values are counted', () => {
  it('three threads count what one counts, with the same examples', () => {
    const lines = { lines: 5000, odd: (line: number) => (line < 400 ? 0.9 : 0.2) };
    const [one, three] = [1, 3].map((threads) => countJudged(7, lines, { threads }).pairs.all()[0] as PairTally);
    const plain = ({ windows, examples, ...rest }: PairTally) => ({
      ...rest,
      windows: [windows.checked, windows.odd].map((counts) => [...counts.subarray(0, 157)]),
      examples: [...examples.values()].sort((a, b) => a.line - b.line),
    });
    expect(plain(three as PairTally)).toEqual(plain(one as PairTally));
    expect(one?.examples.size).toBeGreaterThan(10);
  });

  it('an example is shown without control characters, and not longer than 200 characters', () => {
    const pairs = createPairs();
    pairs.of('ownPhones').judged(0, 5, true, () => `\u001b[2J${'x'.repeat(5000)}`);
    const [{ text = '' } = {}] = pairs.all()[0]?.examples.values() ?? [];
    expect(text).toMatch(/^\\x1b\[2Jx+…$/);
    expect(text.length).toBeLessThan(210);
  });
});

describe('directory data 4: a value that follows from another one', () => {
  /** Communes and their towns, in hash order; `town` may be that of another commune. */
  const counted = (threads: number, townOf: (line: number, commune: number) => number) => {
    const draw = createDraw(3);
    const collectors = Array.from({ length: threads }, createCollector);
    const communes = Array.from({ length: 6002 }, () => draw.between(1, 300));
    for (const [at, line] of hashOrder(6000, draw).entries()) {
      const commune = communes[line] as number;
      collectors[at % threads]?.pairs
        .of('communeTowns')
        .follows(0, line, `c${commune}`, `town ${townOf(line, commune)}`);
    }
    return collected(collectors).pairs.all()[0] as PairTally;
  };

  it.each([1, 3])('in %d threads: the town of its commune fits, and that of a stranger does not', (threads) => {
    const tally = counted(threads, (_line, commune) => commune);
    expect(tally).toMatchObject({ odd: 0 });
    // The first town of each commune in a thread decides nothing yet.
    expect(6000 - tally.checked).toBeLessThanOrEqual(300 * threads);
    expect(mixedShare(tally)).toBeGreaterThan(0.98);
  });

  it.each([1, 3])('in %d threads: of 600 shifted lines nearly all are odd, and hardly any others', (threads) => {
    const tally = counted(threads, (line, commune) => (line >= 1024 && line < 1624 ? (line % 300) + 1 : commune));
    const { odd, checked } = tally.windows;
    const within = odd.subarray(32, 50).reduce((sum, count) => sum + count, 0);
    expect(within / checked.subarray(32, 50).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0.95);
    expect(tally.odd - within).toBeLessThan(0.1 * 5400);
  });
});

describe('directory data 4: values that go together', () => {
  const counted = (relate: (value: number, random: number) => number, values = 8) => {
    const draw = createDraw(5);
    const pairs = createPairs();
    for (const line of hashOrder(8000, draw)) {
      const a = draw.between(1, values);
      pairs.of('diplomaProfessions').associated(0, line, `p${a}`, `d${relate(a, draw.between(1, values))}`);
    }
    return pairs.all()[0] as PairTally;
  };

  it('a diploma of the profession fits, and that of a stranger does not', () => {
    const tally = counted((profession, random) => (random === 1 ? profession : Math.ceil(profession / 2) + 20));
    expect(share(tally)).toBeLessThan(0.01);
    expect(mixedShare(tally)).toBeGreaterThan(0.7);
  });

  it('unrelated values fit no better than those of strangers, however many there are', () => {
    for (const values of [3, 10, 40, 200]) {
      const tally = counted((_value, random) => random, values);
      if (tally.mixedChecked >= LEAST_CASES) expect(Math.abs(mixedShare(tally) - share(tally))).toBeLessThan(0.2);
    }
  });
});
