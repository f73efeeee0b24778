// The soak's verdict on what grows can fail, and does not where a saw-toothed series is flat; its command line refuses what it cannot run.

import { describe, expect, it } from '@jest/globals';
import { judge, lowest, type Point } from '#tools/soak/measure/slope.ts';
import { measured } from '#tools/soak/measure/verdict.ts';

const MINUTES = 20;
/** A look every five seconds. */
const looks = (value: (seconds: number) => number): Point[] =>
  Array.from({ length: MINUTES * 12 }, (_, look) => ({ at: look * 5, value: value(look * 5) }));
/** What V8 does between two full collections, in MB. */
const saw = (seconds: number) => (seconds % 70) / 2;

const verdictOn = (name: string, points: Point[]) =>
  measured(new Map([[name, points]]), [], { from: 300, seconds: MINUTES * 60, longest: 120 })[0];

describe('memory and handles flat', () => {
  it.each([
    ['memory of instance one (MB)', (at: number) => 160 + saw(at), true],
    // 200 MB in an hour.
    ['memory of instance one (MB)', (at: number) => 160 + saw(at) + (200 * at) / 3600, false],
    ['file descriptors of instance one', (at: number) => 45 + (at % 15), true],
    // One in a minute.
    ['file descriptors of instance one', (at: number) => 45 + at / 60, false],
    ['rows of oidc_records', (at: number) => 900 + 60 * Math.sin(at / 100), true],
    ['rows of oidc_records', (at: number) => 900 + at, false],
    ['rows that should be gone', () => 0, true],
    ['rows that should be gone', (at: number) => (at === 700 ? 1 : 0), false],
    // A falling series is no leak.
    ['memory of instance one (MB)', (at: number) => 400 - at / 10, true],
  ])('%s: finds a leak, and nothing but a leak (%#)', (name, value, flat) => {
    expect(verdictOn(name, looks(value))?.flat).toBe(flat);
  });

  it('does not judge too few points or too short a time', () => {
    expect(judge(looks((at) => at).slice(0, 4), { share: 0, absolute: 0 })).toBeUndefined();
    expect(verdictOn('memory of instance one (MB)', looks((at) => at).slice(0, 70))?.unjudged).toMatch('too short');
    expect(
      verdictOn(
        'something new',
        looks(() => 1),
      )?.unjudged,
    ).toBe('not known');
  });

  it('the slope is that of the line, per hour', () => {
    const found = judge(
      looks((at) => 10 + at / 36),
      { share: 0, absolute: 1 },
    );
    expect(found?.perHour).toBeCloseTo(100, 6);
    expect(found?.rise).toBeCloseTo((MINUTES * 60 - 5) / 36, 6);
    expect(lowest(looks(saw)).every(({ value }) => value < 5)).toBe(true);
  });
});
