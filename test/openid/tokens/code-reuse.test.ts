// Codes that are redeemed more than once, at the same time and at two instances: tokens come once, and these end. Repeated parameters
// at every endpoint.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { createEncryption } from '#shared/crypto/encryption.ts';
import { stepAt, totp } from '#shared/crypto/totp.ts';
import { openSecondFactors } from '#store/accounts/factors/second-factors.ts';
import { bothEngines } from '#support/both-engines.ts';
import { authorizationUrl, CREDENTIALS, obtainCode, signIn } from '#support/openid/relying-party.ts';
import { type SecondInstance, startSecondInstance } from '#support/openid/second-instance.ts';
import { cookiesOf, isAlive, sendToFirst, signOnSilently, tokensFor } from '#support/openid/silent-sign-on.ts';
import { createPerson, type Person } from '#support/person.ts';
import type { Send } from '#support/send-to-port.ts';
import {
  ALL_SCOPES,
  CALLBACK,
  DEMO_ACCOUNTS,
  type RunningService,
  SECRET,
  startService,
  testClients,
} from '#support/service.ts';

describe('code reuse', () => {
  const ENGINES = bothEngines('openid/tokens/code-reuse');

  // SEC-10, SEC-11, SEC-41, SEC-43: two instances on one PostgreSQL spend a code once between them, those of authenticator apps
  // too; repeated parameters at every endpoint.
  let service: RunningService;
  let other: SecondInstance;
  let clients: ClientSettings[];
  beforeAll(async () => {
    clients = await testClients();
    service = await startService({ engine: 'postgresql', clients });
    other = await startSecondInstance(service, clients);
    // The password is known from then on: slow hashes of several sign-ins at once would have some of them wait.
    for (const send of [sendToFirst, other.send]) await obtainCode(service, {}, createPerson(service.issuer, send));
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const credentials = { client_id: 'server', client_secret: SECRET };
  const redemption = (code: string) =>
    new URLSearchParams({ ...credentials, grant_type: 'authorization_code', code, redirect_uri: CALLBACK });

  it('SEC-10 of 50 parallel redemptions at two instances one gives tokens; SEC-11 the others take them back', async () => {
    // The secret is known from then on: slow hashes of fifty at once would have some of them wait.
    for (const send of [fetch, other.send]) {
      await send(`${service.issuer}/oauth/token`, { method: 'POST', body: redemption('warm-up') });
    }
    const code = await obtainCode(service);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const send = index % 2 ? other.send : fetch;
        return send(`${service.issuer}/oauth/token`, { method: 'POST', body: redemption(code) });
      }),
    );
    const good = answers.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(49);
    expect((await other.send(`${service.issuer}/oauth/token`, { method: 'POST', body: redemption(code) })).status).toBe(
      400,
    );
    const { access_token } = (await (good[0] as Response).json()) as { access_token: string };
    for (const send of [fetch, other.send]) {
      const headers = { authorization: `Bearer ${access_token}` };
      expect((await send(`${service.issuer}/directory/v2/Practitioner?name=martin`, { headers })).status).toBe(401);
    }
  });

  it('SEC-41 a sign-in goes on at the other instance, and a code counts once between the two', async () => {
    const account = DEMO_ACCOUNTS[0]?.id ?? '';
    const factors = openSecondFactors(service.database, createEncryption([]));
    const proposal = await factors.propose(account);
    const secret = await factors.secretOf(account, proposal);
    const code = () => totp(secret, stepAt(Date.now() / 1000));
    await factors.setUp(account, proposal, code());
    await service.database('second_factors').update({ last_step: 0 });
    let calls = 0;
    const sendToBoth: typeof other.send = (url, init) => {
      calls += 1;
      return calls % 2 ? fetch(url, { ...init, redirect: 'manual' }) : other.send(url, init);
    };
    const people = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const person = createPerson(service.issuer, sendToBoth);
        const login = await person.visit(authorizationUrl(service));
        return { person, page: await person.press(login, 'sign-in', CREDENTIALS) };
      }),
    );
    const shown = code();
    const answers = await Promise.all(people.map(({ person, page }) => person.press(page, 'verify', { code: shown })));
    expect(answers.filter(({ html }) => html.includes('id="verify"'))).toHaveLength(5);
    expect(answers.filter(({ left, html }) => left || html.includes('id="allow"'))).toHaveLength(1);
    expect(calls).toBeGreaterThan(12);
    await factors.remove(account);
  });

  describe('SEC-43 a repeated parameter is refused', () => {
    // By a client that may: it would be refused anyway.
    const refresh = { grant_type: 'refresh_token', refresh_token: 'x', scope: 'openid' };
    const requests: [path: string, fields: Record<string, string>][] = [
      ['/oauth/token', { ...credentials, grant_type: 'authorization_code', code: 'x', redirect_uri: CALLBACK }],
      ['/oauth/token', { ...credentials, client_id: 'trusted', ...refresh }],
      ['/oauth/introspect', { ...credentials, token: 'x', token_type_hint: 'access_token' }],
      ['/oauth/revoke', { ...credentials, token: 'x', token_type_hint: 'access_token' }],
      ['/oauth/par', { ...credentials, response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', state: 's' }],
    ];
    const cases = requests.flatMap(([path, fields]) => Object.keys(fields).map((name) => ({ path, fields, name })));
    it.each(cases)('$name at $path', async ({ path, fields, name }) => {
      for (const second of [fields[name] ?? '', 'other']) {
        const body = new URLSearchParams(fields);
        body.append(name, second);
        const answer = await fetch(`${service.issuer}${path}`, { method: 'POST', body });
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
      }
    });
  });

  // SEC-68: a code that is redeemed twice at the same time: one answer with tokens, and these are dead. Bare races, without a later
  // use that would end them anyway; on PostgreSQL at two instances.
  const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 8);
  const clientId = 'trusted';

  describe.each(ENGINES)('SEC-68 a code redeemed twice at the same time on %s', (engine) => {
    let own: RunningService;
    let person: Person;
    let sends: Send[];
    beforeAll(async () => {
      const alone = engine === 'sqlite';
      own = alone ? await startService({ clients }) : service;
      sends = [sendToFirst, alone ? sendToFirst : other.send];
      person = createPerson(own.issuer);
      await signIn(own, { person, clientId });
      // The secret is known from then on: slow hashes would have one wait for the other.
      for (const send of sends) await tokensFor(own, { clientId, code: 'x' }, send);
    });
    afterAll(async () => {
      if (engine === 'sqlite') await own.stop();
    });

    const refreshes = async (token: string) => {
      const fields = { grant_type: 'refresh_token', refresh_token: token, client_id: clientId, client_secret: SECRET };
      return (await sendToFirst(`${own.issuer}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) }))
        .status;
    };
    const race = async (code: string) => {
      const answers = await Promise.all(sends.map((send) => tokensFor(own, { clientId, code }, send)));
      return answers.filter((tokens) => tokens !== undefined);
    };

    it('gives tokens once, and these are dead; the next silent sign-on gets others', async () => {
      const found = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const { code } = await signOnSilently(own, clientId, cookiesOf(person));
        const winners = await race(code ?? '');
        const alive = await Promise.all(winners.map(({ access_token }) => isAlive(own, access_token)));
        found.push({ winners: winners.length, alive: alive.filter(Boolean).length });
      }
      expect(found).toEqual(found.map(() => ({ winners: 1, alive: 0 })));
      const next = await tokensFor(own, await signOnSilently(own, clientId, cookiesOf(person)));
      expect(next && (await isAlive(own, next.access_token))).toBe(true);
    });

    it('so is its refresh token, which outlives sessions', async () => {
      const found = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const url = authorizationUrl(own, {
          client_id: clientId,
          prompt: 'consent',
          scope: `${ALL_SCOPES} offline_access`,
        });
        const callback = await person.signIn(url, CREDENTIALS);
        const [tokens] = await race(callback.searchParams.get('code') ?? '');
        found.push(await refreshes(tokens?.refresh_token ?? 'none'));
        expect(tokens?.refresh_token).toBeDefined();
      }
      expect(found).toEqual(found.map(() => 400));
    });
  });
});
