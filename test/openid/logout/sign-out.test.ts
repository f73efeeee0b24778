// SEC-37: nobody is signed out without wanting it, and whoever is has nothing left that works. OpenID Connect RP-Initiated
// Logout 1.0, on both engines.

import { describe, expect, it } from '@jest/globals';
import { openedForAll } from '#support/opened.ts';
import { authorizationUrl, obtainCode, redeem, signIn, statusWith } from '#support/openid/relying-party.ts';
import { createPerson, type Person } from '#support/person.ts';
import { SIGNED_OUT, startService } from '#support/service.ts';

describe('SEC-37 sign-out', () => {
  const service = openedForAll(() =>
    startService({
      adjust: (settings) => ({ ...settings, lifetimes: { ...settings.lifetimes, idToken: 1 } }),
    }),
  );

  const logout = (parameters: Record<string, string | undefined> = {}) => {
    const url = new URL(`${service.issuer}/logout`);
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
    return url;
  };
  const stillSignedIn = async (person: Person, clientId = 'server') => {
    const request = authorizationUrl(service, { client_id: clientId, scope: 'openid', prompt: 'none' });
    return (await person.visit(request)).left?.searchParams.get('error') === null;
  };
  const userinfo = (token: string) => statusWith(service, token);

  it('a request alone ends nothing, with a hint or without, as link or as form of another site', async () => {
    const person = createPerson(service.issuer);
    const { tokens } = await signIn(service, { person, scope: 'openid' });
    const hint = { id_token_hint: tokens.id_token ?? '' };
    const addressed = { client_id: 'server', post_logout_redirect_uri: SIGNED_OUT };
    for (const parameters of [{}, hint, addressed, { client_id: 'server' }]) {
      expect((await person.visit(logout(parameters))).html).toContain('id="sign-out"');
      const form = {
        method: 'POST',
        body: new URLSearchParams(parameters),
        headers: { origin: 'https://evil.example' },
      };
      expect((await person.visit(logout(), form)).html).toContain('id="sign-out"');
    }
    expect(await stillSignedIn(person)).toBe(true);
    expect(await userinfo(tokens.access_token)).toBe(200);
  });

  it('the answer to the question needs the token of the question, in the browser that was asked', async () => {
    const person = createPerson(service.issuer);
    const { tokens } = await signIn(service, { person, scope: 'openid' });
    const page = await person.visit(logout({ id_token_hint: tokens.id_token ?? '' }));
    const action = /<form id="op\.logoutForm" method="post" action="([^"]+)"/.exec(page.html)?.[1] ?? '';
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.html)?.[1] ?? '';
    expect(xsrf).toMatch(/^\w{32,}$/);
    const answer = (by: Person, token: string, headers = {}) =>
      by.visit(action, { method: 'POST', headers, body: new URLSearchParams({ xsrf: token, logout: 'yes' }) });
    expect((await answer(person, '')).status).toBe(400);
    expect((await answer(person, 'a'.repeat(xsrf.length))).status).toBe(400);
    const stranger = await answer(createPerson(service.issuer), xsrf);
    expect(stranger.html).toContain('<h1>Aucune session n’est ouverte</h1>');
    // As a browser sends a form of another site: without cookies, which says nothing of whether a session is open.
    const forged = await answer(createPerson(service.issuer), xsrf, { 'sec-fetch-site': 'cross-site' });
    expect(forged.status).toBe(400);
    expect(await stillSignedIn(person)).toBe(true);
  });

  const garbled: [what: string, parameters: (hint: string) => Record<string, string>, told: string][] = [
    ['an address', (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${SIGNED_OUT}/` }), 'barre oblique'],
    ['a hint that is none', () => ({ id_token_hint: 'garbled' }), 'could not decode id_token_hint'],
    [
      'a hint of a key that is not kept',
      (hint) => ({ id_token_hint: `${hint.slice(0, -8)}AAAAAAAA` }),
      'could not validate id_token_hint',
    ],
    ['another client', (hint) => ({ id_token_hint: hint, client_id: 'narrow' }), 'client_id does not match'],
    ['an unknown client', () => ({ client_id: 'nobody' }), 'Aucune application'],
  ];
  it.each(garbled)(
    'refused for %s, it says that the session is open, and ends it by a button',
    async (_, wrong, told) => {
      const person = createPerson(service.issuer);
      const { tokens } = await signIn(service, { person, scope: 'openid' });
      const page = await person.visit(logout({ ...wrong(tokens.id_token ?? ''), state: 's' }));
      expect([page.status, page.left]).toEqual([400, undefined]);
      for (const text of [
        '>Cette demande de déconnexion n’est pas valide<',
        '>Votre session est toujours ouverte.<',
        told,
      ]) {
        expect(page.html).toContain(text);
      }
      expect(await stillSignedIn(person)).toBe(true);
      // The question of that page, asked anew since.
      const again = await person.visit(page.url);
      const stale = await person.press(page, 'end-session');
      expect([stale.status, await stillSignedIn(person)]).toEqual([400, true]);
      expect(stale.html).toContain('Cette page a expiré');
      expect(again.html).toContain('id="end-session"');
      const end = await person.press(stale, 'end-session');
      expect(end.left).toBeUndefined();
      expect(end.html).toContain('<h1>Votre session est fermée</h1>');
      expect([await stillSignedIn(person), await userinfo(tokens.access_token)]).toEqual([false, 401]);
    },
  );

  it('answered twice, as by a double click or in two windows, it says both times that nobody is signed in', async () => {
    const person = createPerson(service.issuer);
    await signIn(service, { person, scope: 'openid' });
    const page = await person.visit(logout());
    const cookies = [...person.cookies];
    expect((await person.press(page, 'sign-out')).html).toContain('<h1>Votre session est fermée</h1>');
    for (const sent of [[], cookies]) {
      for (const [name, value] of sent) person.cookies.set(name, value);
      const again = await person.press(page, 'sign-out');
      expect([again.status, /<h1>(.*)<\/h1>/.exec(again.html)?.[1]]).toEqual([200, 'Aucune session n’est ouverte']);
    }
  });

  it('of somebody who is not signed in, it says so and asks nothing', async () => {
    const nobody = createPerson(service.issuer);
    const alone = await nobody.visit(logout());
    expect([alone.status, alone.url]).toEqual([200, logout().href]);
    expect(alone.html).toContain('<h1>Aucune session n’est ouverte</h1>');
    const wrong = await nobody.visit(logout({ id_token_hint: 'garbled' }));
    expect(wrong.html).toContain('Aucune session n’est ouverte dans ce navigateur.');
    for (const { html } of [alone, wrong]) expect(html).not.toContain('<form');
    const left = await nobody.visit(logout({ client_id: 'server', post_logout_redirect_uri: SIGNED_OUT, state: 's' }));
    expect(left.left?.href).toBe(`${SIGNED_OUT}?state=s`);
    expect(nobody.setCookies.filter((line) => line.startsWith('hygie_session'))).toEqual([]);
  });

  it('confirmed, it ends every token and code that the session gave, to all clients, and the session itself', async () => {
    const person = createPerson(service.issuer);
    const first = await signIn(service, { person, scope: 'openid' });
    const second = await signIn(service, { person, clientId: 'narrow', scope: 'openid' });
    const code = await obtainCode(service, { scope: 'openid' }, person);
    const cookie = person.cookies.get('hygie_session /') ?? '';
    await person.press(await person.visit(logout({ id_token_hint: first.tokens.id_token ?? '' })), 'sign-out');
    for (const { tokens } of [first, second]) expect(await userinfo(tokens.access_token)).toBe(401);
    expect((await redeem(service, code)).status).toBe(400);
    expect(await stillSignedIn(person)).toBe(false);
    // The cookie, kept by somebody, is worth nothing.
    const keeper = createPerson(service.issuer);
    for (const [name, value] of person.cookies) keeper.cookies.set(name, value);
    keeper.cookies.set('hygie_session /', cookie);
    expect(await stillSignedIn(keeper)).toBe(false);
  });

  it('staying leaves the asking client alone', async () => {
    const person = createPerson(service.issuer);
    const first = await signIn(service, { person, scope: 'openid' });
    const second = await signIn(service, { person, clientId: 'narrow', scope: 'openid' });
    await person.press(await person.visit(logout({ id_token_hint: first.tokens.id_token ?? '' })), 'stay');
    expect(await userinfo(first.tokens.access_token)).toBe(401);
    expect(await userinfo(second.tokens.access_token)).toBe(200);
    expect(await stillSignedIn(person, 'narrow')).toBe(true);
  });

  it.each([
    ['the sign-out', false],
    ['another person who takes over the browser', true],
  ])(
    'access that was given beyond the session (offline_access) outlives %s, as OpenID Connect Core section 11 means it',
    async (_end, other) => {
      const person = createPerson(service.issuer);
      const { tokens } = await signIn(service, {
        person,
        clientId: 'trusted',
        scope: 'openid offline_access',
        parameters: { prompt: 'consent' },
      });
      if (other) {
        const consent = authorizationUrl(service, { client_id: 'server', prompt: 'consent' });
        await person.press(await person.visit(consent), 'other-account');
      } else await person.press(await person.visit(logout({ id_token_hint: tokens.id_token ?? '' })), 'sign-out');
      expect(await stillSignedIn(person, 'trusted')).toBe(false);
      const fields = {
        grant_type: 'refresh_token',
        client_id: 'trusted',
        refresh_token: tokens.refresh_token,
        code: undefined,
        redirect_uri: undefined,
      };
      expect((await redeem(service, '', fields)).status).toBe(200);
    },
  );

  it('post_logout_redirect_uri is compared byte for byte', async () => {
    const person = createPerson(service.issuer);
    const { tokens } = await signIn(service, { person, scope: 'openid' });
    const hint = { id_token_hint: tokens.id_token ?? '' };
    const variants = [
      `${SIGNED_OUT}/`,
      `${SIGNED_OUT}?a=b`,
      `${SIGNED_OUT}#f`,
      SIGNED_OUT.toUpperCase(),
      SIGNED_OUT.replace('https:', 'http:'),
      SIGNED_OUT.replace('.example', '.example:443'),
      SIGNED_OUT.replace('://', '://u@'),
      SIGNED_OUT.replace('signed', '%73igned'),
      `${SIGNED_OUT}/../signed-out`,
      'https://evil.example/',
      'javascript:alert(1)',
      '',
    ];
    for (const address of variants) {
      const page = await person.visit(logout({ ...hint, post_logout_redirect_uri: address, state: 's' }));
      expect(page.left).toBeUndefined();
      if (page.status === 400) continue;
      // Not even after the person agreed (an empty one counts as none).
      expect(address).toBe('');
    }
    // Without a client there is nobody to whom the address could be registered: it is not used.
    const page = await person.visit(logout({ post_logout_redirect_uri: SIGNED_OUT, state: 's' }));
    expect((await person.press(page, 'sign-out')).left).toBeUndefined();
  });
});
