// prompt=select_account (OpenID Connect Core section 3.1.2.1): whoever is signed in goes on by a button, or uses another account, which
// gives nothing of the sign-in before. SEC-34, SEC-35, SEC-55.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { SECOND_FACTOR_ACR } from '#openid/tokens/authentication-context.ts';
import { ENGINES } from '#support/databases.ts';
import { authorizationUrl, CREDENTIALS, discover, redeem, signIn } from '#support/openid/relying-party.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { CALLBACK, DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService, startService } from '#support/service.ts';

const [ME, , OTHER] = DEMO_ACCOUNTS.map(({ id = '', email }) => ({ id, login: email, password: DEMO_PASSWORD }));
const SELECT = { prompt: 'select_account' };

describe.each(ENGINES)('prompt=select_account on %s', (engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  const ask = (person: Person, parameters: Record<string, string> = SELECT) =>
    person.visit(authorizationUrl(service, { client_id: 'trusted', scope: 'openid email', ...parameters }));
  const signedIn = async () => {
    const person = createPerson(service.issuer);
    const { tokens } = await signIn(service, { person, clientId: 'trusted', scope: 'openid email' });
    return { person, tokens };
  };
  const isChoice = ({ html }: Visit) => html.includes('id="continue"') && html.includes('id="other-account"');
  const isLogin = ({ html }: Visit) => html.includes('id="sign-in"');
  /** Whom the code at the callback is for. */
  const personAt = async ({ left }: Visit) => {
    const code = left?.searchParams.get('code') ?? '';
    const tokens = (await (await redeem(service, code, { client_id: 'trusted' })).json()) as { id_token?: string };
    return JSON.parse(Buffer.from(tokens.id_token?.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >;
  };
  /** After a sign-in, these people have several places of work to choose from: the current one. */
  const atWork = (person: Person, page: Visit) => person.press(page, 'continue');
  const userinfo = async (token: string) =>
    (await fetch(`${service.issuer}/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status;

  it('goes on with who is signed in, whose tokens stay good', async () => {
    const { person, tokens } = await signedIn();
    const page = await ask(person);
    expect(isChoice(page)).toBe(true);
    expect(page.html).toContain(CREDENTIALS.login.split('@')[0]);
    expect((await personAt(await person.press(page, 'continue'))).sub).toBe(ME?.id);
    expect(await userinfo(tokens.access_token)).toBe(200);
    // Each request asks anew.
    expect(isChoice(await ask(person))).toBe(true);
  });

  it('another account is asked for by the normal form, and the sign-in before ends with its tokens', async () => {
    const { person, tokens } = await signedIn();
    const login = await person.press(await ask(person), 'other-account');
    expect([isLogin(login), login.html.includes(CREDENTIALS.login)]).toEqual([true, false]);
    expect(await userinfo(tokens.access_token)).toBe(401);
    const { login: email = '', password = '' } = OTHER ?? {};
    const places = await person.press(login, 'sign-in', { login: email, password });
    expect((await personAt(await atWork(person, places))).sub).toBe(OTHER?.id);
  });

  it('without a session it is the normal sign-in, which is a choice already', async () => {
    const person = createPerson(service.issuer);
    const page = await ask(person);
    expect([isLogin(page), isChoice(page)]).toEqual([true, false]);
    const places = await person.press(page, 'sign-in', CREDENTIALS);
    expect((await personAt(await atWork(person, places))).sub).toBe(ME?.id);
  });

  it('cancelled, the application hears access_denied, and the session stays', async () => {
    const { person, tokens } = await signedIn();
    const { left } = await person.press(await ask(person), 'cancel');
    expect(left?.searchParams.get('error')).toBe('access_denied');
    expect(await userinfo(tokens.access_token)).toBe(200);
  });

  it('with login: the choice, then the password; with consent: the choice, then the question', async () => {
    const { person } = await signedIn();
    const login = await person.press(await ask(person, { prompt: 'select_account login' }), 'continue');
    expect(isLogin(login)).toBe(true);
    expect((await personAt(await person.press(login, 'sign-in', CREDENTIALS))).sub).toBe(ME?.id);
    const consent = await person.press(await ask(person, { prompt: 'consent select_account' }), 'continue');
    expect(consent.html).toContain('id="allow"');
    expect((await personAt(await person.press(consent, 'allow'))).sub).toBe(ME?.id);
    const all = await person.press(await ask(person, { prompt: 'consent login select_account' }), 'other-account');
    const { login: email = '', password = '' } = OTHER ?? {};
    const places = await person.press(all, 'sign-in', { login: email, password });
    const allowed = await person.press(await atWork(person, places), 'allow');
    expect((await personAt(allowed)).sub).toBe(OTHER?.id);
  });

  it('with none it is invalid_request', async () => {
    const { person } = await signedIn();
    const { left } = await ask(person, { prompt: 'none select_account' });
    expect(left?.searchParams.get('error')).toBe('invalid_request');
  });

  it('max_age and acr_values are asked for after the choice', async () => {
    const { person } = await signedIn();
    const old = await person.press(await ask(person, { ...SELECT, max_age: '0' }), 'continue');
    expect(isLogin(old)).toBe(true);
    const fresh = await person.press(await ask(person, { ...SELECT, max_age: '3600' }), 'continue');
    expect((await personAt(fresh)).auth_time).toEqual(expect.any(Number));
    const claims = JSON.stringify({ id_token: { acr: { essential: true, value: SECOND_FACTOR_ACR } } });
    expect(isLogin(await person.press(await ask(person, { ...SELECT, claims }), 'continue'))).toBe(true);
  });

  it('a hint of who is signed in is a choice to confirm; one of another person leads to the form', async () => {
    const { person, tokens } = await signedIn();
    const own = { ...SELECT, id_token_hint: tokens.id_token ?? '' };
    expect((await personAt(await person.press(await ask(person, own), 'continue'))).sub).toBe(ME?.id);
    const other = createPerson(service.issuer);
    const credentials = { login: OTHER?.login ?? '', password: DEMO_PASSWORD };
    const theirs = await signIn(service, { person: other, clientId: 'trusted', scope: 'openid', credentials });
    const page = await ask(person, { ...SELECT, id_token_hint: theirs.tokens.id_token ?? '' });
    expect([isChoice(page), isLogin(page)]).toEqual([false, true]);
    const named = await ask(person, { ...SELECT, login_hint: credentials.login });
    const form = await person.press(named, 'other-account');
    expect(form.html).toContain(`value="${credentials.login}"`);
  });

  it('comes by a pushed request as well', async () => {
    const { person } = await signedIn();
    const configuration = await discover(service, 'trusted');
    const state = oidc.randomState();
    const pushed = { redirect_uri: CALLBACK, scope: 'openid', state, ...SELECT };
    const page = await person.visit(await oidc.buildAuthorizationUrlWithPAR(configuration, pushed));
    expect(isChoice(page)).toBe(true);
    const { left } = await person.press(page, 'continue');
    const tokens = await oidc.authorizationCodeGrant(configuration, left as URL, { expectedState: state });
    expect(tokens.claims()?.sub).toBe(ME?.id);
  });

  it('SEC-55 a session that ended while the page was open is no choice: the page says that it has expired', async () => {
    const { person } = await signedIn();
    const page = await ask(person);
    await person.press(await person.visit('/logout'), 'sign-out');
    const next = await person.press(page, 'continue');
    expect([next.status, next.left, next.html.includes('Cette page a expiré')]).toEqual([400, undefined, true]);
  });

  it('SEC-55 answered in two windows at once, another account gives nothing of the sign-in before', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { person, tokens } = await signedIn();
      const page = await ask(person);
      const other = person.press(page, 'other-account');
      const answers = await Promise.all([other, person.press(page, 'continue')]);
      // The request was answered by the time the second window asked: its page says so.
      if ((await other).status === 400) continue;
      expect(await userinfo(tokens.access_token)).toBe(401);
      for (const answer of answers) {
        expect(answer.status).toBeLessThan(500);
        const code = answer.left?.searchParams.get('code');
        if (!code) continue;
        const answered = await redeem(service, code, { client_id: 'trusted' });
        const { access_token: token } = (await answered.json()) as { access_token?: string };
        // Refused, or of a session that is over.
        if (token !== undefined) expect(await userinfo(token)).toBe(401);
      }
      const silent = await ask(person, { prompt: 'none' });
      expect(silent.left?.searchParams.get('error')).toBe('login_required');
    }
  });
});
