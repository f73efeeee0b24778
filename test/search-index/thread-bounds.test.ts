// The bounds of the search threads by their clock: how many calls run at once, when one is given up, when a thread that died is replaced,
// and after how many seconds a client may ask again. Threads are imitations here; real ones: `search-threads.test.ts`.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { SearchThreads, SearchThreadsOptions } from '#search-index/threads/search-threads.ts';

interface Thread {
  sent: unknown[];
  ran: { number: number; snapshot: number; call: { method: string } }[];
  onAnswer(answer: object): void;
  onDeath(error: Error): void;
}
let threads: Thread[] = [];
jest.unstable_mockModule('#search-index/threads/thread-handle.ts', () => ({
  startThread: (_checks: unknown, events: Pick<Thread, 'onAnswer' | 'onDeath'>) => {
    const thread: Thread = { sent: [], ran: [], ...events };
    threads.push(thread);
    return {
      run: (job: Thread['ran'][number]) => void thread.ran.push(job),
      send: (message: unknown) => void thread.sent.push(message),
      end: async () => void thread.sent.push('end'),
    };
  },
}));
jest.unstable_mockModule('#search-index/read/reader.ts', () => ({
  openSnapshot: async () => ({ id: 'a', counts: async () => ({}), history: async () => [], close: async () => {} }),
}));
jest.unstable_mockModule('#search-index/threads/point-lookup.ts', () => ({
  pointLookups: () => ({ answer: () => undefined, close: async () => {} }),
}));
const { isCostly } = await import('#search-index/threads/job-queue.ts');
const { startSearchThreads } = await import('#search-index/threads/search-threads.ts');

let pool: SearchThreads | undefined;
let deaths: [string, number][] = [];
let overloads: number[] = [];
let errors: string[] = [];
let done: unknown[] = [];
const start = async (options: Partial<SearchThreadsOptions> = {}) => {
  pool = startSearchThreads({
    threads: 2,
    onDeath: (error, jobs) => void deaths.push([error.message, jobs]),
    onOverload: (refused) => void overloads.push(refused),
    ...options,
  });
  const snapshot = await pool.open('a.sqlite');
  const note = (call: Promise<unknown>) =>
    void call.then(
      (value) => void done.push(value),
      (error: Error) => void errors.push(inWords(error)),
    );
  return {
    read: () => note(snapshot.read('Practitioner', '1')),
    scan: () => note(snapshot.scan('Practitioner', {} as never)),
    search: (abandoned: () => boolean) =>
      note(snapshot.search({ type: 'Practitioner', clauses: [], limit: 1, total: false } as never, { abandoned })),
  };
};
const inWords = (error: Error & { retryAfter?: number }) =>
  `${error.constructor.name}: ${error.message}${error.retryAfter === undefined ? '' : ` (${error.retryAfter} s)`}`;
const settled = () => jest.advanceTimersByTimeAsync(0);
const running = () => threads.map(({ ran }) => ran.length);

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick'] });
  [threads, deaths, overloads, errors, done] = [[], [], [], [], []];
});
afterEach(async () => {
  await pool?.close();
  pool = undefined;
  jest.useRealTimers();
});

describe('the calls of search threads', () => {
  it('run 32 at a time in each, of which 4 are costly, and none costly in the first', async () => {
    const { read, scan } = await start();
    for (let count = 0; count < 10; count += 1) scan();
    expect([running(), pool?.load()]).toEqual([[4], { waiting: 6, running: 4, refused: 0 }]);
    for (let count = 0; count < 70; count += 1) read();
    expect(running()).toEqual([32, 32]);
    expect(threads.map(({ ran }) => ran.filter(({ call }) => call.method === 'scan').length)).toEqual([4, 0]);
    expect(pool?.load()).toEqual({ waiting: 16, running: 64, refused: 0 });
  });

  it('wait 500 of each kind at most; then the newest is refused, to come again in 2 s', async () => {
    const { read } = await start({ threads: 1 });
    for (let count = 0; count < 32 + 500; count += 1) read();
    await settled();
    expect([errors, pool?.load()]).toEqual([[], { waiting: 500, running: 32, refused: 0 }]);
    read();
    await settled();
    expect(errors).toMatchSnapshot();
    expect(pool?.load().refused).toBe(1);
  });

  it('are given up after 30 s, waiting or running, which is looked at twice a second and said once a minute', async () => {
    const { read } = await start({ threads: 1 });
    for (let count = 0; count < 33; count += 1) read();
    await jest.advanceTimersByTimeAsync(30_000);
    expect(errors).toEqual([]);
    await jest.advanceTimersByTimeAsync(500);
    expect([errors.length, new Set(errors).size, overloads]).toEqual([33, 1, [33]]);
    expect(errors[0]).toMatchSnapshot();
    expect(threads[0]?.sent.filter((one) => typeof one === 'object' && one !== null && 'abandon' in one)).toHaveLength(
      32,
    );
    // They count as running until the thread says that they have ended.
    expect(pool?.load().running).toBe(32);
    for (const { number } of threads[0]?.ran ?? []) threads[0]?.onAnswer({ number, value: 1 });
    read();
    await jest.advanceTimersByTimeAsync(30_500);
    expect([errors.length, overloads]).toEqual([34, [33]]);
    await jest.advanceTimersByTimeAsync(29_500);
    expect(overloads).toEqual([33]);
    await jest.advanceTimersByTimeAsync(500);
    expect(overloads).toEqual([33, 1]);
  });

  it('that nobody waits for are dropped, and count for nothing', async () => {
    const { search } = await start({ threads: 1, within: 1000 });
    let gone = false;
    for (let count = 0; count < 33; count += 1) search(() => gone);
    gone = true;
    await jest.advanceTimersByTimeAsync(500);
    expect([errors.length, new Set(errors).size, pool?.load().refused, overloads]).toEqual([33, 1, 0, []]);
    expect(errors[0]).toMatchSnapshot();
  });

  it('are refused once the threads end, to come again in 5 s', async () => {
    const { read } = await start({ threads: 1 });
    for (let count = 0; count < 33; count += 1) read();
    await pool?.close();
    read();
    await settled();
    expect([errors.length, new Set(errors).size, threads[0]?.sent.at(-1)]).toEqual([34, 1, 'end']);
    expect(errors[0]).toMatchSnapshot();
  });

  it('get the errors of their thread as they were, and another thread where the file is not open there', async () => {
    const { read } = await start({ threads: 1 });
    for (let count = 0; count < 4; count += 1) read();
    const [thread] = threads;
    const fail = (at: number, name: string, notOpen = false) =>
      thread?.onAnswer({
        number: thread.ran[at]?.number,
        error: { name, message: `of ${name}`, stack: 'there', notOpen },
      });
    fail(0, 'TooCostly');
    fail(1, 'Abandoned');
    fail(2, 'RangeError');
    fail(3, 'Error', true);
    expect(running()).toEqual([5]);
    fail(4, 'Error', true);
    await settled();
    expect(errors).toMatchSnapshot();
  });
});

describe('a thread that died', () => {
  const die = async () => {
    threads.at(-1)?.onDeath(new Error('out of memory'));
    await settled();
  };

  it('is replaced at once, and after pauses that double from 100 ms to 10 s where each one dies', async () => {
    const { read } = await start({ threads: 1 });
    read();
    await die();
    expect([threads.length, deaths]).toEqual([2, [['out of memory', 1]]]);
    await die();
    // The call was repeated once.
    expect(errors).toMatchSnapshot();
    for (const pause of [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]) {
      const before = threads.length;
      read();
      await jest.advanceTimersByTimeAsync(pause - 1);
      expect([pause, threads.length]).toEqual([pause, before]);
      await jest.advanceTimersByTimeAsync(1);
      expect([pause, threads.length]).toEqual([pause, before + 1]);
      await die();
    }
  });

  it('is forgotten once another one has answered', async () => {
    const { read } = await start({ threads: 1 });
    read();
    await die();
    const [job] = threads[1]?.ran ?? [];
    threads[1]?.onAnswer({ number: job?.number, value: 'found' });
    await settled();
    expect(done).toEqual(['found']);
    read();
    await die();
    expect(threads).toHaveLength(3);
  });
});

describe('a call is costly', () => {
  const exact = (field: string, more: object = {}) => ({ match: 'exact', field, anyOf: ['1'], ...more });
  const search = (clauses: object[], more: object = {}) => ({ method: 'search', arguments: [{ clauses, ...more }] });
  it.each([
    ...['scan', 'listGone', 'spellings', 'codes'].map((method) => [{ method, arguments: [] }, true] as const),
    ...['read', 'gone', 'describe'].map((method) => [{ method, arguments: [] }, false] as const),
    [search([]), false],
    [search([], { exactly: {} }), true],
    [search([], { order: { by: 'alphabet' } }), false],
    [search([], { order: { by: 'distance' } }), true],
    [search([{ match: 'present', field: 'x' }]), true],
    [search([{ match: 'range', field: 'x' }]), true],
    [search([exact('x')], { total: true }), false],
    [search([exact('x', { not: true })]), true],
    [search([{ match: 'words', field: 'x' }]), false],
    [search([{ match: 'words', field: 'x' }], { total: true }), true],
  ])('%j: %j', (call, costly) => {
    expect(isCostly(call as never)).toBe(costly);
  });
});
