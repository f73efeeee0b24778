// Refresh tokens: OpenID Connect Core sections 11 and 12, RFC 6749 section 6; SEC-20, SEC-26. How they are asked for, what a
// refresh gives, and when they end. The grace window has a file of its own.

import { describe, expect, it } from '@jest/globals';
import { digest } from '#shared/crypto/digest.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { OFFLINE, refreshing, type Tokens } from '#support/openid/refreshing.ts';
import { authorizationUrl, CREDENTIALS, obtainCode, redeem, signIn } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#support/service.ts';

const DAY = 86_400;

describe('refresh tokens', () => {
  const { on, rowOf, ask, obtain, search, age } = refreshing('sqlite');
  const claimsOf = ({ id_token }: Tokens) =>
    JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;

  describe('11 offline_access', () => {
    it('is asked for in words, in a line of its own, and can be refused', async () => {
      const person = createPerson(on.service.issuer);
      await person.signIn(authorizationUrl(on.service, { scope: 'openid email' }), CREDENTIALS);
      const url = authorizationUrl(on.service, { scope: OFFLINE, prompt: 'consent' });
      const page = await person.visit(url);
      expect(page.html).toContain(
        '<li>Conserver cet accès lorsque vous n’utilisez pas l’application (30\u00a0jours au plus)</li>',
      );
      const english = await person.visit(`${url}&ui_locales=en`);
      expect(english.html).toContain(
        '<li>Keep this access while you’re not using the application (30\u00a0days at most)</li>',
      );
      const refused = await person.press(page, 'refuse');
      expect(refused.left?.searchParams.get('error')).toBe('access_denied');
    });

    it('is asked for again at every request, whatever was agreed to before', async () => {
      const person = createPerson(on.service.issuer);
      await obtain(OFFLINE, person);
      const again = await person.visit(authorizationUrl(on.service, { scope: OFFLINE, prompt: 'consent' }));
      expect(again.html).toContain('Conserver cet accès');
      expect(again.html).toContain('Votre adresse e\u2011mail');
    });
  });

  describe('SEC-26 rotation', () => {
    it('gives a new refresh token, access token and ID token, which keeps auth_time and has at_hash', async () => {
      const code = await obtainCode(on.service, {
        scope: OFFLINE,
        prompt: 'consent',
        nonce: 'n-0S6',
        max_age: '3600',
      });
      const first = (await (await redeem(on.service, code)).json()) as Tokens;
      const { status, tokens: second } = await ask(first.refresh_token);
      expect(status).toBe(200);
      expect(second.refresh_token).not.toBe(first.refresh_token);
      expect(second.access_token).not.toBe(first.access_token);
      expect(await search(second)).toBe(200);
      const [before, after] = [claimsOf(first), claimsOf(second)];
      expect(after).toMatchObject({ iss: before['iss'], sub: before['sub'], aud: before['aud'] });
      expect(before['auth_time']).toEqual(expect.any(Number));
      expect(after['auth_time']).toBe(before['auth_time']);
      expect(before['nonce']).toBe('n-0S6');
      expect(after).not.toHaveProperty('nonce');
      const half = Buffer.from(digest(second.access_token), 'base64url').subarray(0, 16);
      expect(after['at_hash']).toBe(half.toString('base64url'));
    });

    it('the scope can shrink for one access token, and never grow', async () => {
      const { refresh_token } = await obtain('openid email offline_access');
      const narrow = await ask(refresh_token, { scope: 'openid' });
      expect(narrow.tokens.scope).toBe('openid');
      const grown = await ask(narrow.tokens.refresh_token, { scope: 'openid email PRACTITIONER_READ' });
      expect(grown).toMatchObject({ status: 400, tokens: { error: 'invalid_scope' } });
      const back = await ask(narrow.tokens.refresh_token);
      expect(back.tokens.scope.split(' ').sort()).toEqual(['email', 'offline_access', 'openid']);
    });

    it('outlives the session, and the grant of a session that was there before', async () => {
      const person = createPerson(on.service.issuer);
      await obtainCode(on.service, { scope: 'openid email' }, person);
      const tokens = await obtain(OFFLINE, person);
      await on.service.database('oidc_records').where({ model: 'Session' }).delete();
      const grants = await on.service.database('oidc_records').where({ model: 'Grant' }).orderBy('expires_at', 'desc');
      expect(Number(grants[0].expires_at)).toBeGreaterThan(Date.now() / 1000 + 89 * DAY);
      const renewed = await ask(tokens.refresh_token);
      expect(renewed.status).toBe(200);
      expect(await search(renewed.tokens)).toBe(200);
    });

    it('ends after the idle time, and after the absolute one however often it is used', async () => {
      const idle = await obtain();
      await age(idle.refresh_token, 14 * DAY + 1);
      expect(await ask(idle.refresh_token)).toMatchObject({ status: 400, tokens: { error: 'invalid_grant' } });

      let { refresh_token } = await obtain();
      for (const [older, left] of [
        [13 * DAY, 14 * DAY],
        [13 * DAY, 4 * DAY],
      ] as const) {
        await age(refresh_token, older);
        ({ refresh_token } = (await ask(refresh_token)).tokens);
        const [row] = await rowOf(refresh_token);
        expect(Math.abs(Number(row.expires_at) - Date.now() / 1000 - left)).toBeLessThan(60);
      }
      await age(refresh_token, 4 * DAY + 1);
      expect((await ask(refresh_token)).status).toBe(400);
    });

    it('SEC-20 ends with the account, and with the permission of the client', async () => {
      const credentials = { login: DEMO_ACCOUNTS[9]?.email ?? '', password: DEMO_PASSWORD };
      const { tokens } = await signIn(on.service, {
        person: createPerson(on.service.issuer),
        credentials,
        scope: OFFLINE,
        parameters: { prompt: 'consent' },
      });
      await openAccounts(on.service.database).update(DEMO_ACCOUNTS[9]?.id ?? '', { status: 'disabled' });
      expect((await ask(tokens.refresh_token ?? '')).status).toBe(400);

      const kept = await obtain();
      on.service.replaceClients(
        on.clients.map((client) => ({
          ...client,
          scopes: client.scopes.filter((scope) => scope !== 'offline_access'),
        })),
      );
      const refused = await ask(kept.refresh_token);
      on.service.replaceClients(on.clients);
      expect(refused.status).toBe(400);

      on.service.replaceClients(
        on.clients.map((client) => ({ ...client, scopes: client.scopes.filter((scope) => scope !== 'email') })),
      );
      const narrowed = await ask(kept.refresh_token);
      on.service.replaceClients(on.clients);
      expect(narrowed.status).toBe(200);
      expect(narrowed.tokens.scope.split(' ')).not.toContain('email');
      expect(claimsOf(narrowed.tokens)).not.toHaveProperty('email');
    });
  });
});
