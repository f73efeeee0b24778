// Property: whatever happens in whatever order - sign-ins, refreshes, reuse, theft, revocation, sign-out, expiry, accounts
// disabled and enabled, for two people and two clients - no token is usable that should be dead, and none is dead that
// should live. SEC-11, SEC-20, SEC-26, SEC-27. The clock of the process is moved, nothing sleeps.
// HYGIE_STORIES=500 npm run test:system -- test/life-cycle tells more stories.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { openAccounts } from '#store/accounts/accounts.ts';
import { bothEngines } from '#support/both-engines.ts';
import { CLIENTS, checkInUse, type Real } from '#support/life-cycle/checks.ts';
import { disable, enable, issue, reuseCode, revoke, signOut, wait } from '#support/life-cycle/commands.ts';
import { type Model, newModel, TIMES } from '#support/life-cycle/model.ts';
import { createPerson } from '#support/person.ts';
import { DEMO_ACCOUNTS, startService, testClients } from '#support/service.ts';
import { comeBackLate, keepUsing, refresh, replay, reuse, steal, tryOnceMore } from './refreshes.ts';
import '#support/seed.ts';
import { openedForAll } from '#support/opened.ts';

const STORIES = { sqlite: Number(process.env['HYGIE_STORIES'] ?? 30), postgresql: 6 };
const LONG = 30 * 86_400;

const which = fc.integer({ min: 0, max: 1 });
const any = fc.nat({ max: 30 });
// Within the grace window, beyond it, beyond an access token, beyond an idle refresh token.
const seconds = (...choices: number[]) => fc.constantFrom(...choices).map((some) => wait(some));
const stories = fc.commands(
  [
    // What gives and renews stands here more than once: stories should not all end early.
    fc.tuple(which, which, fc.boolean()).map((choice) => issue(...choice)),
    fc.tuple(which, which, fc.boolean()).map((choice) => issue(...choice)),
    fc.tuple(which, which, fc.constant(true)).map((choice) => issue(...choice)),
    any.map((index) => refresh(index, false)),
    any.map((index) => refresh(index, false)),
    any.map((index) => refresh(index, false)),
    any.map((index) => reuse(index)),
    any.map((index) => reuse(index)),
    seconds(2, 15),
    seconds(15),
    any.map((index) => refresh(index, true)),
    any.map((index) => steal(index)),
    any.map((index) => replay(index)),
    any.map((index) => comeBackLate(index)),
    fc.tuple(fc.constantFrom('access' as const, 'refresh' as const), any).map((choice) => revoke(...choice)),
    any.map((index) => reuseCode(index)),
    which.map((browser) => signOut(browser)),
    fc.tuple(which, fc.boolean()).map(([browser, on]) => (on ? enable(browser) : disable(browser))),
    any.map((index) => keepUsing(index)),
    seconds(TIMES.access + 20, TIMES.refreshIdle + 100),
  ],
  { maxCommands: 60, size: 'max' },
);

describe.each(bothEngines('life-cycle/life-cycle.system'))('the life of tokens on %s', (engine) => {
  let clock: number;

  const service = openedForAll(async () => {
    const [model] = await testClients();
    if (!model) throw new Error('no client to copy');
    const scopes = [...model.scopes, 'offline_access'];
    return startService({
      engine,
      clients: CLIENTS.map((id) => ({ ...model, id, scopes })),
      adjust: (settings) => ({
        ...settings,
        lifetimes: {
          ...settings.lifetimes,
          authorizationCode: TIMES.code,
          accessToken: TIMES.access,
          refreshToken: TIMES.refresh,
          refreshTokenIdle: TIMES.refreshIdle,
          refreshTokenGrace: TIMES.grace,
          session: LONG,
          sessionIdle: LONG,
        },
        directory: { ...settings.directory, rate: { perSecond: 0, burst: 1 } },
        limits: { ...settings.limits, addressFailures: 1_000_000, accountFailures: 1_000_000 },
      }),
    });
  });
  beforeEach(() => {
    clock = Math.ceil(Date.now() / 1000) * 1000;
    jest.spyOn(Date, 'now').mockImplementation(() => clock);
  });
  afterEach(() => void jest.restoreAllMocks());

  /** A story begins with two people who have not signed in yet, and nothing given. */
  const begin = async (): Promise<{ model: Model; real: Real }> => {
    for (const { id } of DEMO_ACCOUNTS.slice(0, 2)) {
      await openAccounts(service.database).update(id, { status: 'active' });
      await openAccounts(service.database).endSessions([id]);
    }
    const forward = (seconds: number) => {
      clock += seconds * 1000;
    };
    const browsers = [createPerson(service.issuer), createPerson(service.issuer)];
    return { model: newModel(Math.floor(clock / 1000)), real: { service, browsers, forward } };
  };

  it(
    `SEC-11 SEC-20 SEC-26 SEC-27 tokens live and die as the model says, in ${STORIES[engine]} stories`,
    async () => {
      let refreshed = 0;
      const told = fc.asyncProperty(stories, async (story) => {
        const { model, real } = await begin();
        await fc.asyncModelRun(() => ({ model, real }), story);
        await checkInUse(model, real);
        refreshed += model.refresh.filter(({ spent }) => spent).length;
        await tryOnceMore(model, real);
      });
      await fc.assert(told, { numRuns: STORIES[engine], endOnFailure: true });
      // So many cannot all have been about dead tokens; one or two can.
      if (STORIES[engine] > 5) expect(refreshed).toBeGreaterThan(0);
    },
    60_000 + STORIES[engine] * 5000,
  );
});
