// Failures are counted rightly on both engines, across processes and under parallel guesses (SEC-39).

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createThrottle, endPause, keyOfAddress, keyOfLogin, pausedUntil } from '../../src/signin/throttle.ts';
import { openSignInLimiters } from '../../src/store/accounts/sign-in-limiters.ts';
import { openDatabase } from '../../src/store/database/connection.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '../support/databases.ts';

const LIMITS = { accountFailures: 5, addressFailures: 20, failureWindow: 60 };

describe.each(ENGINES)('SEC-39 failed sign-ins on %s', (engine) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
  });
  afterAll(() => opened.close());

  it('parallel guesses through two connections are never more than the limit', async () => {
    const second = openDatabase(opened.settings);
    try {
      const throttles = [opened.database, second].map((database) =>
        createThrottle(openSignInLimiters(database, LIMITS)),
      );
      const attempts = await Promise.all(
        Array.from({ length: 40 }, (_, guess) =>
          throttles[guess % 2]?.begin('Person@one.example ', `192.0.2.${guess}`),
        ),
      );
      expect(attempts.filter((attempt) => attempt?.outcome === 'open')).toHaveLength(LIMITS.accountFailures);
      const waiting = attempts.find((attempt) => attempt?.outcome === 'waiting');
      expect(waiting).toMatchObject({ seconds: expect.any(Number) });
    } finally {
      await second.destroy();
    }
  });

  it('an address is throttled over all accounts, and successes do not use it up', async () => {
    const { begin } = createThrottle(openSignInLimiters(opened.database, LIMITS));
    for (let person = 0; person < 30; person += 1) {
      const attempt = await begin(`right-${person}@two.example`, '198.51.100.7');
      if (attempt.outcome !== 'open') throw new Error('a success was throttled');
      await attempt.succeeded();
    }
    const outcomes: string[] = [];
    for (let person = 0; person < 21; person += 1) {
      outcomes.push((await begin(`wrong-${person}@two.example`, '198.51.100.7')).outcome);
    }
    expect(outcomes).toEqual([...Array(20).fill('open'), 'waiting']);
    expect((await begin('wrong-21@two.example', '198.51.100.8')).outcome).toBe('open');
  });

  it('SEC-41 wrong codes: some in a row, and no more than five times as many in a day, whoever succeeds meanwhile', async () => {
    const limiters = openSignInLimiters(opened.database, { ...LIMITS, addressFailures: 1000 });
    const { beginCode, begin } = createThrottle(limiters);
    const who = { id: 'f0000000-0000-4000-8000-000000000001', email: 'day@one.example' };
    const guess = () => beginCode(who.id, '198.51.100.9');
    let heard = 0;
    // The person signs in as usual between the guesses of another one.
    for (let round = 0; round < 10; round += 1) {
      for (let wrong = 0; wrong < LIMITS.accountFailures - 1; wrong += 1) {
        if ((await guess()).outcome === 'open') heard += 1;
      }
      const own = await guess();
      if (own.outcome === 'open') await own.succeeded();
    }
    expect(heard).toBe(5 * LIMITS.accountFailures);
    expect((await guess()).outcome).toBe('waiting');
    expect((await begin(who.email, '198.51.100.9')).outcome).toBe('open');
    expect(await pausedUntil(limiters, who)).toBeGreaterThan(Date.now() / 1000 + 80_000);
    await endPause(limiters, who);
    expect(await pausedUntil(limiters, who)).toBeUndefined();
    expect((await guess()).outcome).toBe('open');
  });

  it('a window that is over counts no longer, and is pruned', async () => {
    const { password, prune } = openSignInLimiters(opened.database, LIMITS);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 61_000);
    for (const key of ['over', 'gone']) await password.consume(key);
    clock.mockRestore();
    expect(await password.get('gone')).toBeNull();
    expect(await password.consume('over')).toMatchObject({ consumedPoints: 1 });
    expect(await password.consume('over')).toMatchObject({ consumedPoints: 2 });
    expect(await prune()).toBe(1);
    expect(await password.get('over')).toMatchObject({ consumedPoints: 2 });
  });

  it('SEC-16 the table holds no login and no address', async () => {
    const { begin } = createThrottle(openSignInLimiters(opened.database, LIMITS));
    await begin('typed-by-a-stranger@x.example', '203.0.113.9');
    const dump = JSON.stringify(await opened.database('rate_limits').select());
    expect(dump).not.toMatch(/stranger|203\.0\.113/);
    expect(dump).toContain(keyOfLogin('TYPED-by-a-stranger@x.example'));
  });
});

describe('what counts as one address', () => {
  it.each([
    ['192.0.2.1', '::ffff:192.0.2.1'],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:0db8:0001:0002::', '2001:DB8:1:2::9'],
    ['fe80::1%eth0', 'fe80::2'],
  ])('%s and %s are one', (a, b) => {
    expect(keyOfAddress(a)).toBe(keyOfAddress(b));
  });

  it.each([
    ['192.0.2.1', '192.0.2.2'],
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['::1', '2001:db8::1'],
  ])('%s and %s are two', (a, b) => {
    expect(keyOfAddress(a)).not.toBe(keyOfAddress(b));
  });
});
