// The processes that serve, as they see each other: their rows, who counts as gone, where they differ, and their clocks. On both engines.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  CLOCK_LIMITS,
  COMMON,
  countValues,
  differencesOf,
  type Instance,
  measureClock,
  openInstances,
} from '#store/instances.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';

const BARE = { release: '1.0.0' };
const WHOLE: Instance = {
  id: '1',
  name: 'b:3000',
  release: '1.0.0',
  settings: 's',
  clients: 'c',
  edition: 'e',
  pointer: 'p',
  clockAhead: -7,
};

describe.each(bothEngines('store/instances'))('instances on %s', (engine) => {
  const opened = openedForAll(() => openTestDatabase(engine));
  beforeEach(() => opened.database('instances').delete());
  afterEach(() => void jest.restoreAllMocks());

  it('describe themselves again and again, and are listed by name', async () => {
    const instances = openInstances(opened.database);
    await instances.seen(WHOLE);
    await instances.seen({ id: '2', name: 'a:3000', ...BARE });
    const times = { startedAt: expect.any(Date), seenAt: expect.any(Date) };
    expect(await instances.list()).toEqual([
      { id: '2', name: 'a:3000', ...BARE, ...times },
      { ...WHOLE, ...times },
    ]);
    const shift = (id: string, by: number, ...columns: string[]) =>
      opened
        .database('instances')
        .where({ id })
        .update(Object.fromEntries(columns.map((name) => [name, opened.database.raw('?? + ?', [name, by])])));
    await shift('1', -50, 'started_at', 'seen_at');
    const [, before] = await instances.list();
    await instances.seen({ id: '1', name: 'c:3000', release: '1.1.0' });
    const [, after] = await instances.list();
    expect(after).toEqual({
      id: '1',
      name: 'c:3000',
      release: '1.1.0',
      startedAt: before?.startedAt,
      seenAt: expect.any(Date),
    });
    expect((after?.seenAt.getTime() ?? 0) - (before?.seenAt.getTime() ?? 0)).toBeGreaterThanOrEqual(50_000);
    expect(Math.abs((after?.seenAt.getTime() ?? 0) - Date.now())).toBeLessThan(30_000);
    await instances.remove('1');
    expect((await instances.list()).map(({ id }) => id)).toEqual(['2']);
  });

  it('count as gone a minute after they were seen, or if they are dated later than now', async () => {
    const instances = openInstances(opened.database);
    for (const id of ['1', '2', '3', '4', '5']) await instances.seen({ id, name: id, ...BARE });
    for (const [id, by] of [
      ['1', -35],
      ['2', -75],
      ['3', 35],
      ['4', 120],
    ] as const)
      await opened
        .database('instances')
        .where({ id })
        .update({ seen_at: opened.database.raw('seen_at + ?', [by]) });
    const ids = async () => (await instances.list()).map(({ id }) => id);
    expect([await ids(), (await opened.database('instances')).length]).toEqual([['1', '3', '5'], 5]);
    await instances.seen({ id: '5', name: '5', ...BARE });
    expect((await opened.database('instances').pluck('id')).toSorted()).toEqual(['1', '3', '5']);
  });

  it('measure their clock against that of PostgreSQL, half-way between request and answer', async () => {
    const ahead = await measureClock(opened.database);
    if (engine === 'sqlite') return expect(ahead).toBeUndefined();
    expect(Math.abs(ahead ?? Number.NaN)).toBeLessThan(2000);
    let took = 0;
    const raw = async () => {
      jest.spyOn(performance, 'now').mockReturnValue(1000 + took);
      return { rows: [{ now: '500000' }] };
    };
    const slow = { client: opened.database.client, raw } as never;
    const measured = async (milliseconds: number) => {
      took = milliseconds;
      jest.spyOn(Date, 'now').mockReturnValue(600_000);
      jest.spyOn(performance, 'now').mockReturnValue(1000);
      return measureClock(slow);
    };
    expect([await measured(0), await measured(2000), await measured(2001)]).toEqual([100_000, 101_000, undefined]);
  });
});

it('instances differ in what they should have in common, and in their clocks beyond five seconds', () => {
  const one = (more: Partial<Instance> = {}) => ({ id: '1', name: 'a', ...BARE, ...more });

  expect([COMMON, CLOCK_LIMITS]).toEqual([
    ['release', 'settings', 'clients', 'edition'],
    { told: 5000, ready: 30_000 },
  ]);
  const all = [
    one({ settings: 'a', clients: 'x', edition: 'e' }),
    one({ settings: 'b', clients: 'x', edition: 'f', release: '2', pointer: 'other' }),
    one({ settings: 'c' }),
  ];
  expect(countValues(all)).toEqual({ release: 2, settings: 3, clients: 1, edition: 2 });
  expect(differencesOf(all)).toEqual(['release', 'settings', 'edition']);
  expect(differencesOf([one({ clients: 'a' }), one({ clients: 'b' })])).toEqual(['clients']);
  expect(countValues([])).toEqual({ release: 0, settings: 0, clients: 0, edition: 0 });
  const clocks = (...ahead: number[]) => differencesOf(ahead.map((clockAhead) => one({ clockAhead })));
  expect([clocks(5000, -5000), clocks(0, 5001), clocks(-5001), differencesOf([one()])]).toEqual([
    [],
    ['clock'],
    ['clock'],
    [],
  ]);
});
