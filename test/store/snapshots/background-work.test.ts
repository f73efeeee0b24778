// Work for the snapshot in force beside the one that is served: when it begins, when it is tried again, and that a newer one takes its place.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createBackgroundFetch, createBackgroundWork, DoneElsewhere } from '#store/snapshots/background-work.ts';
import { ImportLocked } from '#store/snapshots/import-lock.ts';

describe('background work', () => {
  const entry = (id: string) => ({ id }) as never;
  let begun: string[] = [];
  let errors: string[] = [];
  let outcome: () => Promise<void>;
  const start = () =>
    createBackgroundWork({
      work: ({ id }) => {
        begun.push(id);
        return outcome();
      },
      onError: ({ message }) => void errors.push(message),
    });
  const settled = () => jest.advanceTimersByTimeAsync(0);

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick'] });
    [begun, errors] = [[], []];
  });
  afterEach(() => void jest.useRealTimers());

  describe('work in the background', () => {
    it('that failed is tried again after 2 s, which double up to a minute', async () => {
      outcome = async () => Promise.reject(new Error('away'));
      const work = start();
      expect(work.begin(entry('a'))).toBe('running');
      await settled();
      for (const pause of [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
        const before = begun.length;
        jest.advanceTimersByTime(pause - 1);
        expect([pause, work.begin(entry('a')), begun.length]).toEqual([pause, 'failed', before]);
        jest.advanceTimersByTime(1);
        expect(work.begin(entry('a'))).toBe('failed');
        await settled();
        expect([pause, begun.length]).toEqual([pause, before + 1]);
      }
      expect(errors).toHaveLength(8);
      await work.close();
    });

    it('that another process does is looked at again every 2 s, and is no failure', async () => {
      outcome = async () => Promise.reject(new DoneElsewhere());
      const work = start();
      for (const _ of [1, 2, 3]) {
        expect(work.begin(entry('a'))).toBe('running');
        await settled();
        jest.advanceTimersByTime(1999);
        expect(work.begin(entry('a'))).toBe('running');
        jest.advanceTimersByTime(1);
      }
      expect([begun.length, errors]).toEqual([3, []]);
      await work.close();
    });

    it('for another snapshot takes the place of what runs, once that has ended', async () => {
      const ended: (() => void)[] = [];
      outcome = () => new Promise<void>((resolve) => void ended.push(resolve));
      const signals: AbortSignal[] = [];
      const work = createBackgroundWork({
        work: ({ id }, signal) => {
          begun.push(id);
          signals.push(signal);
          return outcome();
        },
        onError: ({ message }) => void errors.push(message),
      });
      work.begin(entry('a'));
      await settled();
      work.begin(entry('a'));
      work.begin(entry('b'));
      await settled();
      expect([begun, signals.map(({ aborted }) => aborted)]).toEqual([['a'], [true]]);
      ended[0]?.();
      await settled();
      expect(begun).toEqual(['a', 'b']);
      let closed = false;
      const closing = work.close().then(() => {
        closed = true;
      });
      await settled();
      expect([closed, signals.map(({ aborted }) => aborted)]).toEqual([false, [true, true]]);
      ended[1]?.();
      await closing;
      expect(errors).toEqual([]);
    });
  });

  it('a fetch in the background is said with its seconds; a file that another process of the folder fetches is no failure', async () => {
    const fetched: unknown[] = [];
    let here = false;
    let fetch = async () => {
      jest.advanceTimersByTime(1500);
      here = true;
      return { bytes: 3, through: 2 };
    };
    const background = createBackgroundFetch({
      distribution: { has: () => here, fetch: () => fetch() },
      onFetched: ({ id }, moved) => void fetched.push([id, moved]),
      onError: ({ message }) => void errors.push(message),
    });
    expect(background.obstacleTo(entry('a'))).toBe('fetching');
    await settled();
    expect([background.obstacleTo(entry('a')), fetched]).toEqual([
      undefined,
      [['a', { bytes: 3, through: 2, seconds: 1.5 }]],
    ]);
    here = false;
    fetch = async () => Promise.reject(new ImportLocked('process 1'));
    expect(background.obstacleTo(entry('b'))).toBe('fetching');
    await settled();
    expect(background.obstacleTo(entry('b'))).toBe('fetching');
    fetch = async () => Promise.reject(new Error('away'));
    expect(background.obstacleTo(entry('c'))).toBe('fetching');
    await settled();
    expect([background.obstacleTo(entry('c')), errors]).toEqual(['not fetched', ['away']]);
    await background.close();
  });
});
