// Operations: how fast expired records go. Batches stay small where they take long, pauses leave most of the time to requests, and removal
// speeds up only where it does not keep up. The clock and the pauses are those of the tests.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

let now = 0;
let pauses: number[] = [];
jest.unstable_mockModule('node:timers/promises', () => ({
  setTimeout: async (milliseconds: number) => {
    pauses.push(milliseconds);
    now += milliseconds;
  },
}));
const { BATCH_MS, createPace } = await import('#server/cleanup.ts');

/** Sizes of batches whose rows take these milliseconds, batch by batch, and the pauses after them; the last one finds nothing. */
async function removed(pace: ReturnType<typeof createPace>, costs: number[], ended = new AbortController()) {
  const sizes: number[] = [];
  pauses = [];
  await pace.untilNoneIsLeft(async (most) => {
    const cost = costs[sizes.length];
    sizes.push(most);
    if (cost === undefined) return 0;
    now += most * cost;
    if (sizes.length === 9) ended.abort();
    return most;
  });
  return { sizes, pauses: pauses.map((pause) => Math.round(pause * 1e6) / 1e6) };
}

beforeEach(() => {
  now = 1000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('the pace at which expired records go', () => {
  const paced = (ended = new AbortController()) => createPace(BATCH_MS.sqlite, ended.signal);

  it('begins with 25 rows and doubles up to 500, with pauses of nineteen times a batch', async () => {
    const pace = paced();
    pace.begin();
    const { sizes, pauses } = await removed(pace, Array(6).fill(0.001));
    expect(sizes).toEqual([25, 50, 100, 200, 400, 500, 500]);
    expect(pauses).toEqual([0.475, 0.95, 1.9, 3.8, 7.6, 9.5]);
  });

  it('never has fewer than 25 rows, nor pauses longer than a quarter of a second', async () => {
    const pace = paced();
    pace.begin();
    expect(await removed(pace, [10, 10])).toEqual({ sizes: [25, 25, 25], pauses: [250, 250] });
  });

  it('aims at 2 ms for a batch on SQLite and 20 ms on PostgreSQL', async () => {
    const pace = paced();
    pace.begin();
    expect((await removed(pace, [0.05, 0.05, 0.05])).sizes).toEqual([25, 40, 40, 40]);
    const other = createPace(BATCH_MS.postgresql, new AbortController().signal);
    other.begin();
    expect((await removed(other, Array(5).fill(0.05))).sizes).toEqual([25, 50, 100, 200, 400, 400]);
  });

  it('is not misled by one slow batch: the expected cost rises by three tenths at most', async () => {
    const pace = paced();
    pace.begin();
    const { sizes } = await removed(pace, [0.02, 2, 0.02]);
    expect(sizes).toEqual([25, 50, 77, 100]);
  });

  it('speeds up by half where a pass takes more than 30 s, up to three tenths of the time, and slows down after a quick one', async () => {
    const pace = paced();
    const shares: number[] = [];
    const near = (...expected: number[]) => expected.map((share) => expect.closeTo(share, 4));
    const measure = async () => {
      const { pauses } = await removed(pace, [0.004]);
      shares.push(0.1 / (0.1 + (pauses[0] ?? 0)));
    };
    for (let pass = 0; pass < 6; pass += 1) {
      pace.begin();
      now += 30_001;
      await measure();
    }
    expect(shares).toEqual(near(0.075, 0.1125, 0.16875, 0.253125, 0.3, 0.3));
    pace.begin();
    now += 15_000;
    pace.end();
    await measure();
    expect(shares.at(-1)).toBeCloseTo(0.3, 4);
    for (let pass = 0; pass < 6; pass += 1) {
      pace.begin();
      now += 14_999;
      pace.end();
      pace.begin();
      await measure();
    }
    expect(shares.slice(-6)).toEqual(near(0.2, 0.2 / 1.5, 0.2 / 2.25, 0.2 / 3.375, 0.05, 0.05));
  });

  it('keeps its share within 30 s', async () => {
    const pace = paced();
    pace.begin();
    now += 29_900;
    expect((await removed(pace, [0.004])).pauses).toEqual([1.9]);
  });

  it('stops at once when it is told to', async () => {
    const ended = new AbortController();
    const pace = paced(ended);
    pace.begin();
    expect((await removed(pace, Array(20).fill(0.001), ended)).sizes).toHaveLength(9);
  });
});
