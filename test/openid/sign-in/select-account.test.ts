// Whose sign-in a request takes up: that of the account which is chosen, and never one of which somebody else has the cookies.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { authorizationUrl, CREDENTIALS, redeem, signIn, statusWith } from '#support/openid/relying-party.ts';
import { resetService } from '#support/openid/reset-service.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#support/service.ts';

describe('select account', () => {
  withService();

  // prompt=select_account (OpenID Connect Core section 3.1.2.1): whoever is signed in goes on by a button, or uses another account, which
  // gives nothing of the sign-in before. SEC-34, SEC-35, SEC-55.
  describe('prompt=select_account', () => {
    beforeAll(() => resetService(service));

    const [ME, , OTHER] = DEMO_ACCOUNTS.map(({ id = '', email }) => ({ id, login: email, password: DEMO_PASSWORD }));
    const SELECT = { prompt: 'select_account' };

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
    const userinfo = (token: string) => statusWith(service, token);

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
      expect([isLogin(login), login.html.includes(`required value="${CREDENTIALS.login}"`)]).toEqual([true, false]);
      expect(await userinfo(tokens.access_token)).toBe(401);
      const { login: email = '', password = '' } = OTHER ?? {};
      const places = await person.press(login, 'sign-in', { login: email, password });
      expect((await personAt(await atWork(person, places))).sub).toBe(OTHER?.id);
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

  // SEC-33, SEC-35: whoever has the cookies with which a sign-in began, because it began in their browser or on a shared computer, has
  // nothing of what another person then types.
  describe('a sign-in of which somebody else has the cookies', () => {
    beforeAll(() => resetService(service));

    const OTHERS_CREDENTIALS = { ...CREDENTIALS, login: DEMO_ACCOUNTS[1]?.email ?? '' };

    const resumePath = ({ url }: Visit) => `/authorize/${new URL(url).pathname.split('/')[2]}`;

    function copyOf(person: Person, origin: string): Person {
      const copy = createPerson(origin);
      for (const [key, value] of person.cookies) copy.cookies.set(key, value);
      return copy;
    }

    it.each([
      ['before the person comes back', 'before'],
      ['at the same time', 'meanwhile'],
    ])('SEC-33 is not taken up by them %s', async (_when, when) => {
      let thief: Person | undefined;
      let stolen: Promise<Visit> | undefined;
      const person = createPerson(service.issuer, async (url, init) => {
        if (url.pathname.startsWith('/authorize/')) {
          stolen = thief?.visit(url.pathname);
          if (when === 'before') await stolen;
        }
        return fetch(url, { ...init, redirect: 'manual' });
      });
      const login = await person.visit(authorizationUrl(service, { client_id: 'trusted', scope: 'openid' }));
      thief = copyOf(person, service.issuer);
      // As often as they like, before: nothing is used up.
      for (let tries = 0; tries < 3; tries += 1) expect((await thief.visit(resumePath(login))).status).toBe(400);
      const answer = await person.press(login, 'sign-in', CREDENTIALS);
      const { status, left } = (await stolen) ?? {};
      expect([status, left]).toEqual([400, undefined]);
      expect([...thief.cookies.keys()].filter((key) => key.startsWith('hygie_session'))).toEqual([]);
      expect(answer.left?.searchParams.has('code')).toBe(true);
    });

    it('SEC-33 nor by asking for another account in the meantime', async () => {
      let thief: Person | undefined;
      let stolen: Visit | undefined;
      const person = createPerson(service.issuer, async (url, init) => {
        if (thief && url.pathname.startsWith('/authorize/')) {
          const page = await thief.visit(url.pathname.replace('authorize', 'interaction'));
          const form = { ...page, html: page.html.replaceAll('/login"', '/other-account"') };
          await thief.press(form, 'sign-in');
          stolen = await thief.visit(url.pathname);
        }
        return fetch(url, { ...init, redirect: 'manual' });
      });
      const login = await person.visit(authorizationUrl(service, { client_id: 'trusted', scope: 'openid' }));
      thief = copyOf(person, service.issuer);
      await person.press(login, 'sign-in', CREDENTIALS);
      expect(stolen?.left).toBeUndefined();
      expect([...thief.cookies.keys()].filter((key) => /^hygie_(session|signed_in)/.test(key))).toEqual([]);
    });

    it('SEC-33 nor does the person come to the account that they sign in to at that moment', async () => {
      let thief: Person | undefined;
      const person = createPerson(service.issuer, async (url, init) => {
        if (url.pathname.startsWith('/authorize/') && thief) {
          const page = await thief.visit(url.pathname.replace('authorize', 'interaction'));
          expect((await thief.press(page, 'sign-in', OTHERS_CREDENTIALS)).left?.searchParams.has('code')).toBe(true);
        }
        return fetch(url, { ...init, redirect: 'manual' });
      });
      const login = await person.visit(authorizationUrl(service, { client_id: 'trusted', scope: 'openid' }));
      thief = copyOf(person, service.issuer);
      const { status, left } = await person.press(login, 'sign-in', CREDENTIALS);
      expect([status, left]).toEqual([400, undefined]);
      expect(person.cookies.has('hygie_session /')).toBe(false);
    });

    it('SEC-55 is taken up once, also by two requests of the right browser at the same time', async () => {
      const rounds = Number(process.env['RACE_ROUNDS'] ?? 10);
      const codes: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        let twin: Promise<Response> | undefined;
        const person = createPerson(service.issuer, (url, init) => {
          const send = () => fetch(url, { ...init, redirect: 'manual' });
          if (url.pathname.startsWith('/authorize/')) twin = send();
          return send();
        });
        const login = await person.visit(authorizationUrl(service, { client_id: 'trusted', scope: 'openid' }));
        const { left } = await person.press(login, 'sign-in', CREDENTIALS);
        const answers = [left?.href, (await twin)?.headers.get('location')];
        codes.push(answers.filter((address) => address?.includes('code=')).length);
      }
      expect(codes).toEqual(codes.map(() => 1));
    });
  });
});
