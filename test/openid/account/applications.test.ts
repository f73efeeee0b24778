// Pages of an account: applications and activity; and the service as an application of its own.

import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { credentialsOf, enteredBy, idOf, openAccount } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl, SEARCH, signIn, statusWith } from '#support/openid/relying-party.ts';
import { resetService } from '#support/openid/reset-service.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson } from '#support/person.ts';
import { testClients } from '#support/service.ts';

describe('applications', () => {
  withService();

  // SEC-36: what a person has allowed applications is shown at /account, and withdrawn there.
  describe('SEC-36 applications', () => {
    beforeEach(() => resetService(service));

    const ask = (token: string, path: string) => statusWith(service, token, path);

    it('are listed with what they may do in messages; those the operator trusts are not the person’s to withdraw', async () => {
      const person = createPerson(service.issuer);
      const credentials = credentialsOf(0);
      await signIn(service, { person, credentials });
      await signIn(service, { person, credentials, clientId: 'narrow', scope: 'openid email' });
      await signIn(service, { person, credentials, clientId: 'trusted' });
      const { html } = await openAccount(person, 0, '/account/applications');
      const [list = ''] = /<ul class="allowed">.*<\/ul>/s.exec(html) ?? [];
      expect(list.match(/<h2>[^<]*/g)).toEqual(['<h2>Dossier de test', '<h2>Peu de droits']);
      expect(list.match(/Search for health professionals/g)).toHaveLength(1);
      expect(list.match(/Your e\u2011mail address/g)).toHaveLength(2);
      expect(list).toContain('aria-label="Withdraw access from Peu de droits"');
    });

    it('withdrawn by the person lose what they hold, ask anew, and are in the audit trail', async () => {
      const person = createPerson(service.issuer);
      const credentials = credentialsOf(1);
      const { tokens } = await signIn(service, { person, credentials });
      const other = await signIn(service, { person, credentials, clientId: 'narrow', scope: 'openid email' });
      const elsewhere = await signIn(service, { person: createPerson(service.issuer), credentials });
      const overview = await openAccount(person, 1, '/account/applications');
      const done = await person.press(overview, 'withdraw-server');
      expect([done.url, done.status]).toEqual([`${service.issuer}/account/applications`, 200]);
      expect(done.html).toContain('Dossier de test no longer has access to your account');
      expect(done.html).not.toContain('id="withdraw-server"');

      for (const token of [tokens.access_token, elsewhere.tokens.access_token]) {
        expect([await ask(token, SEARCH), await ask(token, '/userinfo')]).toEqual([401, 401]);
      }
      expect(await ask(other.tokens.access_token, '/userinfo')).toBe(200);
      expect((await person.visit(authorizationUrl(service))).html).toContain('id="allow"');
      const search = { limit: 9, account: idOf(1), events: ['consent.withdrawn' as const] };
      const events = await openAuditEvents(service.database).search(search);
      const actor = `account:${idOf(1)}`;
      expect(events).toMatchObject([{ actor, account: idOf(1), client: 'server', address: '127.0.0.1' }]);

      // A second press of a button that is gone says nothing and does nothing.
      const again = await person.press(overview, 'withdraw-server');
      expect([again.status, again.html.includes('id="done"')]).toEqual([200, false]);
    });

    it('of others are out of reach, and so are those that nobody asked about', async () => {
      const trusted = await signIn(service, {
        person: createPerson(service.issuer),
        credentials: credentialsOf(2),
        clientId: 'trusted',
      });
      const server = await signIn(service, { person: createPerson(service.issuer), credentials: credentialsOf(3) });
      const { person } = await enteredBy(service.issuer, 2);
      const csrf = /name="csrf" value="([^"]+)"/.exec((await person.visit('/account/second-factor')).html)?.[1] ?? '';
      expect((await person.visit('/account/applications')).html).not.toContain('id="withdraw');
      for (const client of ['trusted', 'server', 'hygie-account', 'nobody', '', 'x'.repeat(3000)]) {
        const body = new URLSearchParams({ csrf, client });
        const page = await person.visit('/account/applications', { method: 'POST', body });
        expect([page.status, page.url, page.html.includes('id="done"')]).toEqual([
          200,
          `${service.issuer}/account/applications`,
          false,
        ]);
      }
      const unnamed = await person.visit('/account/applications', {
        method: 'POST',
        body: new URLSearchParams({ csrf }),
      });
      expect(unnamed.status).toBe(400);
      expect(await ask(trusted.tokens.access_token, '/userinfo')).toBe(200);
      expect(await ask(server.tokens.access_token, '/userinfo')).toBe(200);
    });

    it('that the operator has taken away can still be withdrawn; a scope that was taken away is not shown', async () => {
      const person = createPerson(service.issuer);
      await signIn(service, { person, credentials: credentialsOf(4) });
      const clients = await testClients();
      service.replaceClients(
        clients.map((client) => ({ ...client, scopes: client.scopes.filter((s) => s !== 'email') })),
      );
      expect((await openAccount(person, 4, '/account/applications')).html).not.toContain('Your e\u2011mail address');
      service.replaceClients(clients.filter(({ id }) => id !== 'server'));
      const overview = await openAccount(person, 4, '/account/applications');
      expect(overview.html).toContain('<h2>server</h2>');
      expect((await person.press(overview, 'withdraw-server')).html).toContain('server no longer has access');
    });
  });

  // The page with what happened at a person's account, against the running service.
  describe('the activity of a person', () => {
    beforeEach(() => resetService(service));

    const append = (records: { event: string; account: string; actor: string; details?: Record<string, unknown> }[]) =>
      openAuditEvents(service.database).append(
        records.map((record) => ({ outcome: 'success', time: new Date().toISOString(), ...record })) as never,
      );
    const titles = (html: string) => [...html.matchAll(/<h2>([^<]+)<\/h2>\s*<p><time/g)].map(([, title]) => title);

    it('goes back page by page', async () => {
      await append(
        Array.from({ length: 60 }, () => ({ event: 'account.unlocked', account: idOf(8), actor: 'operator:o' })),
      );
      const { person } = await enteredBy(service.issuer, 8);
      const first = await person.visit('/account/activity');
      const linkOn = (html: string, id: string) => new RegExp(`id="${id}" href="([^"]+)"`).exec(html)?.[1];
      expect([titles(first.html).length, linkOn(first.html, 'newer')]).toEqual([25, undefined]);
      const second = await person.visit(linkOn(first.html, 'older') ?? '');
      expect(titles(second.html)).toHaveLength(25);
      const last = await person.visit(linkOn(second.html, 'older') ?? '');
      expect([titles(last.html).length, linkOn(last.html, 'older')]).toEqual([11, undefined]);
      expect(linkOn(last.html, 'newer')).toBeDefined();
    });

    it('SEC-43 a place that was not given out, or repeated, shows the first page', async () => {
      const person = createPerson(service.issuer);
      await openAccount(person, 9, '/account/activity');
      for (const query of ['older=x', 'older=1-1&older=2-2', 'newer[a]=1', `older=${'9'.repeat(400)}`])
        expect((await person.visit(`/account/activity?${query}`)).html).toContain('Signed in');
    });
  });

  // The client that the service is to itself: nobody else may be it, and nobody meets it among the operator's clients.
  describe('the service’s own client', () => {
    beforeEach(() => resetService(service));

    describe('the service as a client of itself', () => {
      const request = (changes: Record<string, string> = {}) =>
        `/authorize?${new URLSearchParams({
          client_id: 'hygie-account',
          redirect_uri: `${service.issuer}/account/signed-in`,
          response_type: 'code',
          scope: 'openid',
          state: 's'.repeat(40),
          code_challenge: 'c'.repeat(43),
          code_challenge_method: 'S256',
          ...changes,
        })}`;

      it('sends people to its own callback only, and never without PKCE', async () => {
        const person = createPerson(service.issuer);
        const elsewhere = await person.visit(request({ redirect_uri: 'https://evil.example/account/signed-in' }));
        expect([elsewhere.status, elsewhere.left]).toEqual([400, undefined]);
        const plain = await person.visit(request({ code_challenge_method: 'plain' }));
        // The refusal arrives at the callback, which has begun no such sign-in.
        expect([plain.status, plain.url.startsWith(`${service.issuer}/account/signed-in?`)]).toEqual([400, true]);
      });

      it('stays when the operator edits the clients, and survives it', async () => {
        service.replaceClients([]);
        const person = createPerson(service.issuer);
        const overview = await person.press(await person.visit('/account'), 'sign-in', credentialsOf(0));
        expect([overview.url, overview.status]).toEqual([`${service.issuer}/account`, 200]);
      });

      it('gets no tokens, whoever has a code of it, and is none of the applications that a person has allowed', async () => {
        const person = createPerson(service.issuer);
        await person.press(await person.visit('/account'), 'sign-in', credentialsOf(2));
        const verifier = 'v'.repeat(43);
        const code_challenge = createHash('sha256').update(verifier).digest('base64url');
        const cookie = ['hygie_session', 'hygie_session.sig'].map(
          (name) => `${name}=${person.cookies.get(`${name} /`)}`,
        );
        const headers = { cookie: cookie.join('; ') };
        const answer = await fetch(service.issuer + request({ code_challenge }), { headers, redirect: 'manual' });
        const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '';
        expect(code).not.toBe('');
        const redirect_uri = `${service.issuer}/account/signed-in`;
        const redemption = { grant_type: 'authorization_code', client_id: 'hygie-account', code, redirect_uri };
        for (const secret of [{}, { client_secret: '' }, { client_secret: 'kept as a hash' }]) {
          const body = new URLSearchParams({ ...redemption, code_verifier: verifier, ...secret });
          const refused = await fetch(`${service.issuer}/oauth/token`, { method: 'POST', body });
          expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([
            401,
            'invalid_client',
          ]);
        }
        const asked = await person.visit(request({ prompt: 'consent' }));
        await person.press(asked, 'allow');
        expect((await person.visit('/account')).html).not.toContain('id="withdraw-hygie-account"');
      });
    });
  });
});
