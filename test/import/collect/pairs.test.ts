// Values that belong together are counted by pair, by file and by window of lines, in all threads alike.

import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { createPairs, type PairTally } from '#import/collect/pairs.ts';
import { LEAST_CASES } from '#import/guards/significance.ts';
import { createDraw } from '#support/draw.ts';
import { collected, countJudged, hashOrder } from '#support/import/pairs.ts';

const share = ({ odd, checked }: PairTally) => odd / checked;
const mixedShare = ({ mixedOdd, mixedChecked }: PairTally) => mixedOdd / mixedChecked;

describe('directory data 4: pairs of values are counted', () => {
  it('a judged case counts in its file and its window, one without a line in none', () => {
    const pairs = createPairs();
    pairs.of('structureTowns').judged(1, 31, true, () => '"A" beside "B"');
    // The structures of one legal entity in JSON stand in one line.
    for (let structure = 0; structure < 300; structure++) pairs.of('structureTowns').judged(1, 32, false);
    pairs.of('structureTowns').judged(1, 100_000, true, () => '"C" beside "D"');
    pairs.of('structureTowns').judged(2, 0, true);
    pairs.of('structureTowns').mixed(1, true);
    const [first, second] = pairs.all();
    expect(first).toMatchObject({ file: 1, checked: 302, odd: 2, mixedChecked: 1, mixedOdd: 1 });
    expect([0, 1, 3125].map((window) => first?.windows.checked[window])).toEqual([1, 300, 1]);
    expect([0, 1, 3125].map((window) => first?.windows.odd[window])).toEqual([1, 0, 1]);
    expect([...(first?.examples.values() ?? [])].map(({ line }) => line)).toEqual([31, 100_000]);
    expect(second).toMatchObject({ file: 2, checked: 1, odd: 1 });
    expect(second?.windows.checked.every((count) => count === 0)).toBe(true);
  });

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

  it('a large file has no more examples than one in 1024 lines, and one where odd cases are dense', () => {
    const pairs = createPairs();
    for (let line = 100_000; line < 200_000; line++) {
      const odd = line % 100 === 0 || (line >= 150_000 && line < 150_600);
      pairs.of('roleLabels').judged(0, line, odd, () => 'odd');
    }
    const lines = [...(pairs.all()[0]?.examples.values() ?? [])].map(({ line }) => line);
    expect(lines.length).toBeLessThanOrEqual(99);
    expect(lines.some((line) => line >= 150_000 && line < 150_600)).toBe(true);
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

  it('a first line that is wrong does not decide', () => {
    const pairs = createPairs();
    for (const [line, label] of ['wrong', ...Array(50).fill('right')].entries())
      pairs.of('roleLabels').follows(0, line + 2, '01', String(label));
    expect(pairs.all()[0]).toMatchObject({ checked: 50, odd: 2 });
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

  it('values that are too rare for a conclusion are not judged', () => {
    const tally = counted((_value, random) => random, 2000);
    expect(tally.checked).toBe(0);
  });
});
