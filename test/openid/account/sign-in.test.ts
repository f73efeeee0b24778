// SEC-33 and SEC-42 for the account pages: how people get in, when they are out again, and the cookie in between.

import { describe, expect, it } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { changePageSession } from '#support/openid/account/page-session.ts';
import { credentialsOf, enteredBy, idOf, openAccount } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson, type Person } from '#support/person.ts';

describe('sign-in to an account', () => {
  withService();

  const COOKIE = 'hygie_account /account';
  const asks = (html: string) => html.includes('id="sign-in"');

  /** Where a page leads, without following it. */
  async function leads(person: Person, path: string): Promise<URL> {
    const cookie = [...person.cookies].map(([key, value]) => `${key.split(' ')[0]}=${value}`).join('; ');
    const answer = await fetch(service.issuer + path, { headers: { cookie }, redirect: 'manual' });
    person.remember(answer.headers);
    return new URL(answer.headers.get('location') ?? '', service.issuer);
  }

  /** Changes what the database holds of the sessions of an account. */
  async function changeSessions(accountId: string, changes: object): Promise<void> {
    const rows = await service.database('oidc_records').where({ model: 'Session', account_id: accountId });
    expect(rows.length).toBeGreaterThan(0);
    for (const { id, payload } of rows) {
      const changed = JSON.stringify({ ...JSON.parse(payload), ...changes });
      await service.database('oidc_records').where({ id }).update({ payload: changed });
    }
  }

  const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;

  describe('SEC-33 a person signs in to their account', () => {
    it('is asked for the password and nothing else, and arrives at the page that was asked for', async () => {
      const { person, overview } = await enteredBy(service.issuer, 0);
      expect([overview.url, overview.status]).toEqual([`${service.issuer}/account`, 200]);
      expect(overview.html).toContain('mathilde.duchardey<wbr>@demo.example');
      const other = createPerson(service.issuer);
      const page = await openAccount(other, 0, '/account/second-factor');
      expect([page.url, page.status]).toEqual([`${service.issuer}/account/second-factor`, 200]);
      // No token was made of the code.
      const tokens = await service.database('oidc_records').where({ model: 'AccessToken', account_id: idOf(0) });
      expect(tokens).toEqual([]);
      expect((await person.visit('/account')).html).not.toContain('id="sign-in"');
    });

    it('with a new session id, so that a planted one is worth nothing', async () => {
      const person = createPerson(service.issuer);
      const page = await person.visit('/account');
      expect(asks(page.html)).toBe(true);
      // Of somebody who was here before.
      const { person: other } = await enteredBy(service.issuer, 2);
      const planted = other.cookies.get(COOKIE) ?? '';
      await other.press(await other.visit('/logout'), 'sign-out');
      person.cookies.set(COOKIE, planted);
      await openAccount(person, 1);
      expect(person.cookies.get(COOKIE)).not.toBe(planted);
      expect(asks((await other.visit('/account')).html)).toBe(true);
    });

    it('without being asked again while the session is open', async () => {
      const { person } = await enteredBy(service.issuer, 1);
      person.cookies.delete(COOKIE);
      const page = await person.visit('/account');
      expect([page.url, page.status, asks(page.html)]).toEqual([`${service.issuer}/account`, 200, false]);
    });
  });

  describe('SEC-33 the answer to a sign-in', () => {
    it.each([
      ['with a state of nobody', '?state=forged&code=forged'],
      ['with a state given twice', '?state=a&state=b&code=c'],
      ['without anything', ''],
      ['with characters that no state has', '?state=%00%0d%0a&code=%00'],
    ])('%s shows a page that leads on, and lets nobody in', async (_name, query) => {
      const person = createPerson(service.issuer);
      await person.visit('/account');
      const page = await person.visit(`/account/signed-in${query}`, { headers: { 'accept-language': 'en' } });
      expect(page.status).toBe(400);
      expect(page.html).toContain('This sign-in is no longer valid');
      expect(page.html).toContain('<a class="button" id="again" href="/account">');
      expect(asks((await person.visit('/account')).html)).toBe(true);
    });

    it('works once, in the browser that began it', async () => {
      const person = createPerson(service.issuer);
      const login = await person.visit('/account');
      const stranger = createPerson(service.issuer);
      await stranger.visit('/account');
      // What the browser is sent to in the end, which the stranger then opens, too.
      let answer = '';
      const watched = globalThis.fetch;
      globalThis.fetch = async (address, init) => {
        if (String(address).includes('/account/signed-in?')) answer = String(address);
        return watched(address, init);
      };
      try {
        expect((await person.press(login, 'sign-in', credentialsOf(1))).status).toBe(200);
      } finally {
        globalThis.fetch = watched;
      }
      expect(answer).toContain('code=');
      expect((await stranger.visit(answer)).status).toBe(400);
      // Who is in already is led to the overview; without the session, the answer says nothing any more.
      expect((await person.visit(answer)).url).toBe(`${service.issuer}/account`);
      person.cookies.delete(COOKIE);
      expect((await person.visit(answer)).status).toBe(400);
    });
  });

  describe('SEC-33 a person is out of their account', () => {
    it('when an operator disables the account, or ends all its sessions', async () => {
      const { person } = await enteredBy(service.issuer, 4);
      await openAccounts(service.database).update(idOf(4), { status: 'disabled' });
      expect(asks((await person.visit('/account')).html)).toBe(true);

      const { person: other } = await enteredBy(service.issuer, 5);
      await openAccounts(service.database).endSessions([idOf(5)]);
      expect(asks((await other.visit('/account')).html)).toBe(true);
    });

    it('from the second of that end on, and never sent round and round', async () => {
      const { person } = await enteredBy(service.issuer, 6);
      await changeSessions(idOf(6), { exp: secondsAgo(0) });
      const page = await person.visit('/account');
      expect([page.status, asks(page.html)]).toEqual([200, true]);
    });

    it('and a form that comes too late changes nothing', async () => {
      const { person } = await enteredBy(service.issuer, 10);
      const page = await person.visit('/account/second-factor');
      await person.press(await person.visit('/logout'), 'sign-out');
      expect(asks((await person.press(page, 'set-up', { code: '123456' })).html)).toBe(true);
    });
  });

  describe('SEC-33 changes of how a person signs in', () => {
    /** Lets time pass since the person proved who they are. */
    const ageProof = (person: Person, seconds: number) =>
      changePageSession(service, person, ({ account }) => {
        if (!account?.signedIn) throw new Error('nobody is signed in');
        account.signedIn.authTime = secondsAgo(seconds);
      });

    it('need a login for the account pages: a session of another application on a shared computer is none', async () => {
      const person = createPerson(service.issuer);
      // Begun by somebody else, who was here before and kept the addresses.
      await person.visit('/account');
      const kept = [await leads(person, '/account/second-factor'), await leads(person, '/account')];
      await person.signIn(authorizationUrl(service), credentialsOf(0));
      for (const address of kept) {
        address.searchParams.delete('prompt');
        await person.visit(address);
        expect((await leads(person, '/account/second-factor')).searchParams.get('prompt')).toBe('login');
      }
      const overview = await person.visit('/account');
      expect([overview.status, asks(overview.html)]).toEqual([200, false]);
      const asked = await person.visit('/account/second-factor');
      expect(asks(asked.html)).toBe(true);
      const page = await person.press(asked, 'sign-in', credentialsOf(0));
      expect([page.url, page.html.includes('id="set-up"')]).toEqual([`${service.issuer}/account/second-factor`, true]);
    });

    it('need one of the last ten minutes, and go on where it was', async () => {
      const { person } = await enteredBy(service.issuer, 2);
      const before = await person.visit('/account/second-factor');
      expect(before.status).toBe(200);
      await ageProof(person, 620);
      expect((await person.visit('/account')).status).toBe(200);
      for (const page of ['/second-factor', '/second-factor/recovery-codes', '/second-factor/remove']) {
        const url = await leads(person, `/account${page}`);
        expect([url.pathname, url.searchParams.get('prompt')]).toEqual(['/authorize', 'login']);
      }
      const asked = await person.press(before, 'set-up', { code: '000000' });
      expect(asks(asked.html)).toBe(true);
      const after = await openAccount(person, 2, '/account/second-factor');
      expect(after.url).toBe(`${service.issuer}/account/second-factor`);
      // The app that has taken the code before stays right.
      const key = (html: string) => /secret=([A-Z2-7]+)/.exec(html)?.[1];
      expect(key(after.html)).toBe(key(before.html));
    });
  });
});
