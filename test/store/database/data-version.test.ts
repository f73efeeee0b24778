// The number that tells of commits to SQLite's file, and what is kept until the next one.

import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { cacheUntilCommit, watchDataVersion } from '#store/database/data-version.ts';
import { openTestDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForAll } from '#support/opened.ts';

describe('the number of the data', () => {
  afterEach(() => void jest.restoreAllMocks());

  const opened = openedForAll(() => openTestDatabase('sqlite'));

  it('a commit of any connection is seen by the number of the data, which is read once for what the event loop found together, within a millisecond', async () => {
    const version = watchDataVersion(opened.settings.engine === 'sqlite' ? opened.settings.file : '');
    const commit = async (id: string) => {
      await opened.database('deleted_accounts').insert({ id, deleted_at: 1 });
    };
    // The first use opens the connection, which may write the header of the file.
    await opened.database('leases').select();
    const turn = jest.spyOn(performance.nodeTiming, 'uvMetricsInfo', 'get');
    const clock = jest.spyOn(performance, 'now');
    const at = (loopCount: number, now: number) => {
      turn.mockReturnValue({ loopCount, events: 0, eventsWaiting: 0 });
      clock.mockReturnValue(now);
    };
    at(7, 100);
    const before = version.current();
    await commit('a');
    at(7, 100.9);
    expect(version.current()).toBe(before);
    at(8, 100.9);
    const turnLater = version.current();
    expect(turnLater).not.toBe(before);
    await commit('b');
    at(8, 101.8);
    expect(version.current()).toBe(turnLater);
    at(8, 101.9);
    const later = version.current();
    expect(later).not.toBe(turnLater);
    jest.restoreAllMocks();
    await setImmediate();
    expect(version.current()).toBe(later);
    await commit('c');
    await setImmediate();
    expect(version.current()).not.toBe(later);
    version.close();
    await setImmediate();
    for (let time = 0; time < 2; time++) expect(() => version.current()).toThrow();
    expect(() => watchDataVersion(join(newFolder(), 'none.sqlite'))).toThrow();
  });
});

describe('kept readings', () => {
  it('a reading is kept until the next commit, unless nothing was found or it belongs to a commit before', async () => {
    let version = 1;
    const asked: string[] = [];
    let answer = () => {};
    const find = async (key: string) => {
      asked.push(key);
      if (key === 'late')
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
      return key === 'none' ? undefined : { key };
    };
    const cached = cacheUntilCommit({ current: () => version }, find);
    for (const key of ['a', 'a', 'none', 'none', 'b']) await cached(key);
    expect(asked.splice(0)).toEqual(['a', 'none', 'none', 'b']);
    const late = cached('late');
    version = 2;
    expect(await cached('a')).toEqual({ key: 'a' });
    answer();
    expect(await late).toEqual({ key: 'late' });
    const again = cached('late');
    answer();
    await again;
    await cached('a');
    expect(asked).toEqual(['late', 'a', 'late']);
    expect(cacheUntilCommit(undefined, find)).toBe(find);
  });

  it('five thousand readings are kept, and then begin anew', async () => {
    let asked = 0;
    const cached = cacheUntilCommit({ current: () => 1 }, async (key) => {
      asked += 1;
      return { key };
    });
    for (let at = 0; at < 5000; at++) await cached(String(at));
    await cached('0');
    expect(asked).toBe(5000);
    await cached('more');
    await cached('0');
    expect(asked).toBe(5002);
  });
});
