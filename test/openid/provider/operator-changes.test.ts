// What an operator takes away is gone everywhere at once: people, clients, permissions, passwords; and what the session's
// end means for tokens. Specification sections 2.1, 3 and 8; SEC-20, SEC-33, SEC-36.

import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { ClientSettings } from '#config/settings.ts';
import { clientMetadata } from '#openid/clients/client-registry.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openedForAll } from '#support/opened.ts';
import {
  authorizationUrl,
  CREDENTIALS,
  discover,
  SEARCH,
  signedInPerson,
  signIn,
  statusWith,
} from '#support/openid/relying-party.ts';
import { stoppableClock } from '#support/openid/stopped-clock.ts';
import { createPerson } from '#support/person.ts';
import {
  CALLBACK,
  DEMO_ACCOUNTS,
  DEMO_PASSWORD,
  type RunningService,
  startService,
  testClients,
} from '#support/service.ts';
import { until } from '#support/until.ts';

describe('operator changes', () => {
  let service: RunningService;
  let clients: ClientSettings[];
  let told: URLSearchParams[];
  const receiver = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk) => {
      body += chunk;
    });
    req.on('end', () => {
      told.push(new URLSearchParams(body));
      res.end();
    });
  });

  beforeAll(async () => {
    told = [];
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const address = receiver.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    clients = (await testClients()).map((client) =>
      client.id === 'trusted' ? { ...client, backchannelLogoutUrl: `http://127.0.0.1:${port}/logout-token` } : client,
    );
    const machine = { ...(clients.find(({ id }) => id === 'trusted') as ClientSettings), id: 'machine' };
    clients.push({ ...machine, callbackUrls: [], logoutUrls: [] });
    service = await startService({ clients });
  });
  afterAll(async () => {
    receiver.close();
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

    it('has tokens that introspection calls inactive', async () => {
      const { tokens, configuration } = await signIn(service, {
        person: createPerson(service.issuer),
        credentials: person(7),
      });
      expect(await oidc.tokenIntrospection(configuration, tokens.access_token)).toMatchObject({ active: true });
      await openAccounts(service.database).update(DEMO_ACCOUNTS[7]?.id ?? '', { status: 'disabled' });
      expect(await oidc.tokenIntrospection(configuration, tokens.access_token)).toEqual({ active: false });
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

    it('by another person taking over tells the clients with a back-channel address', async () => {
      const browser = createPerson(service.issuer);
      await signIn(service, { clientId: 'trusted', person: browser, credentials: person(9) });
      const before = told.length;
      const consent = await browser.visit(authorizationUrl(service, { client_id: 'server', prompt: 'consent' }));
      await browser.press(consent, 'other-account');
      await until(() => told.length > before, 'the client is told');
      expect(told.length).toBe(before + 1);
      const [, claims = ''] = (told.at(-1)?.get('logout_token') ?? '').split('.');
      expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
        aud: 'trusted',
        sub: DEMO_ACCOUNTS[9]?.id,
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      });
    });
  });

  describe('a client', () => {
    it('that loses a permission, or is removed, loses it at the directory and everywhere', async () => {
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

    it('that only acts on its own needs no callback', async () => {
      const configuration = await discover(service, 'machine');
      const tokens = await oidc.clientCredentialsGrant(configuration);
      expect(await ask(tokens.access_token, SEARCH)).toBe(403);
      const page = await createPerson(service.issuer).visit(authorizationUrl(service, { client_id: 'machine' }));
      expect(page.left).toBeUndefined();
    });

    it('grows no heap of grants: what a sign-in leaves ends with the session and its tokens', async () => {
      await signIn(service);
      const grants = await service.database('oidc_records').where({ model: 'Grant' });
      const { session, accessToken } = service.settings.lifetimes;
      const latest = Math.floor(Date.now() / 1000) + session + accessToken + 60;
      expect(grants.length).toBeGreaterThan(0);
      for (const { expires_at } of grants) expect(Number(expires_at)).toBeLessThanOrEqual(latest);
    });

    it.each(['server', 'browser', 'native'] as const)('of type %s is metadata that the library takes', async (type) => {
      const base = (await testClients()).find((client) => client.type === type) as ClientSettings;
      for (const callbackUrls of [[CALLBACK], [CALLBACK, 'https://other.example/x?y=1'], base.callbackUrls]) {
        const metadata = clientMetadata({ ...base, callbackUrls: [...callbackUrls] });
        expect(metadata).toMatchObject({ client_id: base.id, redirect_uris: callbackUrls });
      }
    });
  });

  it('a server fault leaves its cause in the log, and none of it in the answer', async () => {
    const own = await startService();
    try {
      const browser = signedInPerson(own);
      await browser.signIn(authorizationUrl(own), CREDENTIALS);
      await own.database.schema.renameTable('oidc_records', 'oidc_records_away');
      const answer = await browser.visit(authorizationUrl(own));
      await own.database.schema.renameTable('oidc_records_away', 'oidc_records');
      expect(answer.html).not.toContain('oidc_records');
      expect(own.logged()).toMatch(/"level":"error".*no such table/);
    } finally {
      await own.stop();
    }
  });
});
