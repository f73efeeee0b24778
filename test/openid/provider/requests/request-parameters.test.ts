// OpenID Connect Core sections 3.1.2.1 and 5.5: what a client may ask for beside scopes, and that discovery tells the truth
// about each. SEC-34.

import { beforeAll, describe, expect, it } from '@jest/globals';
import type * as oidc from 'openid-client';
import { PASSWORD_ACR, SECOND_FACTOR_ACR } from '#openid/tokens/authentication-context.ts';
import { authorizationUrl, CREDENTIALS, discover, signedInPerson, signIn } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson, type Person } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#support/service.ts';

describe('request parameters', () => {
  let metadata: Record<string, unknown>;
  withService();
  beforeAll(async () => {
    metadata = (await discover(service, 'server')).serverMetadata() as unknown as Record<string, unknown>;
    await signedInPerson(service).signIn(authorizationUrl(service), CREDENTIALS);
  });

  const open = (parameters: Record<string, string>, person: Person = signedInPerson(service)) =>
    person.visit(authorizationUrl(service, parameters));
  const errorOf = async (parameters: Record<string, string>, person?: Person) =>
    (await open(parameters, person)).left?.searchParams.get('error');
  const idToken = async (parameters: Record<string, string>, scope?: string): Promise<oidc.IDToken> => {
    const { tokens } = await signIn(service, { parameters, ...(scope && { scope }) });
    return tokens.claims() as oidc.IDToken;
  };
  const userinfo = async (parameters: Record<string, string>, scope: string, person = signedInPerson(service)) => {
    const { tokens } = await signIn(service, { parameters, scope, person });
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    return (await (await fetch(`${service.issuer}/userinfo`, { headers })).json()) as Record<string, unknown>;
  };
  const claims = (wanted: object) => ({ claims: JSON.stringify(wanted) });

  describe('prompt', () => {
    it('none, login, consent and select_account, and nothing else', async () => {
      expect(metadata['prompt_values_supported']).toEqual(['none', 'login', 'consent', 'select_account']);
      expect(await errorOf({ prompt: 'none' })).toBeNull();
      for (const prompt of ['create', 'none login', 'none select_account', 'nonsense'])
        expect(await errorOf({ prompt })).toBe('invalid_request');
    });

    it.each([
      ['login', 'sign-in'],
      ['consent', 'allow'],
      ['select_account', 'other-account'],
      ['login consent', 'sign-in'],
      ['login select_account', 'other-account'],
      ['consent select_account', 'other-account'],
    ])(
      '%s begins with the button #%s for a person who is signed in, and with a sign-in for others',
      async (prompt, id) => {
        const begins = async (person?: Person) => {
          const { html } = await open({ prompt }, person);
          return ['sign-in', 'allow', 'other-account'].find((button) => html.includes(`id="${button}"`));
        };
        expect([await begins(), await begins(createPerson(service.issuer))]).toEqual([id, 'sign-in']);
      },
    );
  });

  it('max_age is a number of seconds', async () => {
    expect((await open({ max_age: '0' })).html).toContain('id="sign-in"');
    expect(await errorOf({ max_age: '-1' })).toBe('invalid_request');
  });

  describe('acr_values and amr', () => {
    it('says that a password was used, and no more', async () => {
      expect(metadata['acr_values_supported']).toEqual([PASSWORD_ACR, SECOND_FACTOR_ACR]);
      const wanted = { acr_values: `urn:unheard-of ${PASSWORD_ACR}`, ...claims({ id_token: { amr: null } }) };
      expect(await idToken(wanted)).toMatchObject({ acr: PASSWORD_ACR, amr: ['pwd'] });
      // A wish that cannot be met is no fault.
      expect(await idToken({ acr_values: 'urn:unheard-of' })).toMatchObject({ acr: PASSWORD_ACR });
    });

    it('an essential acr that can be reached is, and any other is refused without asking for the password', async () => {
      const essential = (value: object) => claims({ id_token: { acr: { essential: true, ...value } } });
      expect(await idToken(essential({ value: PASSWORD_ACR }))).toMatchObject({ acr: PASSWORD_ACR });
      expect(await errorOf(essential({ value: 'urn:x' }))).toBe('unmet_authentication_requirements');
    });
  });

  describe('login_hint and id_token_hint', () => {
    it('a hint about the person who is signed in is answered, about another one it is not', async () => {
      const person = createPerson(service.issuer);
      const credentials = { login: DEMO_ACCOUNTS[2]?.email ?? '', password: DEMO_PASSWORD };
      const other = await signIn(service, { person, credentials });
      const own = (await signIn(service)).tokens.id_token ?? '';
      expect(await errorOf({ prompt: 'none', id_token_hint: own })).toBeNull();
      expect(await errorOf({ prompt: 'none', id_token_hint: other.tokens.id_token ?? '' })).toBe('login_required');
      expect((await open({ id_token_hint: other.tokens.id_token ?? '' })).html).toContain('id="sign-in"');
    });

    const SOMEBODY_ELSE = { login: DEMO_ACCOUNTS[3]?.email ?? '', password: DEMO_PASSWORD };
    it.each([
      ['id_token_hint', 'nobody is signed in', {}],
      ['id_token_hint', 'that person is, and has to prove it anew', { prompt: 'login' }],
      ['claims', 'nobody is signed in', {}],
      ['claims', 'that person is, and has to prove it anew', { prompt: 'login' }],
    ])('3.1.2.1, 5.5.1 of %s: who signs in as another gets no code of it, when %s', async (parameter, _when, more) => {
      const first = await signIn(service, { person: createPerson(service.issuer) });
      const person = 'prompt' in more ? first.person : createPerson(service.issuer);
      const subject = JSON.stringify({ id_token: { sub: { value: first.tokens.claims()?.sub } } });
      const naming = { [parameter]: parameter === 'claims' ? subject : (first.tokens.id_token ?? '') };
      const page = await open({ ...naming, ...more }, person);
      expect(page.html).toContain('id="sign-in"');
      const answer = await person.press(page, 'sign-in', SOMEBODY_ELSE);
      const { searchParams } = answer.left as URL;
      expect([searchParams.get('error'), searchParams.get('code')]).toEqual(['login_required', null]);
      expect(searchParams.get('error_description')).toContain(parameter);
      // Who was signed in still is, and the person that is meant gets in.
      const again = await open({ ...naming, ...more }, person);
      expect((await person.press(again, 'sign-in', CREDENTIALS)).left?.searchParams.get('code')).toBeTruthy();
    });

    it('3.1.2.1 who opens the address behind the sign-in by hand gets no code of a hint about another', async () => {
      const hint = (await signIn(service, { person: createPerson(service.issuer) })).tokens.id_token ?? '';
      const person = createPerson(service.issuer);
      await signIn(service, { person, credentials: SOMEBODY_ELSE });
      const page = await open({ id_token_hint: hint }, person);
      const behind = page.url.replace('/interaction/', '/authorize/');
      expect(behind).not.toBe(page.url);
      const { left, html } = await person.visit(behind);
      expect(left?.searchParams.get('code') ?? undefined).toBeUndefined();
      expect(html).toContain('id="sign-in"');
    });
  });

  it('of ui_locales the first language that is spoken here is taken', async () => {
    expect(metadata['ui_locales_supported']).toEqual(['fr', 'en']);
    const page = await open({ ui_locales: 'de en fr' }, createPerson(service.issuer));
    expect(page.html).toContain('<html lang="en">');
  });

  describe('5.5 the claims parameter', () => {
    it('is supported, and names what there is', () => {
      expect(metadata['claims_parameter_supported']).toBe(true);
      const named = ['sub', 'name', 'email', 'updated_at', 'acr', 'amr', 'auth_time'];
      expect(metadata['claims_supported']).toEqual(expect.arrayContaining(named));
    });

    it('gives a single claim at the place it is asked for, once the person agreed', async () => {
      const person = createPerson(service.issuer);
      const credentials = { login: DEMO_ACCOUNTS[3]?.email ?? '', password: DEMO_PASSWORD };
      const wanted = claims({ userinfo: { email: { essential: true } } });
      const login = await open({ scope: 'openid', ...wanted }, person);
      const consent = await person.press(login, 'sign-in', credentials);
      expect(consent.html).toContain('Votre adresse e\u2011mail');
      await person.press(consent, 'allow');
      const { tokens } = await signIn(service, { person, scope: 'openid', parameters: wanted });
      expect(tokens.claims()).not.toHaveProperty('email');
      expect(await userinfo(wanted, 'openid', person)).toMatchObject({ email: credentials.login });
      expect(await userinfo({}, 'openid', person)).not.toHaveProperty('email');
      // Remembered at the next sign-in, as scopes are.
      const later = createPerson(service.issuer);
      const again = await later.press(await open({ scope: 'openid', ...wanted }, later), 'sign-in', credentials);
      expect(again.left?.searchParams.get('code')).toBeTruthy();
    });

    it('gives no claim of a scope that the client may not have', async () => {
      const wanted = claims({ userinfo: { name: { essential: true }, email: null }, id_token: { picture: null } });
      const page = await open({ client_id: 'narrow', scope: 'openid email', ...wanted });
      expect(page.html).toContain('Votre adresse e\u2011mail');
      expect(page.html).not.toContain('Votre prénom et votre nom');
      const configuration = await discover(service, 'narrow');
      const { tokens } = await signIn(service, {
        clientId: 'narrow',
        configuration,
        scope: 'openid email',
        parameters: wanted,
      });
      expect(tokens.claims()).not.toHaveProperty('picture');
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const info = await (await fetch(`${service.issuer}/userinfo`, { headers })).json();
      expect(info).toHaveProperty('email');
      expect(info).not.toHaveProperty('name');
    });

    it.each([
      'nonsense',
      '[]',
      '{}',
      '{"userinfo":[]}',
      '{"id_token":"x"}',
      'null',
      '{"__proto__":{"userinfo":{}}}',
      '{"id_token":{"sub":"x"}}',
      '{"id_token":{"sub":[]}}',
      '{"userinfo":{"sub":5}}',
      '{"userinfo":{"name":true}}',
    ])('SEC-44 %s is an invalid request', async (text) => {
      expect(await errorOf({ claims: text })).toBe('invalid_request');
    });

    it('SEC-43 a claim that is unheard of is ignored', async () => {
      const page = await open(claims({ userinfo: { shoe_size: { essential: true }, constructor: null } }));
      expect(page.left?.searchParams.get('code')).toBeTruthy();
    });
  });
});
