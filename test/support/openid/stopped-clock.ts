// A clock that stands still until a test moves it, so that what ends after some time is tried to the second, however slow
// the machine.

import { afterEach, jest } from '@jest/globals';

export interface StoppableClock {
  /** It stands at the present moment. */
  stop(): void;
  /** So many seconds go by at once. */
  pass(seconds: number): void;
}

/** To be called where a group of tests begins; the clock is put right after each of them. */
export function stoppableClock(): StoppableClock {
  afterEach(() => void jest.restoreAllMocks());
  const show = (time: number) => void jest.spyOn(Date, 'now').mockReturnValue(time);
  return { stop: () => show(Date.now()), pass: (seconds) => show(Date.now() + seconds * 1000) };
}
