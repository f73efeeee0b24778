// SEC-69, SEC-39: a password that was forgotten, by the link of a mail, against the running service.

import { describe, expect, it } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { askedLongAgo, choosePassword, linkFor, mailsGone, twice } from '#support/openid/account/links.ts';
import {
  appOf,
  credentialsOf,
  englishPerson,
  enteredBy,
  idOf,
  openAccount,
} from '#support/openid/account/person-of-account.ts';
import { mailInOutbox } from '#support/openid/mail/outbox.ts';
import { authorizationUrl, signIn, statusWith } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson, type Visit } from '#support/person.ts';
import { sendRaw } from '#support/raw-request.ts';
import { DEMO_ACCOUNTS } from '#support/service.ts';

describe('links of a new password', () => {
  withService();

  const FORGOTTEN = '/account-link/password-reset';
  const CHOSEN = 'tortue violette sous la pluie';
  const accounts = () => openAccounts(service.database);
  const resetOf = (index: number) => linkFor(service, 'password-reset', idOf(index));
  /** An account of this test alone. */
  const newAccount = async (email: string) => (await accounts().create([{ email, name: 'New' }]))[0]?.id ?? '';
  const english = () => englishPerson(service.issuer);
  /** What the page says of that person. */
  const namesIn = ({ html }: Visit, index: number): string[] => {
    const { email = '', name = '' } = DEMO_ACCOUNTS[index] ?? {};
    return [email, name].filter((text) => html.replaceAll('<wbr>', '').includes(text));
  };

  describe('SEC-39 asking for a mail', () => {
    const openAt = (host: string, body: URLSearchParams) =>
      sendRaw(
        service.issuer,
        `POST ${FORGOTTEN} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${String(body).length}\r\n\r\n${body}`,
      );
    it('SEC-39 has to wait after five for one address, known or not, whoever asks', async () => {
      for (const login of [credentialsOf(1).login, 'nobody-else@clinic.example']) {
        const statuses: number[] = [];
        for (let times = 0; times < 6; times += 1) {
          const person = english();
          const page = await person.visit(FORGOTTEN);
          statuses.push((await person.press(page, 'send-link', { login: login.toUpperCase() })).status);
        }
        expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
      }
    });

    it('SEC-42 whatever host a request claims, the link in the mail has that of the issuer', async () => {
      const person = english();
      const page = await person.visit(FORGOTTEN);
      const spoofed = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example', origin: service.issuer };
      const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.html) ?? [];
      const body = new URLSearchParams({ csrf, login: credentialsOf(10).login });
      await person.visit(FORGOTTEN, { method: 'POST', headers: spoofed, body });
      await askedLongAgo(service);
      await mailsGone(service, idOf(10));
      const { html } = await mailInOutbox(service, credentialsOf(10).login);
      expect(html).toContain(`href="${service.issuer}/account-link/password-reset/`);
      expect(html).not.toContain('evil.example');
      expect((await openAt('evil.example', body)).status).toBe(421);
    });

    it('leads back to the sign-in of the application that it was begun in', async () => {
      const person = english();
      const login = await person.visit(authorizationUrl(service));
      const [, address = ''] = /id="forgotten" href="([^"]+)"/.exec(login.html) ?? [];
      const page = await person.visit(address);
      expect(page.html).toContain(`id="to-sign-in" href="${new URL(login.url).pathname}"`);
      const done = await choosePassword(person, await resetOf(9), CHOSEN);
      const [, next = ''] = /id="continue" href="([^"]+)"/.exec(done.html) ?? [];
      const back = await person.press(await person.visit(next), 'sign-in', {
        login: credentialsOf(9).login,
        password: CHOSEN,
      });
      expect(back.html).toContain('id="allow"');
    });
  });

  describe('SEC-69 the link of a forgotten password', () => {
    it('SEC-69 opening it changes nothing, as programs that check mails do; its form works once', async () => {
      const link = await resetOf(2);
      for (const method of ['HEAD', 'GET', 'GET']) {
        const looked = await fetch(link, { method, headers: { 'sec-purpose': 'prefetch' } });
        expect([looked.status, looked.headers.get('cache-control'), looked.headers.get('referrer-policy')]).toEqual([
          200,
          'no-store',
          'no-referrer',
        ]);
      }
      const person = english();
      const page = await person.visit(link);
      const done = await person.press(page, 'save-password', twice(CHOSEN));
      expect(done.html).toContain('Your password has been changed');
      const again = await person.press(page, 'save-password', twice('une autre tortue sous la pluie'));
      expect([again.status, again.html.includes('This link no longer works')]).toEqual([410, true]);
      expect((await person.visit(link)).status).toBe(410);
      await signIn(service, {
        person: createPerson(service.issuer),
        credentials: { ...credentialsOf(2), password: CHOSEN },
      });
      const [token = ''] = link.split('/').slice(-1);
      const trail = JSON.stringify(await service.database('audit_events'));
      expect(trail).toContain('account.password-reset');
      // Neither in the log nor in the trail (SEC-17).
      expect(service.logged()).toContain('/account-link/password-reset/…');
      expect(service.logged() + trail).not.toContain(token);
    });

    it('SEC-55 all sessions end with their tokens, and the second factor is still asked for', async () => {
      const { person } = await enteredBy(service.issuer, 3);
      const { tokens } = await signIn(service, { person, credentials: credentialsOf(3) });
      const userinfo = () => statusWith(service, tokens.access_token);
      const setUp = await openAccount(person, 3, '/account/second-factor');
      await person.press(setUp, 'set-up', { code: appOf(setUp)() });
      expect([await userinfo(), (await person.visit('/account')).status]).toEqual([200, 200]);
      await choosePassword(english(), await resetOf(3), CHOSEN);
      expect(await userinfo()).toBe(401);
      const login = await person.visit('/account');
      const second = await person.press(login, 'sign-in', { ...credentialsOf(3), password: CHOSEN });
      expect(second.html).toContain('id="verify"');
      expect((await person.visit('/account')).html).not.toContain('id="sign-out"');
    });

    it('SEC-33 never leads on into the account of somebody else who is signed in at that computer', async () => {
      const { person } = await enteredBy(service.issuer, 5);
      const login = 'forgetful@clinic.example';
      const done = await choosePassword(
        person,
        await linkFor(service, 'password-reset', await newAccount(login)),
        CHOSEN,
      );
      const [, next = ''] = /id="continue" href="([^"]+)"/.exec(done.html) ?? [];
      const asked = await person.visit(next);
      expect(asked.html).toContain('<h1>Sign in</h1>');
      // Neither the person who is signed in there is named, nor the address that the browser keeps for them.
      expect(namesIn(asked, 5)).toEqual([]);
      const own = await person.press(asked, 'sign-in', { login, password: CHOSEN });
      expect(own.html.replaceAll('<wbr>', '')).toContain(login);
      expect(own.html).toContain('Your password has been changed');
    });

    it('SEC-33 an invitation that is no longer fresh asks for a sign-in that names nobody either', async () => {
      const { person } = await enteredBy(service.issuer, 5);
      const asked = await person.visit('/account/welcome');
      expect([asked.html.includes('<h1>Sign in</h1>'), namesIn(asked, 5)]).toEqual([true, []]);
      // What that person has chosen for the browser stays as it is.
      expect(asked.html).not.toMatch(/id="(remember|forget)/);
    });

    it('SEC-33 names nobody either where an application asked that person to confirm who they are', async () => {
      const { person } = await enteredBy(service.issuer, 5);
      await signIn(service, { person, credentials: credentialsOf(5) });
      const confirm = await person.visit(authorizationUrl(service, { prompt: 'login' }));
      expect(namesIn(confirm, 5)).toEqual([credentialsOf(5).login]);
      const [, forgotten = ''] = /id="forgotten" href="([^"]+)"/.exec(confirm.html) ?? [];
      await person.visit(forgotten);
      const done = await choosePassword(
        person,
        await linkFor(service, 'password-reset', await newAccount('confirms@clinic.example')),
        CHOSEN,
      );
      const [, next = ''] = /id="continue" href="([^"]+)"/.exec(done.html) ?? [];
      expect(namesIn(await person.visit(next), 5)).toEqual([]);
    });

    it('SEC-59 strangers who guessed do not keep the person from the new password', async () => {
      const stranger = createPerson(service.issuer);
      const login = await stranger.visit(authorizationUrl(service));
      const guess = { login: credentialsOf(4).login, password: 'a guess of a stranger' };
      await Promise.all(Array.from({ length: 12 }, () => stranger.press(login, 'sign-in', guess)));
      await choosePassword(english(), await resetOf(4), CHOSEN);
      await signIn(service, {
        person: createPerson(service.issuer),
        credentials: { ...credentialsOf(4), password: CHOSEN },
      });
    });

    const changes: [what: string, change: (id: string) => Promise<unknown>][] = [
      ['another password', (id) => accounts().setPassword(id, 'scrypt$x')],
      ['an end of all sessions', (id) => accounts().endSessions([id])],
      ['a disabled account', (id) => accounts().update(id, { status: 'disabled' })],
    ];
    it.each(changes)('SEC-69 its open form is worth nothing after %s', async (what, change) => {
      const email = `${what.replaceAll(' ', '-')}@clinic.example`;
      const id = await newAccount(email);
      await accounts().setPassword(id, 'scrypt$before');
      const person = english();
      const page = await person.visit(await linkFor(service, 'password-reset', id));
      await change(id);
      const { passwordHash } = (await accounts().findByEmail(email)) ?? {};
      expect(passwordHash).toMatch(/^scrypt/);
      expect((await person.press(page, 'save-password', twice(CHOSEN))).status).toBe(410);
      expect((await accounts().findByEmail(email))?.passwordHash).toBe(passwordHash);
    });

    it('SEC-69 is worth nothing as a link of another purpose, nor is a newer one replaced by an older', async () => {
      const link = await resetOf(6);
      for (const purpose of ['invitation', 'email-verification', 'email-change']) {
        expect((await fetch(link.replace('password-reset', purpose))).status).toBe(410);
      }
      const newer = await resetOf(6);
      expect((await fetch(link)).status).toBe(410);
      expect((await fetch(newer)).status).toBe(200);
    });

    it('SEC-39 passwords by links of an account have to wait after ten: each costs a hash', async () => {
      const choose = async () => (await choosePassword(english(), await resetOf(8), CHOSEN)).status;
      const statuses: number[] = [];
      for (let times = 0; times < 11; times += 1) statuses.push(await choose());
      expect(statuses).toEqual([...Array(10).fill(200), 429]);
    });
  });

  it('W3C: /.well-known/change-password leads to the page for a new password, and other well-known names are 404', async () => {
    const found = await fetch(`${service.issuer}/.well-known/change-password`, { redirect: 'manual' });
    expect([found.status, found.headers.get('location')]).toEqual([303, '/account/password']);
    const other = '/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200';
    expect((await fetch(service.issuer + other)).status).toBe(404);
  });
});
