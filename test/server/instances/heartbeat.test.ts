// When an instance says that it is there, what it says, and what it says of its clock.

import { hostname } from 'node:os';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Instance } from '#store/instances.ts';

const actual = await import('#store/instances.ts');
let seen: Instance[] = [];
let removed: string[] = [];
let ahead: number | undefined;
let away: Error | undefined;
jest.unstable_mockModule('#store/instances.ts', () => ({
  ...actual,
  measureClock: async () => ahead,
  openInstances: () => ({
    seen: async (instance: Instance) => {
      if (away) throw away;
      seen.push(instance);
    },
    remove: async (id: string) => {
      if (away) throw away;
      removed.push(id);
    },
  }),
}));
const digests = await import('#server/instances/digests.ts');
jest.unstable_mockModule('#server/instances/digests.ts', () => ({ ...digests, settingsDigest: () => 'of settings' }));
const { startHeartbeat } = await import('#server/instances/heartbeat.ts');

let said: unknown[][] = [];
let gauges: unknown[][] = [];
const start = (snapshot?: { id: string }, pointer?: string) =>
  startHeartbeat({
    database: {} as never,
    settings: { listen: { port: 3000 } } as never,
    snapshots: { current: () => snapshot as never, pointer: () => pointer },
    clients: () => 'of clients',
    metrics: { set: (...gauge: unknown[]) => void gauges.push(gauge) } as never,
    log: {
      warn: (...line: unknown[]) => void said.push(['warn', ...line]),
      error: (...line: unknown[]) => void said.push(['error', ...line]),
    } as never,
  });
const settled = () => jest.advanceTimersByTimeAsync(0);

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick'] });
  [seen, removed, said, gauges, ahead, away] = [[], [], [], [], undefined, undefined];
});
afterEach(() => void jest.useRealTimers());

it('is said at the start and every ten seconds, until the end', async () => {
  const heartbeat = start({ id: 'a' }, 'b');
  await settled();
  expect(seen).toEqual([
    {
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      name: `${hostname()}:3000`,
      release: expect.stringMatching(/^\d+\./),
      settings: 'of settings',
      clients: 'of clients',
      edition: 'a',
      pointer: 'b',
    },
  ]);
  await jest.advanceTimersByTimeAsync(9999);
  expect(seen).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(seen).toEqual([seen[0], seen[0]]);
  await heartbeat.stop();
  await jest.advanceTimersByTimeAsync(60_000);
  expect([seen.length, removed, gauges, heartbeat.clockAhead()]).toEqual([2, [seen[0]?.id], [], 0]);
});

it.each([
  [5000, []],
  [-5000, []],
  [
    5600,
    [
      "the clock of this machine is 6 s ahead of the database's: set both by NTP; from 30 s on this instance is not ready",
    ],
  ],
  [
    -5600,
    [
      "the clock of this machine is 6 s behind the database's: set both by NTP; from 30 s on this instance is not ready",
    ],
  ],
])('a clock that is %i ms ahead is shown, and said from 5 s on', async (difference, messages) => {
  ahead = difference;
  const heartbeat = start();
  await settled();
  expect(seen).toMatchObject([{ clockAhead: difference }]);
  expect(Object.keys(seen[0] ?? {})).not.toContain('edition');
  expect(gauges).toEqual([['clock_ahead_seconds', {}, difference / 1000]]);
  expect(said).toEqual(messages.map((message) => ['error', message]));
  // What is not known at the moment is as it was.
  ahead = undefined;
  await jest.advanceTimersByTimeAsync(10_000);
  expect([heartbeat.clockAhead(), seen[1]?.clockAhead]).toEqual([difference, difference]);
  await heartbeat.stop();
});

it('a database that is away is said once, and the heart beats on', async () => {
  away = new Error('away');
  const heartbeat = start();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(said).toEqual([['warn', { err: away }, 'this instance cannot tell others that it is there']]);
  away = undefined;
  await jest.advanceTimersByTimeAsync(10_000);
  expect(seen).toHaveLength(1);
  away = new Error('away again');
  await heartbeat.stop();
  expect(said).toHaveLength(2);
});
