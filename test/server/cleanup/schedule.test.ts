// The clean-up by its clock: which steps a pass has, in which order, how often, and who does it. What is really removed: `cleanup.test.ts`.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startCleanup } from '#server/cleanup.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
let steps: unknown[][] = [];
let rows: Record<string, number> = {};
let broken: Record<string, Error> = {};
/** Milliseconds that a step takes. */
let takes: Record<string, number> = {};
/** The step during which another process takes the lease. */
let lostAfter = '';
let ours: boolean;
let passes: object[] = [];
let errors: unknown[][] = [];

/** Notes the step, and says how many rows it had left to remove. */
const step =
  (name: string) =>
  async (...given: unknown[]) => {
    steps.push([name, ...given]);
    if (takes[name]) jest.advanceTimersByTime(takes[name]);
    if (lostAfter === name) ours = false;
    const error = broken[name];
    if (error) throw error;
    const left = rows[name] ?? 0;
    rows[name] = 0;
    return left;
  };
const start = () =>
  startCleanup({
    stores: {
      records: { prune: step('records'), forgetSuccessors: step('successors') },
      pageSessions: () => ({ prune: step('sessions') }),
      signInLimiters: { prune: step('limits') },
      actionTokens: { prune: step('links') },
      auditEvents: { prune: step('audit') },
      mailQueue: { prune: step('mails'), hasten: step('hasten mails') },
      logoutDeliveries: { hasten: step('hasten logouts') },
      releasePages: step('pages'),
    } as never,
    cleanUpCorrections: step('corrections') as never,
    lease: {
      take: async (seconds) => {
        steps.push(['take', seconds]);
        if (broken['take']) throw broken['take'];
        return ours;
      },
      release: async () => void steps.push(['release']),
    },
    engine: 'sqlite',
    keepAudit: 86_400,
    log: { error: (...line: unknown[]) => void errors.push(line) } as never,
    passed: (result) => void passes.push(result),
  });
const settled = () => jest.advanceTimersByTimeAsync(0);

/** The steps of a pass with nothing to remove, at that time. */
const pass = (at: number) => [
  ['records', 60, 25],
  ['successors', 60, 25],
  ['sessions', 25],
  ['limits', 25],
  ['links', 25],
  ['mails', 25],
  ['audit', at - 86_400_000, 25],
  ['pages', 25],
  ['hasten logouts'],
  ['hasten mails'],
  ['corrections'],
];

describe('the clean-up', () => {
  beforeEach(() => {
    jest.useFakeTimers({ now: NOW, doNotFake: ['nextTick'] });
    [steps, rows, broken, takes, lostAfter, ours, passes, errors] = [[], {}, {}, {}, '', true, [], []];
  });

  afterEach(() => void jest.useRealTimers());

  it('has these steps, at the start and every minute, and ends', async () => {
    const cleanup = start();
    await settled();
    expect(steps).toEqual([['take', 60], ...pass(NOW)]);
    await jest.advanceTimersByTimeAsync(59_999);
    expect(passes).toHaveLength(1);
    steps = [];
    await jest.advanceTimersByTimeAsync(1);
    expect(steps).toEqual([['take', 60], ...pass(NOW + 60_000)]);
    steps = [];
    await cleanup.stop();
    await jest.advanceTimersByTimeAsync(120_000);
    expect(steps).toEqual([['release']]);
    expect(passes).toEqual([
      { removed: 0, failures: 0 },
      { removed: 0, failures: 0 },
    ]);
  });

  it('renews its lease 20 seconds after it was taken, and goes no further where another process has it', async () => {
    takes = { records: 19_999, successors: 1, sessions: 20_000 };
    const cleanup = start();
    await settled();
    const names = () => steps.map(([name]) => name);
    expect(names().slice(0, 6)).toEqual(['take', 'records', 'successors', 'take', 'sessions', 'take']);
    await jest.advanceTimersByTimeAsync(19_999);
    steps = [];
    ours = false;
    await jest.advanceTimersByTimeAsync(1);
    expect([names(), passes.length]).toEqual([['take'], 1]);
    ours = true;
    steps = [];
    takes = { records: 20_000 };
    lostAfter = 'records';
    await jest.advanceTimersByTimeAsync(60_000);
    // It asks before each of the other steps, and does none of them.
    expect(names()).toEqual([
      'take',
      'records',
      ...Array.from({ length: 7 }, () => 'take'),
      'hasten logouts',
      'hasten mails',
      'corrections',
    ]);
    await cleanup.stop();
  });

  it('counts the rows that it removed, and neither pages nor steps that failed', async () => {
    rows = { sessions: 3, pages: 5 };
    broken = { records: new Error('a'), 'hasten mails': new Error('b'), corrections: new Error('c') };
    const cleanup = start();
    // Pauses between batches are of another module, whose clock is the system's.
    jest.useRealTimers();
    while (passes.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await cleanup.stop();
    expect(passes).toEqual([{ removed: 3, failures: 3 }]);
    expect(errors).toEqual(
      ['a', 'b', 'c'].map((name) => [{ err: new Error(name) }, 'expired records could not be removed']),
    );
  });

  it('that cannot even ask for its lease has failed', async () => {
    broken = { take: new Error('away') };
    const cleanup = start();
    await settled();
    expect([passes, steps]).toEqual([[{ removed: 0, failures: 1 }], [['take', 60]]]);
    await cleanup.stop();
  });
});
