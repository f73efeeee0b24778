// Operations: the primary process replaces workers that die, and ends when none is left that could serve. Workers are imitations here;
// real ones are killed in `killed.system.test.ts`.

import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

class Worker extends EventEmitter {
  readonly process;
  readonly signals: string[] = [];
  #dead = false;

  constructor(pid: number | undefined) {
    super();
    this.process = { pid, kill: (signal: string) => this.signals.push(signal) };
  }

  isDead() {
    return this.#dead;
  }

  listens() {
    this.emit('message', { listens: true });
  }

  ends(code: number | null, signal = '') {
    this.#dead = true;
    this.emit('exit', code, signal);
  }
}

let forked: Worker[] = [];
let disconnected = 0;
const cluster = {
  worker: { disconnect: () => void disconnected++ },
  fork: () => {
    const worker = new Worker(1000 + forked.length);
    forked.push(worker);
    return worker;
  },
  get workers() {
    return Object.fromEntries(forked.map((worker, id) => [id, worker]));
  },
};
jest.unstable_mockModule('node:cluster', () => ({ default: cluster, ...cluster }));
const { runAsWorker, runWorkers } = await import('#server/process/workers.ts');

const logged: Record<string, unknown>[] = [];
const told: unknown[][] = [];
const log = {
  info: (...line: unknown[]) => void told.push(line),
  error: (entry: object, message: string) => void logged.push({ ...entry, message }),
};

/** Runs two workers; `outcome` says how it ended. */
function start() {
  const stop = Promise.withResolvers<void>();
  const [listening, died] = [jest.fn(), jest.fn()];
  let outcome: string | undefined;
  const ended = runWorkers({ count: 2, log, endWithin: 5000, listening, died, stop: stop.promise }).then(
    () => {
      outcome = 'stopped';
    },
    (error: Error) => {
      outcome = error.message;
    },
  );
  return { stop: stop.resolve, listening, died, ended, outcome: () => outcome };
}
const settled = () => jest.advanceTimersByTimeAsync(0);
/** Ends those that were asked to. */
const endAll = () => {
  for (const worker of forked) if (worker.signals.length > 0) worker.ends(0);
};
const one = () => forked[0] as Worker;
const other = () => forked[1] as Worker;
const last = () => forked.at(-1) as Worker;

beforeEach(() => {
  jest.useFakeTimers();
  forked = [];
  [logged.length, told.length, disconnected] = [0, 0, 0];
});
afterEach(() => void jest.useRealTimers());

describe('a worker at the start', () => {
  it('that listens is reported once for all', () => {
    const { listening } = start();
    one().listens();
    other().listens();
    expect(listening).toHaveBeenCalledTimes(1);
    expect(told).toEqual([1000, 1001].map((worker) => [{ worker }, 'a worker process listens']));
    // Messages of others on the same channel.
    one().emit('message', { metrics: 'values' });
    expect(told).toHaveLength(2);
  });

  it.each([
    ['says why it cannot start', () => one().emit('message', { cannotStart: 'no room' }), 'no room'],
    ['ends by a signal', () => one().ends(null, 'SIGKILL'), 'a worker process ended before it listened (SIGKILL)'],
    ['ends by itself', () => one().ends(3), 'a worker process ended before it listened (exit code 3)'],
  ])('that %s ends the service, and the others with it', async (_how, fail, reason) => {
    const { outcome, ended } = start();
    other().listens();
    fail();
    if (!one().isDead()) one().ends(1);
    await settled();
    expect(other().signals).toEqual(['SIGTERM']);
    endAll();
    await ended;
    expect(outcome()).toBe(reason);
  });

  it('that cannot even be made ends the service', async () => {
    const { outcome, ended } = start();
    one().process.pid = undefined;
    one().emit('error', new Error('no more processes'));
    one().ends(null);
    await settled();
    endAll();
    await ended;
    expect(outcome()).toBe('no more processes');
  });
});

describe('a worker that served and died', () => {
  it('is counted, logged and replaced after a second, then after two, up to half a minute', async () => {
    const { died, outcome } = start();
    one().listens();
    other().listens();
    for (const pause of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
      const before = forked.length;
      last().ends(1);
      const message = 'a worker process ended and is replaced';
      const worker = last().process.pid;
      expect(logged.at(-1)).toEqual({ worker, code: 1, signal: '', replacedIn: pause, message });
      await jest.advanceTimersByTimeAsync(pause - 1);
      expect(forked).toHaveLength(before);
      await jest.advanceTimersByTimeAsync(1);
      expect(forked).toHaveLength(before + 1);
      last().listens();
    }
    expect(died).toHaveBeenCalledTimes(7);
    expect(outcome()).toBeUndefined();
  });

  it.each([
    [59_999, 2000],
    [60_000, 1000],
  ])('after %i ms is replaced in %i ms', async (lived, replacedIn) => {
    start();
    one().listens();
    other().listens();
    one().ends(1);
    await jest.advanceTimersByTimeAsync(1000);
    last().listens();
    await jest.advanceTimersByTimeAsync(lived);
    last().ends(1);
    expect(logged.at(-1)).toMatchObject({ replacedIn });
  });

  it('is replaced also when it was the last one', async () => {
    const { outcome } = start();
    one().listens();
    other().listens();
    one().ends(1);
    other().ends(1);
    await jest.advanceTimersByTimeAsync(3000);
    expect(forked).toHaveLength(4);
    expect(outcome()).toBeUndefined();
  });
});

describe('a replacement that cannot start', () => {
  it('is tried again as long as another worker serves', async () => {
    const { outcome } = start();
    one().listens();
    other().listens();
    one().ends(1);
    await jest.advanceTimersByTimeAsync(1000);
    last().emit('message', { cannotStart: 'the database is away' });
    last().ends(1);
    expect(logged.at(-1)).toMatchObject({ reason: 'the database is away', replacedIn: 2000 });
    await jest.advanceTimersByTimeAsync(2000);
    expect(forked).toHaveLength(4);
    expect(outcome()).toBeUndefined();
  });

  it('ends the service when no worker is left: whoever started it sees that, and why', async () => {
    const { outcome, ended } = start();
    one().listens();
    other().listens();
    one().ends(1);
    other().ends(1);
    await jest.advanceTimersByTimeAsync(1000);
    last().emit('message', { cannotStart: 'the database is away' });
    last().ends(1);
    await ended;
    expect(outcome()).toBe('the database is away');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(forked).toHaveLength(3);
  });
});

describe('a stop', () => {
  it('ends all workers, and replaces none of them', async () => {
    const { stop, outcome, ended, died } = start();
    one().listens();
    other().listens();
    stop();
    await settled();
    expect([one().signals, other().signals]).toEqual([['SIGTERM'], ['SIGTERM']]);
    endAll();
    await ended;
    await jest.advanceTimersByTimeAsync(60_000);
    expect([outcome(), forked.length, died.mock.calls.length]).toEqual(['stopped', 2, 0]);
  });

  it('kills one that does not end in time', async () => {
    const { stop, ended } = start();
    one().listens();
    stop();
    await settled();
    other().ends(0);
    await jest.advanceTimersByTimeAsync(4999);
    expect(one().signals).toEqual(['SIGTERM']);
    await jest.advanceTimersByTimeAsync(1);
    expect(one().signals).toEqual(['SIGTERM', 'SIGKILL']);
    expect(logged.at(-1)).toEqual({ worker: 1000, message: 'a worker process does not end and is killed' });
    one().ends(null, 'SIGKILL');
    await ended;
  });

  it('during a pause starts no replacement', async () => {
    const { stop, ended } = start();
    one().listens();
    other().listens();
    one().ends(1);
    stop();
    await settled();
    endAll();
    await ended;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(forked).toHaveLength(2);
  });
});

describe('a worker process itself', () => {
  const { send } = process;
  const sent: unknown[] = [];
  beforeEach(() => {
    sent.length = 0;
    process.send = ((message: unknown, _handle: unknown, _options: unknown, done: () => void) => {
      sent.push([message, disconnected]);
      done();
      return true;
    }) as never;
  });
  afterEach(() => {
    if (send) process.send = send;
    else delete process.send;
  });

  it('says that it listens, and is let go when its work is done', async () => {
    const code = await runAsWorker(async (listening) => {
      listening();
      return 3;
    });
    expect([code, sent, disconnected]).toEqual([3, [[{ listens: true }, 0]], 1]);
  });

  it.each([
    [new Error('no postgres://hygie:secretword@db.example/hygie'), 'no postgres://[redacted]@db.example/hygie'],
    ['odd', 'odd'],
  ])('that cannot start says why before it is let go, without secrets: %s', async (error, cannotStart) => {
    expect(await runAsWorker(() => Promise.reject(error))).toBe(1);
    expect([sent, disconnected]).toEqual([[[{ cannotStart }, 0]], 1]);
  });
});
