// A person's own password and sessions, against the running service: SEC-55 (all but their own end), SEC-66, SEC-32, SEC-39, SEC-48.

import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { appOf, credentialsOf, enteredBy, idOf, openAccount } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl, signIn, statusWith } from '#support/openid/relying-party.ts';
import { resetService } from '#support/openid/reset-service.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson } from '#support/person.ts';
import { formatDate } from '#web/dates.ts';

describe('password and sessions', () => {
  withService();
  beforeEach(() => resetService(service));

  const CHOSEN = 'tortue violette sous la pluie';
  const twice = (password: string) => ({ 'new-password': password, 'new-password-again': password });
  const userinfo = (token: string) => statusWith(service, token);
  /** Signs in at the application `server` from another browser. */
  const elsewhere = async (index: number) => {
    const person = createPerson(service.issuer);
    const { tokens } = await signIn(service, { person, credentials: credentialsOf(index) });
    const lives = async () =>
      (await person.visit(authorizationUrl(service, { prompt: 'none' }))).left?.searchParams.has('code');
    return { person, token: tokens.access_token, lives };
  };
  const audited = async (event: 'account.password-changed' | 'account.sessions-ended', account: string) =>
    openAuditEvents(service.database).search({ limit: 10, events: [event], account });

  describe('SEC-66 a person changes the password', () => {
    it('SEC-55 all other sessions end with their tokens, their own stays; the old password is worth nothing', async () => {
      const other = await elsewhere(0);
      const { person } = await enteredBy(service.issuer, 0);
      // As of an account that is older than the column.
      await service
        .database('accounts')
        .where({ id: idOf(0) })
        .update({ password_set_at: null });
      const security = await person.visit('/account/security');
      expect(security.html).not.toContain('Last changed');
      expect(security.html).toContain('href="/account/sessions">See my sessions</a>');
      const page = await person.visit('/account/password');
      const thief = createPerson(service.issuer);
      for (const [key, value] of person.cookies) thief.cookies.set(key, value);
      const changed = await person.press(page, 'save-password', {
        password: credentialsOf(0).password,
        ...twice(CHOSEN),
      });
      expect([changed.url, changed.status]).toEqual([`${service.issuer}/account/security`, 200]);
      expect(changed.html).toContain('id="done"');
      expect(changed.html).toContain(`Last changed on ${formatDate(Date.now() / 1000, 'en')}.`);
      expect(await userinfo(other.token)).toBe(401);
      expect(await other.lives()).toBe(false);
      expect((await person.visit('/account')).url).toBe(`${service.issuer}/account`);
      expect((await thief.visit('/account')).html).toContain('id="sign-in"');
      const old = await other.person.press(
        await other.person.visit(authorizationUrl(service)),
        'sign-in',
        credentialsOf(0),
      );
      expect(old.status).toBe(422);
      // In the same second, as the case may be: whoever signs in by the new password is in.
      const again = await signIn(service, {
        person: createPerson(service.issuer),
        credentials: { ...credentialsOf(0), password: CHOSEN },
      });
      expect(await userinfo(again.tokens.access_token)).toBe(200);
      expect(await audited('account.password-changed', idOf(0))).toHaveLength(1);
    });

    const refused: [what: string, fields: Record<string, string>, status: number][] = [
      ['a breached one', { password: credentialsOf(1).password, ...twice('Manchester United') }, 422],
      ['the present one', { password: credentialsOf(1).password, ...twice(credentialsOf(1).password) }, 422],
    ];
    it.each(refused)('%s is refused, and nothing is changed', async (_what, fields, status) => {
      const { person } = await enteredBy(service.issuer, 1);
      const page = await person.visit('/account/password');
      const answer = await person.press(page, 'save-password', fields);
      expect(answer.status).toBe(status);
      expect(answer.html).toMatch(/id="((new-)?password-)?problem"/);
      expect(answer.html).not.toContain(CHOSEN);
      await signIn(service, { person: createPerson(service.issuer), credentials: credentialsOf(1) });
    });

    it('SEC-39 guessing the present one has to wait', async () => {
      const { person } = await enteredBy(service.issuer, 2);
      const page = await person.visit('/account/password');
      const statuses: number[] = [];
      // Ten of a session that is known, and as many as of anybody.
      for (let tries = 0; tries < 21; tries += 1) {
        statuses.push(
          (await person.press(page, 'save-password', { password: `guess ${tries}`, ...twice(CHOSEN) })).status,
        );
      }
      expect(statuses.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => 422));
      expect(statuses.at(-1)).toBe(429);
    });

    it('SEC-59 strangers who guess at the account do not keep the person from a new one', async () => {
      const { person } = await enteredBy(service.issuer, 7);
      const page = await person.visit('/account/password');
      const stranger = createPerson(service.issuer);
      const login = await stranger.visit(authorizationUrl(service));
      const guess = { login: credentialsOf(7).login, password: 'a guess of a stranger' };
      const guesses = await Promise.all(Array.from({ length: 12 }, () => stranger.press(login, 'sign-in', guess)));
      expect(guesses.some(({ status }) => status === 429)).toBe(true);
      const fields = { password: credentialsOf(7).password, ...twice(CHOSEN) };
      expect((await person.press(page, 'save-password', fields)).html).toContain('id="done"');
    });

    it('needs a sign-in of the last minutes', async () => {
      const { person } = await elsewhere(3);
      expect((await person.visit('/account/password')).html).toContain('id="sign-in"');
    });
  });

  describe('SEC-55 a person signs out everywhere else', () => {
    it('other sessions end with their tokens, the own one stays', async () => {
      const others = [await elsewhere(4), await elsewhere(4)];
      const { person } = await enteredBy(service.issuer, 4);
      const done = await person.press(await person.visit('/account/sessions/others'), 'end-sessions');
      expect(done.html).toContain('2 other sessions');
      for (const { token, lives } of others) expect([await userinfo(token), await lives()]).toEqual([401, false]);
      expect((await person.visit('/account')).html).toContain('id="sign-out"');
      const [record] = await audited('account.sessions-ended', idOf(4));
      expect(record).toMatchObject({ actor: `account:${idOf(4)}`, details: { sessions: 2 } });
    });

    it('SEC-33 so does who has a copy of the own session: the person signs in for it, which gives that another id', async () => {
      const { person, lives } = await elsewhere(6);
      const thief = createPerson(service.issuer);
      for (const [key, value] of person.cookies) thief.cookies.set(key, value);
      const login = await person.visit('/account/sessions/others');
      expect(login.html).toContain('id="sign-in"');
      const done = await person.press(await person.press(login, 'sign-in', credentialsOf(6)), 'end-sessions');
      expect([done.html.includes('id="done"'), await lives()]).toEqual([true, true]);
      const answer = await thief.visit(authorizationUrl(service, { prompt: 'none' }));
      expect(answer.left?.searchParams.get('error')).toBe('login_required');
    });

    it('SEC-33 a password that the person types in another browser, at an address of a thief, refreshes no copied session', async () => {
      const { person } = await elsewhere(8);
      const addresses: URL[] = [];
      const thief = createPerson(service.issuer, async (url, init) => {
        addresses.push(url);
        return fetch(url, { ...init, redirect: 'manual' });
      });
      for (const [key, value] of person.cookies) thief.cookies.set(key, value);
      await thief.visit('/account/sessions/others');
      const request = new URL(addresses.find(({ pathname }) => pathname === '/authorize') ?? '');
      // Sign-ins have the precision of a second.
      const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 1100);
      const atHome = createPerson(service.issuer);
      await atHome.press(await atHome.visit(request), 'sign-in', credentialsOf(8));
      request.searchParams.delete('prompt');
      expect((await thief.visit(request)).html).toContain('id="sign-in"');
      clock.mockRestore();
    });

    it('SEC-32 a form of another browser ends nothing', async () => {
      const other = await elsewhere(5);
      const { person } = await enteredBy(service.issuer, 5);
      const answer = await person.press(await person.visit('/account/sessions/others'), 'end-sessions', { csrf: 'x' });
      expect([answer.status, await other.lives()]).toEqual([403, true]);
    });
  });

  it('SEC-55 a second factor that is added ends the sessions before it, but for the own one', async () => {
    const other = await elsewhere(6);
    const { person } = await enteredBy(service.issuer, 6);
    const page = await openAccount(person, 6, '/account/second-factor');
    expect((await person.press(page, 'set-up', { code: appOf(page)() })).status).toBe(200);
    expect([await userinfo(other.token), await other.lives()]).toEqual([401, false]);
    expect((await person.visit('/account/security')).html).toContain('id="remove-second-factor"');
  });
});
