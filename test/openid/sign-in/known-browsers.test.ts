// SEC-59: what strangers do to an account or from their network, and what it does to others; in the whole service, two instances.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { ENGINES } from '#support/databases.ts';
import { authorizationUrl, CREDENTIALS } from '#support/openid/relying-party.ts';
import { type SecondInstance, startSecondInstance } from '#support/openid/second-instance.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { DEMO_ACCOUNTS, type RunningService, startService, testClients } from '#support/service.ts';

const OTHER = { ...CREDENTIALS, login: DEMO_ACCOUNTS[1]?.email ?? '' };

describe.each(ENGINES)('SEC-59 on %s', (engine) => {
  let service: RunningService;
  let second: SecondInstance;
  beforeAll(async () => {
    const clients = await testClients();
    const limits = {
      accountFailures: 4,
      addressFailures: 5,
      networkFailures: 12,
      failureWindow: 900,
      sessionsPerAccount: 0,
      serviceAccountTokens: 120,
    };
    service = await startService({ engine, clients, adjust: (settings) => ({ ...settings, proxies: 1, limits }) });
    second = await startSecondInstance(service, clients);
  });
  beforeEach(() => service.database('rate_limits').delete());
  afterEach(async () => {
    await service.database('accounts').update({ sessions_not_before: null });
  });
  afterAll(async () => {
    await second.stop();
    await service.stop();
  });

  /** A browser at an address, whose requests go to the first instance, to the second, or to each in turn. */
  const browserAt = (address: string, instance: 'first' | 'second' | 'both' = 'both'): Person => {
    let turn = instance === 'second' ? 1 : 0;
    return createPerson(service.issuer, (url, { method, body, headers }) => {
      if (instance === 'both') turn += 1;
      const init = { ...(method && { method }), ...(body && { body: String(body) }) };
      const forwarded = { ...headers, 'x-forwarded-for': address };
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      return turn % 2
        ? second.send(url, { ...init, headers: forwarded })
        : fetch(url, { ...init, redirect: 'manual', headers: { ...form, ...forwarded } });
    });
  };
  /** Types login and password, after a new authorization request that does not use the session. */
  const enter = async (person: Person, credentials = CREDENTIALS): Promise<Visit> => {
    const page = await person.visit(authorizationUrl(service, { prompt: 'login' }));
    return person.press(page, 'sign-in', credentials);
  };
  const isIn = (visit: Visit) => visit.left !== undefined || visit.html.includes('id="allow"');
  const wrong = { ...CREDENTIALS, password: 'not the password' };

  it('wrong passwords of strangers keep out browsers that the account does not know, and no other', async () => {
    const known = browserAt('198.51.100.7');
    expect(isIn(await enter(known))).toBe(true);
    const guesses = await Promise.all(
      Array.from({ length: 8 }, (_, n) => enter(browserAt(`10.${n}.0.1`, n % 2 ? 'first' : 'second'), wrong)),
    );
    expect(guesses.map(({ status }) => status).sort()).toEqual([422, 422, 422, 422, 429, 429, 429, 429]);
    const unknown = await enter(browserAt('198.51.100.8'));
    expect(unknown.status).toBe(429);
    expect(unknown.html).toContain('sur lequel vous avez déjà ouvert ce compte');
    for (let time = 0; time < 5; time += 1) expect(isIn(await enter(known))).toBe(true);
    expect((await enter(browserAt('198.51.100.8'))).status).toBe(429);
  });

  it('a known browser that fails too often is one of the unknown; a new password ends what it was', async () => {
    const known = browserAt('198.51.100.7');
    await enter(known);
    for (let guess = 0; guess < 8; guess += 1) expect((await enter(known, wrong)).status).toBe(422);
    expect((await enter(known)).status).toBe(429);

    await service.database('rate_limits').delete();
    expect(isIn(await enter(known))).toBe(true);
    for (let n = 0; n < 4; n += 1) await enter(browserAt(`10.${n}.0.1`), wrong);
    expect(isIn(await enter(known))).toBe(true);
    const me = await openAccounts(service.database).findByEmail(CREDENTIALS.login);
    await service
      .database('accounts')
      .where({ id: me?.account.id })
      .update({ sessions_not_before: Math.floor(Date.now() / 1000) + 1 });
    expect((await enter(known)).status).toBe(429);
  });

  it('a cookie of one account is worth nothing at another', async () => {
    const known = browserAt('198.51.100.7');
    await enter(known);
    for (let n = 0; n < 4; n += 1) await enter(browserAt(`10.${n}.0.1`), { ...wrong, login: OTHER.login });
    expect((await enter(known, OTHER)).status).toBe(429);
  });

  it.each([
    ['an IPv6 /48', (n: number) => `2001:db8:1:${n.toString(16)}::1`, '2001:db8:1:ffff::1', '2001:db8:2::1'],
    ['an IPv4 /24', (n: number) => `203.0.113.${n}`, '203.0.113.200', '203.0.114.1'],
  ])(
    'failures from %s add up over both instances; its known browsers and other networks go on',
    async (_name, address, neighbour, elsewhere) => {
      const known = browserAt(neighbour);
      expect(isIn(await enter(known))).toBe(true);
      const guesses = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          enter(browserAt(address(n), n % 2 ? 'first' : 'second'), {
            login: `nobody-${n}@clinic.example`,
            password: 'x',
          }),
        ),
      );
      expect(guesses.filter(({ status }) => status === 422)).toHaveLength(12);
      expect((await enter(browserAt(neighbour), OTHER)).status).toBe(429);
      expect(isIn(await enter(known))).toBe(true);
      expect(isIn(await enter(browserAt(elsewhere), OTHER))).toBe(true);
    },
  );
});
