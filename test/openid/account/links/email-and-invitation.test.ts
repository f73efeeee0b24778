// SEC-69: an invitation, and an e-mail address that is verified or changed by the link of a mail, against the running service.

import { describe, expect, it, jest } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { choosePassword, linkFor, mailsGone, twice } from '#support/openid/account/links.ts';
import {
  credentialsOf,
  englishPerson,
  enteredBy,
  idOf,
  openAccount,
} from '#support/openid/account/person-of-account.ts';
import { mailInOutbox } from '#support/openid/mail/outbox.ts';
import { authorizationUrl, signIn } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson } from '#support/person.ts';

describe('links of addresses and invitations', () => {
  withService();

  const CHOSEN = 'tortue violette sous la pluie';
  const accounts = () => openAccounts(service.database);
  const english = () => englishPerson(service.issuer);
  const audited = async (account: string, event: 'account.email-changed' | 'account.email-verified') =>
    openAuditEvents(service.database).search({ limit: 9, events: [event], account });
  /** Where mails stand in development. */
  const outbox = async () => (await fetch(`${service.issuer}/outbox`)).text();
  const queued = (account: string) => service.database('mail_queue').where({ account_id: account });

  describe('SEC-69 an invitation', () => {
    it('lets a person without a password choose one, which verifies the address, and signs them in at once', async () => {
      const [invited] = await accounts().create([{ email: 'new@clinic.example', name: 'Noé Neuf' }]);
      const link = await linkFor(service, 'invitation', invited?.id ?? '');
      const person = english();
      const page = await person.visit(link);
      expect(page.html).toContain('<h1>Welcome, Noé Neuf</h1>');
      const personal = await person.press(page, 'save-password', twice('new@clinic.example'));
      expect(personal.status).toBe(422);
      // Both faults are told.
      const both = await person.press(page, 'save-password', { ...twice('short'), 'new-password-again': 'other' });
      expect(both.html).toMatch(
        /id="new-password-problem"[\s\S]*too short[\s\S]*id="new-password-again-problem"[\s\S]*different/,
      );
      const done = await person.press(page, 'save-password', twice(CHOSEN));
      expect(done.url).toBe(`${service.issuer}/account`);
      expect(done.html).toContain('Your account is ready');
      const trail = await openAuditEvents(service.database).search({ limit: 9, account: invited?.id ?? '' });
      expect(trail.map(({ event }) => event)).toContain('account.invitation-accepted');
      expect(trail).toContainEqual(
        expect.objectContaining({
          event: 'sign-in.succeeded',
          details: expect.objectContaining({ methods: ['password'] }),
        }),
      );
      await person.press(await person.visit('/logout'), 'sign-out');
      const { tokens } = await signIn(service, {
        person,
        credentials: { login: 'new@clinic.example', password: CHOSEN },
      });
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const claims = await (await fetch(`${service.issuer}/userinfo`, { headers })).json();
      expect(claims).toMatchObject({ email: 'new@clinic.example', email_verified: true });
      expect((await person.visit(link)).status).toBe(410);
    });

    /** Accepts an invitation in a browser that stops before it follows the answer; a copy of what it keeps, for other browsers. */
    const accepted = async (email: string) => {
      const [invited] = await accounts().create([{ email, name: 'Noé Neuf' }]);
      const link = await linkFor(service, 'invitation', invited?.id ?? '');
      const stopped = createPerson(service.issuer, async (url, init) => {
        const { status, headers } = await fetch(url, { ...init, redirect: 'manual' });
        const kept = new Headers([...headers].filter(([name]) => name === 'set-cookie'));
        return init.method === 'POST' && status === 303 ? new Response('', { headers: kept }) : fetch(url, init);
      });
      await choosePassword(stopped, link, CHOSEN);
      const browser = () => {
        const other = english();
        for (const [name, value] of stopped.cookies) other.cookies.set(name, value);
        return other;
      };
      return { id: invited?.id ?? '', browser };
    };
    const isIn = ({ url }: { url: string }) => url === `${service.issuer}/account`;

    it('signs in once, whoever copies the cookie, raced', async () => {
      const { browser } = await accepted('raced@clinic.example');
      const visits = await Promise.all(Array.from({ length: 8 }, () => browser().visit('/account/welcome')));
      expect(visits.filter(isIn)).toHaveLength(1);
      for (const visit of visits.filter((one) => !isIn(one))) expect(visit.html).toContain('id="sign-in"');
    });

    it('signs in to no other application, and not after a minute or another password', async () => {
      const { browser, id } = await accepted('later@clinic.example');
      expect((await browser().visit(authorizationUrl(service))).html).toContain('id="sign-in"');
      const now = Date.now();
      const clock = jest.spyOn(Date, 'now').mockReturnValue(now + 61_000);
      const late = await browser().visit('/account/welcome');
      clock.mockRestore();
      expect(late.html).toContain('id="sign-in"');
      await accounts().setPassword(id, 'scrypt$another');
      expect((await browser().visit('/account/welcome')).html).toContain('id="sign-in"');
    });

    it.each([
      ['just now', 'fresh', 0],
      ['a while ago', 'aged', 11 * 60_000],
    ])(
      'never leads into the account of another person who signed in %s at that computer',
      async (_when, name, passed) => {
        const { person } = await enteredBy(service.issuer, 8);
        const email = `${name}@clinic.example`;
        const [invited] = await accounts().create([{ email, name: 'Noé Neuf' }]);
        const link = await linkFor(service, 'invitation', invited?.id ?? '');
        const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + passed);
        const done = await choosePassword(person, link, CHOSEN);
        clock.mockRestore();
        expect(done.html).toContain('Noé Neuf');
        expect([isIn(done), done.html.includes(credentialsOf(8).login)]).toEqual([true, false]);
      },
    );

    it('an address other than the account’s is not verified by it', async () => {
      const [invited] = await accounts().create([{ email: 'other@clinic.example', name: 'O' }]);
      const link = await linkFor(service, 'invitation', invited?.id ?? '', 'assistant@clinic.example');
      await choosePassword(english(), link, CHOSEN);
      expect(await accounts().find(invited?.id ?? '')).toMatchObject({ hasPassword: true, emailVerified: false });
    });
  });

  describe('SEC-69 the e-mail address of a person', () => {
    it('is changed by a link to the new one: GET changes nothing; sessions stay; the claims follow', async () => {
      const { person } = await enteredBy(service.issuer, 0);
      const { tokens } = await signIn(service, { person, credentials: credentialsOf(0) });
      const page = await openAccount(person, 0, '/account/email');
      const asked = await person.press(page, 'change-email', { action: 'change', email: ' New.Me@clinic.example ' });
      expect(asked.html).toContain('A link is on its way to New.Me@clinic.example');
      await mailsGone(service, idOf(0));
      expect(await outbox()).toContain('New.Me@clinic.example');
      expect((await accounts().find(idOf(0)))?.email).toBe(credentialsOf(0).login);

      const link = await linkFor(service, 'email-change', idOf(0), 'New.Me@clinic.example');
      // On another device.
      const elsewhere = english();
      const question = await elsewhere.visit(link);
      expect(question.html).toContain('New.Me<wbr>@clinic.example');
      expect((await accounts().find(idOf(0)))?.email).toBe(credentialsOf(0).login);
      const stale = await elsewhere.press(question, 'confirm', { csrf: 'x' });
      expect([stale.status, (await accounts().find(idOf(0)))?.email]).toEqual([403, credentialsOf(0).login]);
      const done = await elsewhere.press(question, 'confirm');
      expect([done.status, done.html.includes('Your address has been changed')]).toEqual([200, true]);
      expect((await elsewhere.visit(link)).status).toBe(410);

      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const userinfo = await (await fetch(`${service.issuer}/userinfo`, { headers })).json();
      expect(userinfo).toMatchObject({ sub: idOf(0), email: 'New.Me@clinic.example', email_verified: true });
      expect((await person.visit('/account')).html).toContain('New.Me');
      const [record] = await audited(idOf(0), 'account.email-changed');
      expect(record).toMatchObject({ details: { before: credentialsOf(0).login } });
      // With the new one, whatever its case, and not with the old one.
      await signIn(service, {
        person: createPerson(service.issuer),
        credentials: { ...credentialsOf(0), login: 'new.me@CLINIC.example' },
      });
    });

    it('SEC-69 an address that is taken is answered alike, and gets the same mail; its link changes nothing', async () => {
      const { person } = await enteredBy(service.issuer, 1);
      const page = await openAccount(person, 1, '/account/email');
      const taken = credentialsOf(2).login;
      const asked = await person.press(page, 'change-email', { action: 'change', email: taken });
      expect(asked.html).toContain(`A link is on its way to ${taken}`);
      await mailsGone(service, idOf(1));
      expect(await queued(idOf(1))).toMatchObject([{ kind: 'email-change' }]);
      expect(await outbox()).toContain(taken);
      const link = await linkFor(service, 'email-change', idOf(1), taken);
      const owner = english();
      const refused = await owner.press(await owner.visit(link), 'confirm');
      expect([refused.status, refused.html.includes('This address is already in use')]).toEqual([409, true]);
      expect((await accounts().find(idOf(1)))?.email).toBe(credentialsOf(1).login);
      expect((await accounts().find(idOf(2)))?.email).toBe(taken);
    });

    it('SEC-69 nobody has words of their own sent to an address that is not theirs', async () => {
      const { person } = await enteredBy(service.issuer, 4);
      await accounts().update(idOf(4), { name: 'You won, see evil.example' });
      const page = await openAccount(person, 4, '/account/email');
      await person.press(page, 'change-email', { action: 'change', email: 'stranger@elsewhere.example' });
      await mailsGone(service, idOf(4));
      for (const text of Object.values(await mailInOutbox(service, 'stranger@elsewhere.example'))) {
        expect(text).toContain('/account-link/email-change/');
        expect(text).not.toContain('evil.example');
      }
    });

    it('SEC-69 is verified on request, and only while it is the account’s', async () => {
      await accounts().update(idOf(3), { emailVerified: false });
      const { person } = await enteredBy(service.issuer, 3);
      const page = await openAccount(person, 3, '/account/email');
      await person.press(page, 'verify-email', { action: 'verify', email: 'evil@clinic.example' });
      await mailsGone(service, idOf(3));
      expect(await queued(idOf(3))).toMatchObject([{ kind: 'email-verification' }]);
      expect(await outbox()).not.toContain('evil@clinic.example');
      const link = await linkFor(service, 'email-verification', idOf(3));
      const before = await linkFor(service, 'email-verification', idOf(7));
      await accounts().update(idOf(7), { email: 'moved@clinic.example', emailVerified: false });
      const question = await person.visit(link);
      expect((await accounts().find(idOf(3)))?.emailVerified).toBe(false);
      await person.press(question, 'confirm');
      expect((await accounts().find(idOf(3)))?.emailVerified).toBe(true);
      expect(await audited(idOf(3), 'account.email-verified')).toHaveLength(1);
      expect((await person.visit(before)).status).toBe(410);
      expect((await accounts().find(idOf(7)))?.emailVerified).toBe(false);
    });

    const refused: [what: string, fields: Record<string, string>, status: number][] = [
      ['the present one', { email: credentialsOf(5).login.toUpperCase() }, 422],
      ['a form of another browser (SEC-32)', { email: 'a@clinic.example', csrf: 'x' }, 403],
      ['a line break (SEC-44)', { email: 'a@clinic.example\r\nbcc: b@clinic.example' }, 400],
      ['another action', { email: 'a@clinic.example', action: 'delete' }, 400],
    ];
    it('refuses what is no other address, and has to wait after five', async () => {
      const { person } = await enteredBy(service.issuer, 5);
      const page = await openAccount(person, 5, '/account/email');
      for (const [what, fields, status] of refused) {
        const answer = await person.press(page, 'change-email', { action: 'change', ...fields });
        expect([what, answer.status]).toEqual([what, status]);
      }
      expect(await queued(idOf(5))).toEqual([]);
      const statuses: number[] = [];
      for (let times = 0; times < 6; times += 1) {
        const fields = { action: 'change', email: `a${times}@clinic.example` };
        statuses.push((await person.press(page, 'change-email', fields)).status);
      }
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    });

    it('needs a sign-in of the last minutes', async () => {
      const person = createPerson(service.issuer);
      await signIn(service, { person, credentials: credentialsOf(6) });
      expect((await person.visit('/account/email')).html).toContain('id="sign-in"');
    });
  });
});
