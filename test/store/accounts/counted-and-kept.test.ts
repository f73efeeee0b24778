// Counted failures of the sign-in, and sessions of our own pages: what is kept, for how long, and what the clean-up removes.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { SessionData, Store } from 'express-session';
import { digest } from '#shared/crypto/digest.ts';
import { signInRules } from '#shared/rate-limits.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openSignInLimiters } from '#store/accounts/failed-sign-ins.ts';
import { openPageSessions } from '#store/accounts/page-sessions.ts';
import { openSeenDevices } from '#store/accounts/seen-devices.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll, openedForEach } from '#support/opened.ts';

const NOW = 1_800_000_000;
const at = (seconds: number) => void jest.spyOn(Date, 'now').mockReturnValue(seconds * 1000);

describe.each(bothEngines('store/accounts/counted-and-kept'))('SEC-58 counted failures on %s', (engine) => {
  const LIMITS = { accountFailures: 3, addressFailures: 100, failureWindow: 900 };
  const opened = openedForAll(() => openTestDatabase(engine));
  beforeEach(() => opened.database('rate_limits').delete());
  afterEach(() => void jest.restoreAllMocks());
  const keys = async () => (await opened.database('rate_limits').pluck('key')).toSorted();
  const insert = (rows: [key: string, points: number, expire: number][]) =>
    opened.database('rate_limits').insert(rows.map(([key, points, expire]) => ({ key, points, expire })));

  it('are counted by each rule under its own name, up to its limit', async () => {
    const { prune, ...limiters } = openSignInLimiters(opened.database, LIMITS);
    expect(Object.keys(limiters)).toEqual(Object.keys(signInRules(LIMITS)));
    for (let count = 0; count < 3; count += 1) await limiters.password.consume('somebody');
    await expect(limiters.password.consume('somebody')).rejects.toMatchObject({
      remainingPoints: 0,
      consumedPoints: 4,
    });
    expect((await limiters.code.consume('somebody')).remainingPoints).toBe(2);
    expect(await keys()).toEqual(['sign-in-code:somebody', 'sign-in-password:somebody']);
    expect(await prune()).toBe(0);
  });

  it('are removed when their window is over, some at a time, or when it ends later than its rule allows', async () => {
    const { prune } = openSignInLimiters(opened.database, LIMITS);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now);
    const late = (seconds: number) => now + seconds * 1000 + 60_000;
    await insert([
      ['sign-in-code:over', 5, now],
      ['sign-in-code:over-too', 5, now - 1],
      ['sign-in-code:runs', 5, now + 1],
      ['sign-in-code:longest', 5, late(900)],
      ['sign-in-code:ahead', 5, late(900) + 1],
      ['sign-in-code-day:runs', 5, late(900) + 1],
      ['sign-in-code-day:ahead', 5, late(86_400) + 1],
      ['sign-in-password:ahead', 5, late(900) + 1],
      ['mail:runs', 5, late(3600)],
    ]);
    expect([await prune(1), await prune(), await prune(), await prune()]).toEqual([1, 1, 3, 0]);
    const left = ['mail:runs', 'sign-in-code-day:runs', 'sign-in-code:longest', 'sign-in-code:runs'];
    expect(await keys()).toEqual(left);
  });

  it('beyond the room for them, those that tell least are removed: single ones, the oldest first', async () => {
    const { prune } = openSignInLimiters(opened.database, LIMITS);
    const soon = Date.now() + 100_000;
    await insert([
      ['mail:many', 2, soon],
      ['mail:late', 1, soon + 9],
      ['mail:early', 1, soon + 1],
      ['mail:none', 0, soon + 5],
    ]);
    expect(await prune(1, 4)).toBe(0);
    expect([await prune(1, 3), await keys()]).toEqual([1, ['mail:late', 'mail:many', 'mail:none']]);
    expect([await prune(9, 1), await keys(), await prune(9, 0)]).toEqual([2, ['mail:many'], 0]);
  });
});

describe('sessions of pages', () => {
  const opened = openedForEach(() => openTestDatabase('sqlite'));
  let sessions: Store & { prune(most?: number): Promise<number> };
  beforeEach(() => {
    sessions = openPageSessions(opened.database);
    at(NOW);
  });
  afterEach(() => void jest.restoreAllMocks());
  const called = <Result>(call: (done: (error: unknown, result?: Result) => void) => void) =>
    new Promise<Result | undefined>((resolve, reject) =>
      call((error, result) => (error ? reject(error) : resolve(result))),
    );
  const set = (id: string, data: object) => called((done) => sessions.set(id, data as SessionData, done));
  const get = (id: string) => called<SessionData | null>((done) => sessions.get(id, done));
  const until = (seconds: number) => ({ cookie: { expires: new Date(seconds * 1000 + 999) } });
  const ends = async (id: string) =>
    (
      await opened
        .database('page_sessions')
        .where({ id: digest(id) })
        .first()
    )?.expires_at;

  it('are given back as they were stored until their cookie expires; without one, for an hour', async () => {
    await set('one', { ...until(NOW + 5), csrf: 'x' });
    await set('two', { cookie: {}, csrf: 'y' });
    expect([await ends('one'), await ends('two')]).toEqual([NOW + 5, NOW + 3600]);
    expect(await get('one')).toEqual({
      cookie: { expires: new Date((NOW + 5) * 1000 + 999).toISOString() },
      csrf: 'x',
    });
    expect([await get('two'), await get('none')]).toEqual([{ cookie: {}, csrf: 'y' }, null]);
    at(NOW + 4);
    expect(await get('one')).not.toBeNull();
    at(NOW + 5);
    expect([await get('one'), await get('two')]).toEqual([null, { cookie: {}, csrf: 'y' }]);
    expect([await sessions.prune(), await sessions.prune()]).toEqual([1, 0]);
    at(NOW + 3600);
    expect(await sessions.prune()).toBe(1);
  });

  it('are pruned as many at a time as are wanted', async () => {
    for (const id of ['1', '2', '3']) await set(id, until(NOW));
    expect([await sessions.prune(2), await sessions.prune(2)]).toEqual([2, 1]);
  });

  it('open with their own id alone, and are written again, extended and ended by it', async () => {
    const data = { ...until(NOW + 5), csrf: 'x' };
    await set('one', data);
    const [row] = await opened.database('page_sessions');
    expect(row.payload).not.toContain('csrf');
    await opened.database('page_sessions').insert({ ...row, id: digest('two') });
    expect(await get('two')).toBeNull();
    data.csrf = 'z';
    data.cookie = until(NOW + 7).cookie;
    await set('one', data);
    expect([(await get('one')) as object, await ends('one')]).toEqual([
      expect.objectContaining({ csrf: 'z' }),
      NOW + 7,
    ]);
    await called((done) => sessions.touch?.('one', until(NOW + 50) as SessionData, done as () => void));
    expect([await ends('one'), await ends('two')]).toEqual([NOW + 50, NOW + 5]);
    await called((done) => sessions.destroy('one', done));
    expect([await ends('one'), await ends('two')]).toEqual([undefined, NOW + 5]);
    // It has ended, and is not stored again.
    await set('one', data);
    expect(await get('one')).toBeNull();
  });

  it('tell an error of the database to whoever waits', async () => {
    await set('one', until(NOW + 5));
    await opened.database.destroy();
    await expect(get('one')).rejects.toThrow();
    await expect(set('one', until(NOW))).rejects.toThrow();
    await expect(called((done) => sessions.destroy('one', done))).rejects.toThrow();
    await expect(
      called((done) => sessions.touch?.('one', until(NOW) as SessionData, done as () => void)),
    ).rejects.toThrow();
  });
});

describe('kinds of device', () => {
  const opened = openedForAll(() => openTestDatabase('sqlite'));
  afterEach(() => void jest.restoreAllMocks());

  it('are noted anew after a day, new again after more than ninety, and removed then', async () => {
    await openAccounts(opened.database).create([{ id: 'a', name: 'A' }]);
    const { note } = openSeenDevices(opened.database);
    const seen = async () => (await opened.database('seen_devices').where({ device: 'one' }).first()).seen_at;
    const DAY = 86_400;
    let now = NOW;
    const after = async (seconds: number) => {
      now += seconds;
      at(now);
      return [await note('a', 'one'), await seen()];
    };
    expect(await after(0)).toEqual([false, NOW]);
    expect(await note('a', 'two')).toBe(true);
    expect(await after(DAY - 1)).toEqual([false, NOW]);
    expect(await after(1)).toEqual([false, NOW + DAY]);
    expect(await after(90 * DAY)).toEqual([false, NOW + 91 * DAY]);
    expect(await after(90 * DAY + 1)).toEqual([true, NOW + 181 * DAY + 1]);
    expect(await opened.database('seen_devices').pluck('device')).toEqual(['one']);
    at(now + 91 * DAY);
    expect(await note('a', 'two')).toBe(true);
    expect(await opened.database('seen_devices').pluck('device')).toEqual(['two']);
  });
});
