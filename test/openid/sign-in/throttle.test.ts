// SEC-39: failed sign-ins, and when they are too many. Why each is refused: `passwords.test.ts`.

import { beforeEach, describe, expect, it } from '@jest/globals';
import { createThrottle, endPause, keyOfLogin, pausedUntil } from '#openid/sign-in/throttle.ts';
import { onLimitReached } from '#shared/limits-reached.ts';
import { openSignInLimiters } from '#store/accounts/failed-sign-ins.ts';
import { openDatabase } from '#store/database/connection.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';
import { rounds } from '#support/rounds.ts';

// Failures are counted rightly on both engines, across processes and under parallel guesses (SEC-39, SEC-59).
const LIMITS = { accountFailures: 5, addressFailures: 20, failureWindow: 60 };

describe.each(bothEngines('openid/sign-in/throttle'))('SEC-39 failed sign-ins on %s', (engine) => {
  const opened = openedForAll(() => openTestDatabase(engine));
  beforeEach(async () => {
    await opened.database('rate_limits').delete();
  });

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

  it('SEC-59 from many addresses of one network add up, through two connections; other networks go on', async () => {
    const second = openDatabase(opened.settings);
    try {
      const throttles = [opened.database, second].map((database) =>
        createThrottle(openSignInLimiters(database, { ...LIMITS, networkFailures: 30 })),
      );
      for (const [wide, other] of [
        ['2001:db8:5:', '2001:db8:6::1'],
        ['203.0.113.', '203.0.114.1'],
      ] as const) {
        const attempts = await Promise.all(
          Array.from({ length: 60 }, (_, n) => {
            const address = wide.includes(':') ? `${wide}${n.toString(16)}::1` : `${wide}${n}`;
            return throttles[n % 2]?.begin(`guessed-${n}@${wide}example`, address);
          }),
        );
        expect(attempts.filter((attempt) => attempt?.outcome === 'open')).toHaveLength(30);
        expect((await throttles[0]?.begin('other@two.example', other))?.outcome).toBe('open');
        expect(
          (await throttles[0]?.begin('other@two.example', `${wide}9${wide.includes(':') ? '::' : ''}`))?.outcome,
        ).toBe('waiting');
      }
    } finally {
      await second.destroy();
    }
  });

  it('SEC-59 a network whose count is full leaves no further rows', async () => {
    const { begin } = createThrottle(
      openSignInLimiters(opened.database, { ...LIMITS, addressFailures: 3, networkFailures: 3 }),
    );
    const rows = async () => Number((await opened.database('rate_limits').count({ n: '*' }).first())?.['n']);
    const before = await rows();
    for (let n = 0; n < 50; n += 1) await begin(`row-${n}@two.example`, `2001:db8:7:${n.toString(16)}::1`);
    expect((await rows()) - before).toBe(1 + 3 + 3);
  });

  it('SEC-59 who is refused by one limit uses up no other: one address cannot stop its network', async () => {
    const { begin } = createThrottle(openSignInLimiters(opened.database, { ...LIMITS, networkFailures: 30 }));
    await Promise.all(Array.from({ length: 60 }, (_, n) => begin(`hammered-${n}@two.example`, '192.88.99.1')));
    expect((await begin('neighbour@two.example', '192.88.99.2')).outcome).toBe('open');
  });

  it('SEC-59 strangers’ failures keep strangers out, not a known browser; its own make it unknown', async () => {
    const second = openDatabase(opened.settings);
    try {
      const limits = { ...LIMITS, addressFailures: 1000 };
      const [one, two] = [opened.database, second].map((database) =>
        createThrottle(openSignInLimiters(database, limits)),
      ) as [ReturnType<typeof createThrottle>, ReturnType<typeof createThrottle>];
      for (const [begin, elsewhere] of [
        [one.begin, two.begin],
        [one.beginCode, two.beginCode],
      ] as const) {
        const who = `locked-${begin.name}@three.example`;
        for (let guess = 0; guess < 9; guess += 1) await begin(who, `192.0.2.${guess}`);
        expect((await begin(who, '192.0.2.200')).outcome).toBe('waiting');
        for (let round = 0; round < 8; round += 1) {
          const attempt = await (round % 2 ? begin : elsewhere)(who, '192.0.2.200', `device ${begin.name}`);
          if (attempt.outcome !== 'open' || !attempt.known) throw new Error('a known browser was kept out');
          await attempt.succeeded();
        }
        // Its successes leave the count of strangers alone.
        expect((await begin(who, '192.0.2.200')).outcome).toBe('waiting');
        const guesses = await Promise.all(
          Array.from({ length: 20 }, (_, n) => (n % 2 ? begin : elsewhere)(who, '192.0.2.200', `device ${begin.name}`)),
        );
        expect(guesses.filter(({ outcome }) => outcome === 'open')).toHaveLength(LIMITS.accountFailures);
        expect(await begin(who, '192.0.2.200', `other ${begin.name}`)).toMatchObject({ outcome: 'open', known: true });
        // Where strangers have failed less, a browser that failed too often counts as one of them.
        expect(await begin(`not-${who}`, '192.0.2.200', `device ${begin.name}`)).toMatchObject({ known: false });
      }
    } finally {
      await second.destroy();
    }
  });

  it('SEC-58 whoever finds no place for a password leaves no row, and hears of a limit before; each is reported', async () => {
    const { database } = opened;
    await database('rate_limits').delete();
    const limiters = openSignInLimiters(database, LIMITS);
    const full = createThrottle(limiters, { full: ({ lane }) => lane === 'strangers' });
    const reached: string[] = [];
    const end = onLimitReached((limit) => void reached.push(limit));
    for (let n = 0; n < 5; n += 1) {
      expect(await full.begin(`person-${n}@x.example`, '203.0.113.9')).toEqual({ outcome: 'busy' });
    }
    expect(await database('rate_limits')).toEqual([]);
    expect(await full.begin('person@x.example', '203.0.113.9', 'a known browser')).toMatchObject({ known: true });
    const { begin } = createThrottle(limiters);
    for (const _round of rounds()) if ((await begin('person@x.example', '203.0.113.9')).outcome !== 'open') break;
    expect((await full.begin('person@x.example', '203.0.113.9')).outcome).toBe('waiting');
    end();
    expect(reached).toEqual([...Array(5).fill('password-queue'), 'sign-in-account', 'sign-in-account']);
  });

  it('SEC-16 the table holds no login and no address', async () => {
    const { begin } = createThrottle(openSignInLimiters(opened.database, LIMITS));
    await begin('typed-by-a-stranger@x.example', '203.0.113.9');
    const dump = JSON.stringify(await opened.database('rate_limits').select());
    expect(dump).not.toMatch(/stranger|203\.0\.113/);
    expect(dump).toContain(keyOfLogin('TYPED-by-a-stranger@x.example'));
  });
});
