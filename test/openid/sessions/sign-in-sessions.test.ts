// The session of a signed-in person: prompts, consent, other accounts, cookies; ID tokens and keys as a stranger sees them.
// OpenID Connect Core sections 3.1.2 and 3.1.3.7, and the security checklist.

import { describe, expect, it } from '@jest/globals';
import { credentialsOf } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl, CREDENTIALS, signIn } from '#support/openid/relying-party.ts';
import { stoppableClock } from '#support/openid/stopped-clock.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson } from '#support/person.ts';
import { ALL_SCOPES } from '#support/service.ts';

describe('sign-in sessions', () => {
  withService();

  describe('single sign-on', () => {
    it('asks for the password once, and for consent once per client', async () => {
      const person = createPerson(service.issuer);
      await person.signIn(authorizationUrl(service), CREDENTIALS);
      const again = await person.visit(authorizationUrl(service));
      expect(again.left?.searchParams.get('code')).toBeTruthy();
      const other = await person.visit(authorizationUrl(service, { client_id: 'narrow', scope: 'openid email' }));
      expect(other.html).toContain('id="allow"');
      expect(other.html).not.toContain('id="sign-in"');
    });

    it('SEC-36 remembers consent at the next sign-in, and asks only for what is new', async () => {
      const visitWith = async (scope: string) => {
        const person = createPerson(service.issuer);
        const login = await person.visit(authorizationUrl(service, { scope }));
        return { person, page: await person.press(login, 'sign-in', credentialsOf(5)) };
      };
      const EMAIL = 'Votre adresse e\u2011mail';
      const SEARCH = 'Rechercher des professionnels de santé dans l’annuaire';
      const first = await visitWith('openid email');
      expect(first.page.html).toContain(EMAIL);
      expect((await first.person.press(first.page, 'allow')).left?.searchParams.get('code')).toBeTruthy();

      expect((await visitWith('openid email')).page.left?.searchParams.get('code')).toBeTruthy();

      const more = await visitWith('openid email PRACTITIONER_READ');
      expect(more.page.html).toContain(SEARCH);
      expect(more.page.html).not.toContain(EMAIL);
      expect(more.page.html).not.toContain('Votre identité professionnelle');
      expect((await more.person.press(more.page, 'allow')).left?.searchParams.get('code')).toBeTruthy();

      expect((await visitWith('openid email PRACTITIONER_READ')).page.left?.searchParams.get('code')).toBeTruthy();
    });

    it('a disabled account is refused like a wrong password', async () => {
      const person = createPerson(service.issuer);
      const login = await person.visit(authorizationUrl(service));
      const answer = await person.press(login, 'sign-in', credentialsOf(11));
      expect(answer.left).toBeUndefined();
      expect(answer.status).toBe(422);
    });
  });

  describe('SEC-34 prompts', () => {
    const clock = stoppableClock();
    const errorOf = async (person: ReturnType<typeof createPerson>, parameters: Record<string, string>) =>
      (await person.visit(authorizationUrl(service, parameters))).left?.searchParams.get('error');

    it('prompt=none without a session: login_required; without consent: consent_required', async () => {
      expect(await errorOf(createPerson(service.issuer), { prompt: 'none' })).toBe('login_required');
      const person = createPerson(service.issuer);
      await person.signIn(authorizationUrl(service), CREDENTIALS);
      expect(await errorOf(person, { prompt: 'none' })).toBeNull();
      const asked = { prompt: 'none', client_id: 'narrow', scope: 'openid email' };
      expect(await errorOf(person, asked)).toMatch(/^(consent|interaction)_required$/);
    });

    it('prompt=login and max_age force a new login, and auth_time tells when it was', async () => {
      const person = createPerson(service.issuer);
      const claims = JSON.stringify({ id_token: { auth_time: { essential: true } } });
      const authTime = async (parameters: Record<string, string> = {}) =>
        (await signIn(service, { person, parameters: { claims, ...parameters } })).tokens.claims()?.auth_time;
      clock.stop();
      const first = Math.floor(Date.now() / 1000);
      expect(await authTime()).toBe(first);
      clock.pass(60);
      expect(await authTime()).toBe(first);
      expect((await person.visit(authorizationUrl(service, { prompt: 'login' }))).html).toContain('id="sign-in"');
      expect(await authTime({ prompt: 'login' })).toBe(first + 60);
      clock.pass(60);
      expect(await authTime({ max_age: '60' })).toBe(first + 60);
      expect((await person.visit(authorizationUrl(service, { max_age: '59' }))).html).toContain('id="sign-in"');
      expect(await authTime({ max_age: '59' })).toBe(first + 120);
    });
  });

  describe('SEC-33 and SEC-35 cookies and browsers', () => {
    it('cookies are HttpOnly and SameSite, and live no longer than the browser', async () => {
      const response = await fetch(authorizationUrl(service), { redirect: 'manual' });
      const cookies = response.headers.getSetCookie();
      expect(cookies.length).toBeGreaterThan(0);
      for (const cookie of cookies) expect(cookie).toMatch(/; samesite=lax.*; httponly|; httponly.*; samesite=lax/i);
      const person = createPerson(service.issuer);
      const login = await person.visit(authorizationUrl(service));
      await person.press(login, 'sign-in', CREDENTIALS);
      expect(person.cookies.get('hygie_session /')).toBeTruthy();
      const given = person.setCookies.filter((line) => /^hygie_session(\.sig)?=/.test(line));
      expect(given.length).toBeGreaterThan(1);
      for (const cookie of given) expect(cookie).not.toMatch(/; *(expires|max-age)=/i);
    });

    it('a browser keeps cookies also while the clock of the service is late: what has Expires has as many seconds of Max-Age', async () => {
      const person = createPerson(service.issuer);
      await person.signIn(authorizationUrl(service), CREDENTIALS);
      await person.visit(`${service.issuer}/account`);
      const ending = person.setCookies.filter((line) => /; *expires=/i.test(line));
      const kept = ending.filter((line) => !line.includes('01 Jan 1970'));
      expect(new Set(kept.map((line) => line.split('=')[0]))).toEqual(
        new Set(['hygie_account', 'hygie_interaction', 'hygie_interaction.sig', 'hygie_resume', 'hygie_resume.sig']),
      );
      for (const line of ending) {
        const [, seconds = ''] = /; max-age=(\d+)$/i.exec(line) ?? [];
        expect([line, Number(seconds) > 600]).toEqual([line, kept.includes(line)]);
        expect(line.match(/max-age/gi)).toHaveLength(1);
      }
    });

    it('SEC-33 the session has another id after each login, and the id before is worth nothing', async () => {
      const person = createPerson(service.issuer);
      const asked = authorizationUrl(service, { prompt: 'none' });
      await person.signIn(authorizationUrl(service), CREDENTIALS);
      // Somebody who had got hold of the cookies.
      const thief = createPerson(service.issuer);
      for (const [name, value] of person.cookies) thief.cookies.set(name, value);
      expect((await thief.visit(asked)).left?.searchParams.get('code')).toBeTruthy();
      const before = thief.cookies.get('hygie_session /');
      expect(before).toBe(person.cookies.get('hygie_session /'));
      await person.signIn(authorizationUrl(service, { prompt: 'login' }), CREDENTIALS);
      expect(person.cookies.get('hygie_session /')).not.toBe(before);
      expect((await person.visit(asked)).left?.searchParams.get('code')).toBeTruthy();
      expect((await thief.visit(asked)).left?.searchParams.get('error')).toBe('login_required');
    });

    it('a session id that was never given out is worth nothing', async () => {
      const person = createPerson(service.issuer);
      person.cookies.set('hygie_session /', 'planted');
      expect((await person.visit(authorizationUrl(service))).html).toContain('id="sign-in"');
    });
  });

  it('discovery says what there is, and no more', async () => {
    const metadata = (await (await fetch(`${service.issuer}/.well-known/openid-configuration`)).json()) as object;
    expect(metadata).toMatchObject({
      issuer: service.issuer,
      authorization_endpoint: `${service.issuer}/authorize`,
      token_endpoint: `${service.issuer}/oauth/token`,
      userinfo_endpoint: `${service.issuer}/userinfo`,
      end_session_endpoint: `${service.issuer}/logout`,
      revocation_endpoint: `${service.issuer}/oauth/revoke`,
      introspection_endpoint: `${service.issuer}/oauth/introspect`,
      jwks_uri: `${service.issuer}/.well-known/jwks.json`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
      scopes_supported: expect.arrayContaining(ALL_SCOPES.split(' ')),
    });
    const alias = await fetch(`${service.issuer}/.well-known/oauth-authorization-server`);
    expect(await alias.json()).toEqual(metadata);
  });
});
