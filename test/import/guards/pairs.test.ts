// Guard pairs: what chance makes of addresses unlike their owners' names passes, and a shift of a few hundred lines does not.

import { describe, expect, it } from '@jest/globals';
import { pairFigures } from '#import/guards/pairs.ts';
import { countJudged, judgedPairs } from '#support/import/pairs.ts';
import { someOf } from '#support/seed.ts';

const SEEDS = Array.from({ length: 50 }, (_, seed) => seed + 1);
const SOME_SEEDS = someOf(SEEDS, 5);
const within = (from: number, to: number, odd: number, elsewhere: number) => (line: number) =>
  line >= from && line < to ? odd : elsewhere;
type Figures = ReturnType<typeof pairFigures>;
const mailboxes = { key: 'mailboxNames' as const };

describe('directory data 4: runs of lines whose values do not fit', () => {
  it('40 % of addresses that are unlike the name, spread evenly, pass', () => {
    const verdicts = SEEDS.flatMap((seed) =>
      judgedPairs(countJudged(seed, { lines: 1400 * (seed % 10 === 0 ? 40 : 1), odd: () => 0.4 })),
    );
    expect(verdicts).toHaveLength(50);
    expect(verdicts.filter(({ passed, notable }) => !passed || notable)).toEqual([]);
  });

  it('40 % that stand a little closer together in some practices pass', () => {
    const clustered = (line: number) => (Math.floor(line / 512) % 8 === 3 ? 0.6 : 0.4);
    const verdicts = SOME_SEEDS.flatMap((seed) => judgedPairs(countJudged(seed, { lines: 20_000, odd: clustered })));
    expect(verdicts.filter(({ passed }) => !passed)).toEqual([]);
  });

  it('a shift of 200 lines among them is refused, with its lines and examples from there', () => {
    for (const seed of SEEDS) {
      const from = 200 + seed * 17;
      const [verdict] = judgedPairs(countJudged(seed, { lines: 1400, odd: within(from, from + 200, 0.98, 0.4) }));
      expect(verdict).toMatchObject({ name: 'pairs', register: 'mailboxes', passed: false });
      const [, first = 0, last = 0] =
        /in lines (\d+) to (\d+) of file-0\.txt/.exec(verdict?.figures ?? '')?.map(Number) ?? [];
      expect(Math.abs(first - from)).toBeLessThan(100);
      expect(Math.abs(last - from - 200)).toBeLessThan(100);
      for (const [, line] of verdict?.figures.matchAll(/\(line (\d+)\)/g) ?? [])
        expect(Number(line) >= first && Number(line) <= last).toBe(true);
      expect(verdict?.figures).toMatch(/such as "a\.b" beside "C \d+" \(line \d+\)/);
    }
  });

  it('a column that hardly depends on the other one says nothing', () => {
    const random = countJudged(1, { lines: 20_000, stranger: 0.5, odd: within(100, 4000, 0.6, 0.4) });
    expect(judgedPairs(random)).toMatchObject([{ passed: true }]);
  });

  it('the second half of a file is found at a first import, in the file where it stands', () => {
    const collector = countJudged(1, { lines: 6000, odd: () => 0.01 });
    collector.add(countJudged(2, { lines: 6000, odd: within(3000, 7000, 0.98, 0.01) }, { file: 1 }).notes(), []);
    const [verdict] = judgedPairs(collector);
    expect(verdict?.passed).toBe(false);
    expect(verdict?.figures).toMatch(/in lines 3008 to 6\d\d\d of file-1\.txt/);
    expect(verdict?.figures).not.toContain('file-0');
  });

  it('more mailboxes of others than before are notable, however they are spread', () => {
    const spread = (odd: number) => countJudged(6, { lines: 20_000, odd: () => odd });
    const judged = (odd: number, before?: number) =>
      judgedPairs(spread(odd), before === undefined ? undefined : pairFigures(spread(before)))[0];
    expect(judged(0.006)?.notable).toBeUndefined();
    expect(judged(0.006, 0.006)?.notable).toBeUndefined();
    expect(judged(0.006, 0.001)).toMatchObject({ passed: true, notable: true });
    expect(judged(0.006, 0.001)?.figures).toMatch(/have another's name, more than before; such as /);
  });
});

describe('directory data 4: values that fit less than before, or than usual', () => {
  const good = () => pairFigures(countJudged(1, { lines: 3000, odd: () => 0.02 }, mailboxes));

  it('a column that was sorted apart is refused at a first import, with the usual share', () => {
    const [verdict] = judgedPairs(countJudged(1, { lines: 1000, odd: () => 0.98 }, mailboxes));
    expect(verdict?.figures).toMatch(
      /^.*: 9\d\d of 1000 addresses do not have the owner's name \(9\d\.\d %, \d+\.\d % beside a stranger's; at most 6\d\.\d % are usual\); such as/,
    );
  });

  it('too few lines, or too few strangers, decide nothing', () => {
    expect(judgedPairs(countJudged(1, { lines: 240, odd: () => 1 }, mailboxes))).toMatchObject([{ passed: true }]);
  });

  it.each([
    ['without an acceptance', [], false],
    ['but not beside an accepted edition', ['pairs'], true],
  ])('a fit that falls by less than the limit each day is refused in the end, %s', (_when, accepted, passed) => {
    const [third, second, first] = [0.1, 0.06, 0.02].map((share, seed) =>
      pairFigures(countJudged(seed + 1, { lines: 3000, odd: () => share }, mailboxes)),
    ) as [Figures, Figures, Figures];
    const history = [
      { accepted, pairs: third },
      { accepted: [], pairs: second },
      { accepted: [], pairs: first },
    ];
    const now = countJudged(4, { lines: 3000, odd: () => 0.14 }, mailboxes);
    expect(judgedPairs(now, third)).toMatchObject([{ passed: true }]);
    expect(judgedPairs(now, third, history)).toMatchObject([{ passed }]);
  });

  it('a pair without a usual fit is not judged in all at a first import', () => {
    const worse = countJudged(1, { lines: 3000, stranger: 0.3, odd: () => 0.9 }, { key: 'ownStreets' });
    expect(judgedPairs(worse)).toMatchObject([{ passed: true }]);
  });

  it('a pair that is related no more is refused, even if nothing is odd', () => {
    const constant = countJudged(2, { lines: 3000, stranger: 0, odd: () => 0 }, mailboxes);
    expect(judgedPairs(constant, good())).toMatchObject([{ passed: false }]);
  });

  it('an edition of a release before, without figures, is judged like a first import', () => {
    expect(judgedPairs(countJudged(1, { lines: 3000, odd: () => 0.5 }, mailboxes), {})).toMatchObject([
      { passed: true },
    ]);
    expect(judgedPairs(countJudged(1, { lines: 3000, odd: () => 0.98 }, mailboxes), {})).toMatchObject([
      { passed: false },
    ]);
  });
});
