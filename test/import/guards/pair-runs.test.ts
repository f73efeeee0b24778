// Runs of lines whose values do not fit, to the last figure: where they begin and end, what they weigh, and what is said of them.

import { describe, expect, it } from '@jest/globals';
import { type Collector, createCollector } from '#import/collect/collector.ts';
import { measurePairs, pairFigures } from '#import/guards/pairs.ts';
import { told } from '#support/import/judged-edition.ts';
import { judgedPairs } from '#support/import/pairs.ts';

type Range = readonly [from: number, to: number, step?: number];

/** Lines 1 to `lines` of a file; those within a range are odd, all or some. All strangers are, but for so many fitting ones. */
function counted(lines: number, ranges: readonly Range[], fitting = 0): Collector {
  const collector = createCollector();
  const pair = collector.pairs.of('mailboxRuns');
  for (let line = 1; line <= lines; line++) {
    const odd = ranges.some(([from, to, step = 1]) => line >= from && line <= to && line % step === 0);
    pair.judged(0, line, odd, () => `line ${line}`);
    pair.mixed(0, line > fitting);
  }
  return collector;
}
const EXAMPLES = ['line 96 (line 96)', 'line 128 (line 128)'];

describe('directory data 4: runs of lines', () => {
  it('are whole windows, with their odd share and that of the rest', () => {
    const [pair, ...others] = measurePairs(counted(1023, [[96, 159]], 100));
    expect(others).toEqual([]);
    expect(pair).toEqual({
      key: 'mailboxRuns',
      checked: 1023,
      oddCases: 64,
      odd: 64 / 1023,
      strangers: 923 / 1023,
      fit: 1 - 64 / 923,
      gap: expect.closeTo(859 / 1023, 12),
      examples: EXAMPLES,
      runs: [
        {
          file: 0,
          from: 96,
          to: 159,
          checked: 64,
          odd: 64,
          elsewhere: 0,
          excess: 64,
          examples: EXAMPLES,
          weight: expect.closeTo(64 * Math.log(923 / 64), 6),
        },
      ],
    });
    expect(pairFigures(counted(1023, [[96, 159]], 100))).toEqual({
      mailboxRuns: { fit: 0.93066, odd: 0.06256, gap: 0.83969, runs: [{ from: 96, excess: 64 }] },
    });
  });

  it('begin at line 1 where the file does, and others stay apart', () => {
    const [pair] = measurePairs(
      counted(3200, [
        [1, 63],
        [960, 1023],
        [1120, 1183],
      ]),
    );
    expect(pair?.runs.map(({ from, to, checked, odd }) => [from, to, checked, odd])).toEqual([
      [1, 63, 63, 63],
      [960, 1023, 64, 64],
      [1120, 1183, 64, 64],
    ]);
  });

  it('are eight at most, and none where strangers fit as well or are too few', () => {
    const ranges = Array.from({ length: 10 }, (_, at) => [at * 640 + 320, at * 640 + 383] as const);
    expect(measurePairs(counted(6400, ranges))[0]?.runs).toHaveLength(8);
    expect(measurePairs(counted(1023, [[96, 159]], 1000))[0]?.runs).toEqual([]);
    const few = createCollector();
    for (let line = 1; line <= 1023; line++) few.pairs.of('mailboxRuns').judged(0, line, line > 959);
    for (let count = 0; count < 19; count++) few.pairs.of('mailboxRuns').mixed(0, true);
    expect(measurePairs(few)).toMatchObject([{ runs: [], gap: 0, fit: 0 }]);
    expect(measurePairs(few)[0]).not.toHaveProperty('strangers');
    few.pairs.of('mailboxRuns').mixed(0, true);
    expect(measurePairs(few)[0]).toMatchObject({ strangers: 1, runs: [{ from: 960, to: 1023 }] });
  });

  it('are nearer to strangers than to the file, however long they are', () => {
    const runs = (step: number) => measurePairs(counted(6400, [[320, 1023, step]], 3200))[0]?.runs ?? [];
    expect([3, 5].map((step) => runs(step).map(({ from, to }) => [from, to]))).toEqual([[[320, 1023]], []]);
  });

  it('are refused from 40 odd cases more than elsewhere on, and warned of from 15 on', () => {
    const judged = (odd: number) => {
      const [verdict] = judgedPairs(counted(6400, [[320, 320 + odd - 1]]));
      return [verdict?.passed, verdict?.notable];
    };
    expect([14, 15, 39, 40].map(judged)).toEqual([
      [true, undefined],
      [true, undefined],
      [true, true],
      [true, true],
    ]);
    expect(judged(64)).toEqual([false, undefined]);
  });

  it('are said with their lines, shares and examples', () => {
    const title = 'Extraction_Correspondance_MSSante';
    const remedy = 'Is a column shifted against the others? Take the file as published';
    expect(told(judgedPairs(counted(1023, [[96, 159]])))).toEqual([
      `refused: pairs (mailboxes): ${title}: 64 of 64 addresses with a name have another's name in lines 96 to 159 of file-0.txt (100.0 %, 0.00 % elsewhere); such as ${EXAMPLES.join(', ')}. ${remedy}`,
    ]);
    expect(told(judgedPairs(counted(1023, [])))).toEqual([
      `passed: pairs (mailboxes): ${title}: what belongs together stands together (1 compared)`,
    ]);
    const names = createCollector();
    for (let number = 0; number < 400; number++) {
      names.pairs.of('mailboxNames').judged(0, 0, number < 300, () => 'a beside b');
      names.pairs.of('mailboxNames').mixed(0, number < 320);
    }
    expect(told(judgedPairs(names))).toEqual([
      `refused: pairs (mailboxes): ${title}: 300 of 400 addresses do not have the owner's name (75.0 %, 80.0 % beside a stranger's; at most 52.0 % are usual); such as a beside b. ${remedy}`,
    ]);
    const earlier = { mailboxNames: { fit: 0.9, odd: 0.1, gap: 0.8, runs: [] } };
    expect(judgedPairs(names, earlier)[0]?.figures).toBe(
      `${title}: 300 of 400 addresses do not have the owner's name (75.0 %, 80.0 % beside a stranger's; before 10.0 % and 90.0 %, limit 5.00 % more); such as a beside b`,
    );
  });

  it('that were in about the same place before are known, one for one', () => {
    const earlier = (from: number, excess: number) => ({
      mailboxRuns: { fit: 1, odd: 0.1, gap: 0.9, runs: [{ from, excess }] },
    });
    const passed = (from: number, excess: number) =>
      judgedPairs(counted(1023, [[96, 159]]), earlier(from, excess))[0]?.passed;
    expect([passed(96, 64), passed(96, 80), passed(96, 81), passed(96, 54), passed(96, 53)]).toEqual([
      ...[true, true, false, true, false],
    ]);
    const late = (from: number) => judgedPairs(counted(12_000, [[9600, 9663]]), earlier(from, 64))[0]?.passed;
    // 128 lines and a fiftieth of the line number away.
    expect([late(9287), late(9286), late(9926), late(9927)]).toEqual([true, false, true, false]);
    const twice = judgedPairs(
      counted(1023, [
        [96, 159],
        [480, 543],
      ]),
      earlier(96, 64),
    )[0];
    expect([twice?.passed, twice?.figures.match(/in lines \d+ to \d+/g)]).toEqual([false, ['in lines 480 to 543']]);
  });
});
