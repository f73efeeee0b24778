// SEC-84: the address that a browser keeps by choice, against the running service: who sees it, what it tells, how it goes.

import { describe, expect, it } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { appOf, credentialsOf, idOf, openAccount } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';

describe('kept address', () => {
  withService();

  const KEPT = 'hygie_kept /';
  const open = (person: Person, parameters: Record<string, string> = {}) =>
    person.visit(authorizationUrl(service, { prompt: 'login', ...parameters }));
  const loginOn = ({ html }: Visit) => /id="login"[^>]* value="([^"]*)"/.exec(html)?.[1];
  const boxOn = ({ html }: Visit) => /<input id="remember"[^>]*>/.exec(html)?.[0];
  /** Signs in with the box ticked or not; ends the session, so that the next page is one of a stranger. */
  const signIn = async (person: Person, index: number, fields: Record<string, string> = {}) => {
    const done = await person.press(await open(person), 'sign-in', { ...credentialsOf(index), ...fields });
    person.cookies.delete('hygie_session /');
    return done;
  };
  const keeping = async (index: number): Promise<Person> => {
    const person = createPerson(service.issuer);
    await signIn(person, index, { remember: 'yes' });
    expect(loginOn(await open(person))).toBe(credentialsOf(index).login);
    return person;
  };

  describe('SEC-84 the address is kept', () => {
    it('by a ticked box alone, sealed, for that browser', async () => {
      const person = createPerson(service.issuer);
      const page = await open(person);
      expect([loginOn(page), boxOn(page)?.includes('checked')]).toEqual(['', false]);
      await signIn(person, 0);
      expect([person.cookies.has(KEPT), loginOn(await open(person))]).toEqual([false, '']);
      await signIn(person, 0, { remember: 'yes' });
      const line = person.setCookies.find((one) => one.startsWith('hygie_kept=')) ?? '';
      expect(line).toMatch(/^hygie_kept=1\.[\w.-]+; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/);
      expect(line).not.toContain('mathilde');
      const again = await open(person);
      expect([loginOn(again), boxOn(again)?.includes('checked')]).toEqual([credentialsOf(0).login, true]);
      expect(loginOn(await open(createPerson(service.issuer)))).toBe('');
    });

    it('not before the sign-in is complete: neither after a wrong password nor before the second step', async () => {
      const person = createPerson(service.issuer);
      const wrong = await person.press(await open(person), 'sign-in', {
        ...credentialsOf(1),
        password: 'wrong',
        remember: 'yes',
      });
      // The choice stays on the page that is shown again.
      expect([wrong.status, boxOn(wrong)?.includes('checked'), person.cookies.has(KEPT)]).toEqual([422, true, false]);
      const owner = createPerson(service.issuer);
      const page = await openAccount(owner, 1, '/account/second-factor');
      const code = appOf(page);
      await owner.press(page, 'set-up', { code: code() });
      const step = await person.press(await open(person), 'sign-in', { ...credentialsOf(1), remember: 'yes' });
      expect([step.html.includes('id="verify"'), person.cookies.has(KEPT)]).toEqual([true, false]);
      // The page of the code says whose it is.
      expect(step.html.replace('<wbr>', '')).toContain(`<strong>${credentialsOf(1).login}</strong>`);
      await person.press(step, 'verify', { code: code(1) });
      expect(person.cookies.has(KEPT)).toBe(true);
    });

    it('until it is forgotten: by its button, or by a sign-in without the box', async () => {
      const person = await keeping(2);
      const forgotten = await person.press(await open(person), 'forget-login');
      expect([forgotten.status, loginOn(forgotten), person.cookies.has(KEPT)]).toEqual([200, '', false]);
      const other = await keeping(2);
      await signIn(other, 2, { remember: '' });
      expect(other.cookies.has(KEPT)).toBe(false);
    });

    it('SEC-32 and no other page makes a browser forget or keep one', async () => {
      const person = await keeping(3);
      const page = await open(person);
      expect((await person.press(page, 'forget-login', { csrf: 'x' })).status).toBe(403);
      const action = page.html.match(/id="forget" method="post" action="([^"]+)"/)?.[1] ?? '';
      const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      const foreign = await person.visit(action, { method: 'POST', headers, body: new URLSearchParams() });
      expect([foreign.status, loginOn(await open(person))]).toEqual([403, credentialsOf(3).login]);
    });

    it('also where somebody only confirms who they are, who is not asked', async () => {
      const person = await keeping(4);
      await person.press(await open(person), 'sign-in', { ...credentialsOf(5), remember: 'yes' });
      const kept = person.cookies.get(KEPT);
      const confirm = await open(person);
      expect([loginOn(confirm), boxOn(confirm)]).toEqual([credentialsOf(5).login, undefined]);
      await person.press(confirm, 'sign-in', credentialsOf(5));
      expect(person.cookies.get(KEPT)).toBe(kept);
    });
  });

  describe('SEC-84 a kept address tells nothing', () => {
    it('about its account: the page is the same once that is disabled, or gone', async () => {
      const person = await keeping(6);
      const plain = ({ html }: Visit) =>
        html.replaceAll(/(name="csrf" value="|challenge&quot;:&quot;|\/interaction\/|sign-in=)[^"&?]*/g, '$1');
      const before = plain(await open(person));
      await openAccounts(service.database).update(idOf(6), { status: 'disabled' });
      expect(plain(await open(person))).toBe(before);
      await service
        .database('accounts')
        .where({ id: idOf(6) })
        .update({ email: null, email_key: null });
      expect(plain(await open(person))).toBe(before);
    });

    it.each([
      ['made up', () => '1.eyJsb2dpbiI6ImV2aWxAZXhhbXBsZSJ9'],
      ['altered', (kept: string) => `${kept.slice(0, -2)}${kept.endsWith('AA') ? 'BB' : 'AA'}`],
      ['of another kind', (_kept: string, person: Person) => person.cookies.get('hygie_finished') ?? '1.x'],
      ['without a value', () => ''],
    ])('if it is %s: nothing is shown', async (_what, forge) => {
      const person = await keeping(7);
      person.cookies.set(KEPT, forge(person.cookies.get(KEPT) ?? '', person));
      const page = await open(person);
      expect([page.status, loginOn(page)]).toEqual([200, '']);
    });
  });
});
