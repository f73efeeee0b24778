// SEC-58: who has typed nothing leaves nothing behind. SEC-35: what their browser keeps instead opens in it alone.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { newKey } from '#openid/keys/key-plan.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { openServiceKeys } from '#store/oidc/service-keys.ts';
import { openedForAll } from '#support/opened.ts';
import { credentialsOf, enteredBy, openAccount } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl, CREDENTIALS } from '#support/openid/relying-party.ts';
import { resetService } from '#support/openid/reset-service.ts';
import { startSecondInstance } from '#support/openid/second-instance.ts';
import { stoppableClock } from '#support/openid/stopped-clock.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { ALL_SCOPES, CALLBACK, SECRET, startService, testClients } from '#support/service.ts';
import { until } from '#support/until.ts';

describe('what strangers store', () => {
  const service = openedForAll(startService);

  /** As of a client that seals data of its own in its state: nothing in it can be compressed away. */
  const LARGEST = { state: randomText(2048), nonce: randomText(512) };

  function randomText(length: number): string {
    return Buffer.from(crypto.getRandomValues(new Uint8Array(length)))
      .toString('base64url')
      .slice(0, length);
  }

  const uidOf = ({ url }: Visit) => new URL(url).pathname.split('/')[2] ?? '';
  /** The cookies of an interaction in a browser's jar: names with their path. */
  const sealedIn = ({ cookies }: Person) => [...cookies.keys()].filter((key) => key.startsWith('hygie_request'));

  describe('SEC-58 strangers', () => {
    beforeAll(() => resetService(service));

    const rows = async () => {
      const tables = ['oidc_records', 'page_sessions', 'rate_limits', 'consents', 'second_factors'];
      const counts = tables.map(async (table) => [table, (await service.database(table)).length]);
      return Object.fromEntries(await Promise.all(counts));
    };
    const asked = (person: Person, parameters = {}) => person.visit(authorizationUrl(service, parameters));

    it.each<[string, (person: Person) => Promise<Visit>, number]>([
      ['the authorization endpoint and the sign-in page', (person) => asked(person), 200],
      ['the largest request', (person) => asked(person, LARGEST), 200],
      ['a request that forbids a sign-in', (person) => asked(person, { prompt: 'none' }), 303],
      ['a request of a public client', (person) => asked(person, { client_id: 'browser' }), 303],
      ['a language', async (person) => person.visit(`${(await asked(person)).url}?lang=en`), 200],
      ['a form without token', async (person) => person.press(await asked(person), 'sign-in', { csrf: '' }), 403],
      ['an empty form', async (person) => person.press(await asked(person), 'sign-in'), 422],
      ['a refusal', async (person) => person.press(await asked(person), 'cancel'), 303],
      [
        'the address at which requests go on',
        async (person) => person.visit(`/authorize/${uidOf(await asked(person))}`),
        400,
      ],
      ['the sign-in page of another', (person) => person.visit('/interaction/another'), 400],
      ['the account', (person) => person.visit('/account'), 200],
      ['a page of the account', (person) => person.visit('/account/second-factor'), 200],
      [
        'a form of the account',
        (person) => person.visit('/account/applications', { method: 'POST', body: 'client=server' }),
        200,
      ],
      [
        'an answer that the account does not wait for',
        (person) => person.visit('/account/signed-in?state=x&code=y'),
        400,
      ],
      ['the sign-out', (person) => person.visit('/logout'), 200],
      ['the sign-out of a client', (person) => person.visit('/logout?client_id=server&state=x'), 200],
      ['the end of the sign-out', (person) => person.visit('/logout/confirm', { method: 'POST', body: 'xsrf=x' }), 200],
    ])('%s leaves no row', async (_what, visit, status) => {
      const before = await rows();
      const visits = await Promise.all(Array.from({ length: 12 }, () => visit(createPerson(service.issuer))));
      expect(new Set(visits.map((page) => page.status))).toEqual(new Set([status]));
      expect(await rows()).toEqual(before);
    });

    it('nor does the cookie of a session that has ended', async () => {
      const person = createPerson(service.issuer);
      await person.signIn(authorizationUrl(service), CREDENTIALS);
      const ended = [...person.cookies].filter(([key]) => key.startsWith('hygie_session'));
      await person.press(await person.visit('/logout'), 'sign-out');
      const before = await rows();
      for (const path of [authorizationUrl(service), '/logout', '/account']) {
        const again = createPerson(service.issuer);
        for (const [key, value] of ended) again.cookies.set(key, value);
        expect((await again.visit(path)).status).toBe(200);
      }
      expect(await rows()).toEqual(before);
    });

    it('a right password makes a row of it, which is gone with the answer', async () => {
      const person = createPerson(service.issuer);
      const login = await asked(person, { ...LARGEST, client_id: 'narrow', scope: 'openid email' });
      expect(sealedIn(person)).toEqual([`hygie_request /interaction/${uidOf(login)}`]);
      const consent = await person.press(login, 'sign-in', CREDENTIALS);
      expect(sealedIn(person)).toEqual([]);
      expect(await service.database('oidc_records').where({ model: 'Interaction' })).toHaveLength(1);
      const { left } = consent.html ? await person.press(consent, 'allow') : consent;
      expect([left?.searchParams.get('state'), left?.searchParams.has('code')]).toEqual([LARGEST.state, true]);
      expect(await service.database('oidc_records').where({ model: 'Interaction' })).toEqual([]);
    });
  });

  describe('SEC-35, SEC-58 a request that the browser keeps itself', () => {
    const clock = stoppableClock();
    const service = openedForAll(startService);
    const other = openedForAll(() => startSecondInstance(service));
    const begin = async (parameters = {}) => {
      const person = createPerson(service.issuer);
      return { person, login: await person.visit(authorizationUrl(service, parameters)) };
    };
    const signsIn = async (person: Person, login: Visit) => {
      const page = await person.press(login, 'sign-in', CREDENTIALS);
      return page.left ?? (await person.press(page, 'allow')).left;
    };

    it('is one for each window, and each comes to its own end', async () => {
      const { person, login: first } = await begin({ state: 'of-the-first-window-and-of-no-other' });
      const second = await person.visit(authorizationUrl(service, { state: 'of-the-second-window-and-no-other' }));
      expect(sealedIn(person)).toHaveLength(2);
      expect((await signsIn(person, second))?.searchParams.get('state')).toBe('of-the-second-window-and-no-other');
      expect((await signsIn(person, first))?.searchParams.get('state')).toBe('of-the-first-window-and-of-no-other');
    });

    it('is kept in parts where one cookie is too small', async () => {
      const claims = JSON.stringify({ userinfo: { email: { value: randomText(3000) } } });
      const { person, login } = await begin({ ...LARGEST, claims });
      expect(sealedIn(person)).toEqual(['', '.1'].map((part) => `hygie_request${part} /interaction/${uidOf(login)}`));
      expect((await signsIn(person, login))?.searchParams.get('state')).toBe(LARGEST.state);
      expect(sealedIn(person)).toEqual([]);
    });

    it('is refused in another browser, changed, cut short, or in the place of another', async () => {
      const { person, login } = await begin();
      const [name = ''] = sealedIn(person);
      const value = person.cookies.get(name) ?? '';
      const { person: stranger } = await begin();
      const [others = ''] = sealedIn(stranger);
      const changed = `${value.slice(0, 40)}${value[40] === 'A' ? 'B' : 'A'}${value.slice(41)}`;
      for (const wrong of [
        '',
        '1.',
        'x',
        changed,
        value.slice(0, -2),
        value.replace('1.', '9.'),
        stranger.cookies.get(others),
      ]) {
        person.cookies.set(name, wrong ?? '');
        const page = await person.visit(login.url);
        expect([page.status, page.html.includes('id="sign-in"')]).toEqual([400, false]);
      }
      person.cookies.set(name, value);
      // Without the cookie that names the interaction, the request alone is nothing.
      stranger.cookies.set(name, value);
      expect((await stranger.visit(login.url)).status).toBe(400);
      expect((await person.visit(login.url)).html).toContain('id="sign-in"');
    });

    it('asks the same question again at most, when it is sent once more after the answer', async () => {
      const { person, login } = await begin();
      const kept = new Map(person.cookies);
      expect((await signsIn(person, login))?.searchParams.has('code')).toBe(true);
      expect((await person.visit(login.url)).html).not.toContain('<form');
      const thief = createPerson(service.issuer);
      for (const [key, value] of kept) thief.cookies.set(key, value);
      expect((await thief.visit(login.url)).html).toContain('id="sign-in"');
      const goesOn = await thief.visit(`/authorize/${uidOf(login)}`);
      expect([goesOn.status, goesOn.left]).toEqual([400, undefined]);
    });

    it('ends with its time', async () => {
      const { person, login } = await begin();
      clock.stop();
      clock.pass(service.settings.lifetimes.interaction + 120);
      expect((await person.visit(login.url)).status).toBe(400);
    });

    it('goes on at another instance, and after the keys have changed', async () => {
      const person = createPerson(service.issuer, other.send);
      const login = await person.visit(authorizationUrl(service));
      const here = createPerson(service.issuer);
      for (const [key, value] of person.cookies) here.cookies.set(key, value);
      const keys = openServiceKeys(service.database);
      const last = (await keys.list()).findLast(({ kind }) => kind === 'cookies');
      await keys.add({ ...(await newKey('cookies')), activeAt: epochSeconds() }, last?.id);
      await until(() => service.logged().includes('other keys are in force'), 'the new key is in force');
      expect((await signsIn(here, login))?.searchParams.has('code')).toBe(true);
    });
  });

  // SEC-62: a dump of the database, taken while pages are open, holds nothing that a browser would need to go on with them.
  describe('SEC-62 a dump', () => {
    beforeAll(() => resetService(service));

    beforeAll(async () => {
      const clients = (await testClients()).map((client) =>
        client.id === 'narrow' ? { ...client, secondFactor: 'required' as const } : client,
      );
      service.replaceClients(clients);
    });
    afterAll(async () => service.replaceClients(await testClients()));

    const dump = async () => {
      const tables = ['oidc_records', 'page_sessions', 'rate_limits', 'consents', 'second_factors', 'audit_events'];
      return JSON.stringify(await Promise.all(tables.map((table) => service.database(table))));
    };
    /** What the browser holds: the value of each cookie and of each part of it, and what stands in the page's forms. */
    const held = ({ cookies }: Person, { html, url }: Visit) => {
      const values = [...cookies].filter(([key]) => !key.startsWith('hygie_language')).map(([, value]) => value);
      const parts = values.flatMap((value) => decodeURIComponent(value).split(/[.:]/));
      const hidden = [...html.matchAll(/type="hidden" name="[^"]+" value="([^"]+)"/g)].map(([, value]) => value);
      const keys = [...html.matchAll(/secret=([A-Z2-7]+)/g)].map(([, key]) => Buffer.from(key ?? '').toString());
      const uid = new URL(url).pathname.split('/')[2];
      return [...values, ...parts, ...hidden, ...keys, uid].filter((text) => (text?.length ?? 0) >= 16);
    };
    const expectNone = async (person: Person, page: Visit, atLeast: number) => {
      const secrets = [...held(person, page), ...Object.values(asked)];
      expect(secrets.length).toBeGreaterThanOrEqual(atLeast);
      const taken = await dump();
      expect(taken).toContain('sealed');
      expect(secrets.filter((secret) => taken.includes(String(secret)))).toEqual([]);
    };
    // Another nonce for each: it is in the row of the code that is given in the end, which is of use to nobody without the code.
    let asked = { state: '', nonce: '' };
    beforeEach(() => {
      asked = { state: oidc.randomState(), nonce: oidc.randomNonce() };
    });

    it('holds nothing of a consent page', async () => {
      const person = createPerson(service.issuer);
      const login = await person.visit(authorizationUrl(service, { ...asked, prompt: 'consent' }));
      const consent = await person.press(login, 'sign-in', CREDENTIALS);
      expect(consent.html).toContain('id="allow"');
      await expectNone(person, consent, 8);
      expect((await person.press(consent, 'allow')).left?.searchParams.get('state')).toBe(asked.state);
    });

    it('nothing of the page that sets up a second factor', async () => {
      const person = createPerson(service.issuer);
      const url = authorizationUrl(service, { ...asked, client_id: 'narrow', scope: 'openid email' });
      const page = await person.press(await person.visit(url), 'sign-in', credentialsOf(3));
      expect(page.html).toContain('id="set-up"');
      await expectNone(person, page, 8);
      const rows = await service.database('page_sessions');
      for (const { payload } of rows) expect(Object.keys(JSON.parse(payload))).toEqual(['sealed']);
    });

    it('nothing of the account pages, or of an app that is set up there', async () => {
      const { person } = await enteredBy(service.issuer, 4);
      const page = await openAccount(person, 4, '/account/second-factor');
      expect(page.html).toContain('id="set-up"');
      await expectNone(person, page, 6);
    });

    it('nothing of the question before a sign-out', async () => {
      const { person } = await enteredBy(service.issuer, 5);
      const page = await person.visit('/logout');
      await expectNone(person, page, 4);
      expect((await person.press(page, 'sign-out')).status).toBe(200);
    });

    it('nothing of a pushed request, nor of the interaction that follows it', async () => {
      const form = { client_id: 'server', client_secret: SECRET, redirect_uri: CALLBACK, response_type: 'code' };
      const body = new URLSearchParams({ ...form, ...asked, scope: ALL_SCOPES, prompt: 'consent' });
      const answer = await fetch(`${service.issuer}/oauth/par`, { method: 'POST', body });
      const { request_uri } = (await answer.json()) as { request_uri: string };
      const pushed = request_uri.split(':').at(-1) ?? '';
      expect(pushed).toHaveLength(43);
      const person = createPerson(service.issuer);
      const login = await person.visit(`/authorize?${new URLSearchParams({ client_id: 'server', request_uri })}`);
      const consent = await person.press(login, 'sign-in', CREDENTIALS);
      await expectNone(person, consent, 8);
      expect(await dump()).not.toContain(pushed);
      expect((await person.press(consent, 'allow')).left?.searchParams.get('state')).toBe(asked.state);
    });
  });
});
