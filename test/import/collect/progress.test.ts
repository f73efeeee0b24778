// How long the phases of an import take, and what is shown while it works.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { showProgressDuring, startPhaseClock } from '#import/collect/progress.ts';

describe('the progress of an import', () => {
  let now: number;
  beforeEach(() => {
    now = 5000;
    jest.useFakeTimers({ doNotFake: ['nextTick', 'performance'] });
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('phases follow one another, in hundredths of seconds', () => {
    const clock = startPhaseClock();
    expect([clock.phases, clock.seconds()]).toEqual([{}, 0]);
    now += 1234;
    clock.endPhase('reading');
    now += 106;
    clock.endPhase('people');
    now += 60_004;
    expect([clock.phases, clock.seconds()]).toEqual([{ reading: 1.23, people: 0.11 }, 61.34]);
  });

  it('is shown at once and then every second, until the work ends with its result', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    let shown = 0;
    const done = showProgressDuring(promise, () => shown++);
    expect(shown).toBe(1);
    jest.advanceTimersByTime(999);
    expect(shown).toBe(1);
    jest.advanceTimersByTime(2001);
    expect(shown).toBe(4);
    resolve('result');
    expect(await done).toBe('result');
    jest.advanceTimersByTime(5000);
    expect(shown).toBe(4);
  });

  it('an error of the display ends the wait, and one of the work too', async () => {
    const never = new Promise<never>(() => {});
    const interrupted = () => {
      throw new Error('interrupted');
    };
    await expect(showProgressDuring(never, interrupted)).rejects.toThrow('interrupted');
    await expect(showProgressDuring(Promise.reject(new Error('failed')), () => {})).rejects.toThrow('failed');
    expect(jest.getTimerCount()).toBe(0);
  });
});
