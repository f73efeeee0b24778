// What an operator takes away is gone everywhere at once: people, clients, permissions, passwords; and what the session's
// end means for tokens. Specification sections 2.1, 3 and 8; SEC-20, SEC-33, SEC-36.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openedForAll } from '#support/opened.ts';
import { authorizationUrl, CREDENTIALS, SEARCH, signIn, statusWith } from '#support/openid/relying-party.ts';
import { stoppableClock } from '#support/openid/stopped-clock.ts';
import { createPerson } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService, startService, testClients } from '#support/service.ts';

describe('operator changes', () => {
  let service: RunningService;
  let clients: ClientSettings[];

  beforeAll(async () => {
    clients = await testClients();
    service = await startService({ clients });
  });
  afterAll(async () => {
    await service.stop();
  });

  const ask = (token: string, path: string) => statusWith(service, token, path);
  const person = (index: number) => ({ login: DEMO_ACCOUNTS[index]?.email ?? '', password: DEMO_PASSWORD });

  describe('a disabled person', () => {
    it('with a live session is asked to sign in, and somebody else can', async () => {
      const browser = createPerson(service.issuer);
      await signIn(service, { person: browser, credentials: person(5) });
      await openAccounts(service.database).update(DEMO_ACCOUNTS[5]?.id ?? '', { status: 'disabled' });
      const page = await browser.visit(authorizationUrl(service));
      expect(page.status).toBe(200);
      expect(page.html).toContain('id="sign-in"');
      const { tokens } = await signIn(service, { person: browser, credentials: person(6) });
      expect(tokens.claims()?.sub).toBe(DEMO_ACCOUNTS[6]?.id);
    });

    it('loses all sessions and tokens for good, others keep theirs', async () => {
      const browser = createPerson(service.issuer);
      const { tokens } = await signIn(service, { person: browser, credentials: person(8) });
      const other = await signIn(service);
      await openAccounts(service.database).endSessions([DEMO_ACCOUNTS[8]?.id ?? '']);
      expect(await ask(tokens.access_token, SEARCH)).toBe(401);
      expect(await ask(tokens.access_token, '/userinfo')).toBe(401);
      expect((await browser.visit(authorizationUrl(service))).html).toContain('id="sign-in"');
      expect(await ask(other.tokens.access_token, SEARCH)).toBe(200);
    });
  });

  describe('SEC-33 the end of a session', () => {
    const ageSessions = async () => {
      const rows = await service.database('oidc_records').where({ model: 'Session' });
      for (const { id, payload } of rows) {
        const aged = { ...JSON.parse(payload), exp: Math.floor(Date.now() / 1000) - 60 };
        await service
          .database('oidc_records')
          .where({ id })
          .update({ payload: JSON.stringify(aged) });
      }
    };

    it('2.1 by idling asks for the password again, but a token lives for its expires_in', async () => {
      const browser = createPerson(service.issuer);
      const { tokens } = await signIn(service, { person: browser });
      await ageSessions();
      expect((await browser.visit(authorizationUrl(service))).html).toContain('id="sign-in"');
      expect(await ask(tokens.access_token, SEARCH)).toBe(200);
      expect(await ask(tokens.access_token, '/userinfo')).toBe(200);
    });

    describe('by its limits', () => {
      const clock = stoppableClock();
      // What is given here ends later than anything that is given elsewhere.
      const own = openedForAll(startService);

      it('is never put off by who keeps asking about its absolute limit', async () => {
        const { session, sessionIdle } = own.settings.lifetimes;
        clock.stop();
        const browser = createPerson(own.issuer);
        await browser.signIn(authorizationUrl(own), CREDENTIALS);
        for (let left = session - 5; left > 0; left -= sessionIdle - 1) {
          clock.pass(Math.min(left, sessionIdle - 1));
          await browser.visit(authorizationUrl(own, { prompt: 'none' }));
        }
        // Each consent gives the session another id, so that it is written whatever else changed.
        const consent = await browser.visit(authorizationUrl(own, { prompt: 'consent' }));
        expect(consent.html).toContain('id="allow"');
        clock.pass(10);
        const late = await browser.press(consent, 'allow');
        expect(late.left?.searchParams.get('code') ?? undefined).toBeUndefined();
        expect((await browser.visit(authorizationUrl(own))).html).toContain('id="sign-in"');
      });
    });
  });

  it('a client that loses a permission, or is removed, loses it at the directory and everywhere', async () => {
    const copy = { ...(clients[0] as ClientSettings), id: 'passing' };
    const own = await startService({ clients: [copy] });
    try {
      const { tokens } = await signIn(own, { clientId: 'passing' });
      const search = () =>
        fetch(`${own.issuer}${SEARCH}`, { headers: { authorization: `Bearer ${tokens.access_token}` } });
      expect((await search()).status).toBe(200);
      const userinfo = async () =>
        (
          await fetch(`${own.issuer}/userinfo`, { headers: { authorization: `Bearer ${tokens.access_token}` } })
        ).json() as Promise<Record<string, unknown>>;
      expect(await userinfo()).toHaveProperty('email');
      own.replaceClients([{ ...copy, scopes: ['openid', 'profile'] }]);
      expect((await search()).status).toBe(403);
      const told = await userinfo();
      expect(told).toHaveProperty('name');
      expect(told).not.toHaveProperty('email');
      own.replaceClients([]);
      expect((await search()).status).toBe(401);
    } finally {
      await own.stop();
    }
  });

  describe('a client that changes while a person signs in', () => {
    const ASKED = { client_id: 'changing', prompt: 'consent' };
    const changed = async (change: Partial<ClientSettings>, answer = 'allow') => {
      const asking = { ...(clients[0] as ClientSettings), id: 'changing', consent: 'ask' as const };
      service.replaceClients([...clients, asking]);
      const browser = createPerson(service.issuer);
      const page = await browser.visit(authorizationUrl(service, { ...ASKED, scope: 'openid email' }));
      const consent = await browser.press(page, 'sign-in', CREDENTIALS);
      service.replaceClients([...clients, { ...asking, ...change }]);
      return browser.press(consent, answer);
    };
    afterAll(() => service.replaceClients(clients));

    it.each([
      ['allow', 'l’hôte'],
      ['refuse', 'access_denied'],
    ])('SEC-01 SEC-03 and loses the callback gets no answer there: %s', async (answer, shown) => {
      const { status, left, html } = await changed({ callbackUrls: ['https://other.example/callback'] }, answer);
      expect([status, left]).toEqual([400, undefined]);
      expect(html).toContain(shown);
      expect(html).not.toContain('id="allow"');
    });

    it('and loses a scope hears that, and the person is not asked for ever', async () => {
      const { left } = await changed({ scopes: ['openid', 'profile'] });
      expect(Object.fromEntries(left?.searchParams ?? [])).toMatchObject({
        error: 'invalid_scope',
        error_description: expect.stringContaining('may not ask for email'),
      });
    });
  });
});
