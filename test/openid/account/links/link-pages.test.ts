// SEC-69: every page behind a mailed link, the page of a forgotten password, and what follows every mistake in their forms, sentence by sentence;
// and what is recorded of each.

import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Settings } from '#config/settings.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { linkFor, twice } from '#support/openid/account/links.ts';
import { englishPerson } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { pageInStates } from '#support/page-states.ts';
import { transcript } from '#support/page-transcript.ts';
import type { Person, Visit } from '#support/person.ts';
import { startService } from '#support/service.ts';
import { messagesIn } from '#web/messages.ts';

describe('pages of links', () => {
  withOwnSnapshots(import.meta.filename);
  withService();

  const GOOD = 'four unrelated words here';
  const NAME = 'Noé Neuf';
  let person: Person;
  let id: string;
  let email: string;
  let count = 0;
  beforeEach(async () => {
    count += 1;
    email = `noe-${count}@clinic.example`;
    const [created] = await openAccounts(service.database).create([{ email, name: NAME }]);
    [person, id] = [englishPerson(service.issuer), created?.id ?? ''];
  });
  /** What a page says, with its status, and with ADDRESS and TOKEN in place of those of the person. */
  const said = ({ status, html }: Pick<Visit, 'status' | 'html'>) =>
    `${status}\n${transcript(html, { ids: true }).replaceAll(email, 'ADDRESS')}`.replaceAll(/\/[\w-]{43}\b/g, '/TOKEN');

  const link = (purpose: Parameters<typeof linkFor>[1], address?: string) => linkFor(service, purpose, id, address);
  const open = async (purpose: Parameters<typeof linkFor>[1], address?: string) =>
    person.visit(await link(purpose, address));
  const records = async () =>
    (await openAuditEvents(service.database).search({ limit: 9, account: id })).map(
      ({ event, actor, details = {} }) => [event, actor.replace(id, 'ID'), Object.keys(details)],
    );

  it('SEC-31 have the headers of pages, and keep the language that was chosen', async () => {
    const headers = async (path: string) => {
      const { headers } = await fetch(`${service.issuer}/account-link${path}`);
      return ['cache-control', 'content-security-policy', 'referrer-policy'].map((name) => headers.get(name));
    };
    const ofPages = await headers(`/invitation/${'x'.repeat(43)}`);
    expect(ofPages).toEqual(['no-store', expect.stringContaining("default-src 'none'"), 'no-referrer']);
    expect(await headers('/password-reset')).toEqual(ofPages);
    await person.visit('/account-link/password-reset?lang=fr');
    expect((await person.visit('/account-link/password-reset')).html).toContain('<html lang="fr"');
  });

  describe('a link that no longer works', () => {
    it('says what it may be, and leads on', async () => {
      const pages: [string, string][] = [];
      for (const purpose of ['invitation', 'password-reset', 'email-verification', 'email-change']) {
        const page = await person.visit(`/account-link/${purpose}/${'x'.repeat(43)}`);
        expect(page.html).toContain('hreflang="fr"');
        // The answer to its form is asked for once.
        const body = new URLSearchParams({ csrf: 'x', ...twice(GOOD) });
        const answer = await person.visit(page.url, { method: 'POST', body, headers: { origin: service.issuer } });
        expect(answer.html).not.toContain('hreflang="fr"');
        pages.push([purpose, said(page)], [`${purpose}, by its form`, said(answer)]);
      }
      expect(pageInStates(pages)).toMatchSnapshot();
    });

    it('leads back to the sign-in that it was begun in', async () => {
      const login = await person.visit(authorizationUrl(service));
      const { pathname } = new URL(login.url);
      const uid = pathname.split('/').at(-1);
      await person.visit(`/account-link/password-reset?sign-in=${uid}`);
      const page = await person.visit(`/account-link/invitation/${'x'.repeat(43)}`);
      expect(page.html).toContain(`id="to-sign-in" href="${pathname}"`);
      const other = await person.visit('/account-link/password-reset?sign-in=short');
      expect(other.html).toContain(`id="to-sign-in" href="${pathname}"`);
    });
  });

  describe('a password by a link', () => {
    it('is asked for, and each mistake is said', async () => {
      const pages: [string, string][] = [];
      for (const purpose of ['invitation', 'password-reset'] as const) {
        const page = await open(purpose);
        const before = await records();
        pages.push([purpose, said(page)]);
        for (const [mistake, fields] of [
          ['nothing', {}],
          ['a short one', twice('short')],
          ['a common one', twice('Manchester United')],
          ['two that differ', { ...twice(GOOD), 'new-password-again': 'other' }],
          ['a form of elsewhere', { ...twice(GOOD), csrf: 'x' }],
        ] as const)
          pages.push([`${purpose}, ${mistake}`, said(await person.press(page, 'save-password', fields))]);
        expect(await records()).toEqual(before);
        // None of them has used the link up.
        expect((await person.press(page, 'save-password', twice(GOOD))).status).toBe(200);
      }
      expect(pageInStates(pages)).toMatchSnapshot();
    });

    it('that was forgotten is changed, and a new sign-in is asked for', async () => {
      const done = await person.press(await open('password-reset'), 'save-password', twice(GOOD));
      expect(said(done)).toMatchSnapshot();
      expect(await records()).toEqual([['account.password-reset', 'account:ID', []]]);
    });
  });

  describe('an address by a link', () => {
    it('is asked about once more, also after a form of elsewhere', async () => {
      const pages: [string, string][] = [];
      for (const [purpose, address] of [
        ['email-verification', undefined],
        ['email-change', 'new@elsewhere.example'],
      ] as const) {
        const page = await open(purpose, address);
        const stale = await person.press(page, 'confirm', { csrf: 'x' });
        pages.push([purpose, said(page)], [`${purpose}, after a form of elsewhere`, said(stale)]);
        expect(await records()).toEqual([]);
      }
      expect(pageInStates(pages)).toMatchSnapshot();
    });

    it('is verified, or changed, which is said and recorded, and that of somebody else is not taken', async () => {
      const [other] = await openAccounts(service.database).create([{ email: 'taken@clinic.example', name: 'O' }]);
      const pages: [string, string][] = [];
      for (const [what, purpose, address] of [
        ['taken', 'email-change', other?.email],
        ['verified', 'email-verification', undefined],
        ['changed', 'email-change', 'other@elsewhere.example'],
      ] as const)
        pages.push([what, said(await person.press(await open(purpose, address), 'confirm'))]);
      expect(pageInStates(pages)).toMatchSnapshot();
      expect(await records()).toEqual([
        ['account.email-verified', 'account:ID', []],
        ['account.email-changed', 'account:ID', ['before']],
      ]);
    });
  });

  describe('a forgotten password', () => {
    const FORGOTTEN = '/account-link/password-reset';
    const send = async (fields: Record<string, string>) =>
      person.press(await person.visit(FORGOTTEN), 'send-link', fields);

    it('is asked for by its address; what is no address is said, and six are too many', async () => {
      const pages: [string, string][] = [['as it opens', said(await person.visit(FORGOTTEN))]];
      for (const [what, fields] of [
        ['nothing', { login: ' ' }],
        ['no address', { login: 'somebody' }],
        ['a form of elsewhere', { login: email, csrf: 'x' }],
      ] as const)
        pages.push([what, said(await send(fields))]);
      expect(await service.database('mail_queue').where({ account_id: id })).toEqual([]);
      pages.push(['sent', said(await send({ login: email }))]);
      for (let times = 0; times < 4; times += 1) await send({ login: email });
      pages.push(['too often', said(await send({ login: email }))]);
      expect(pageInStates(pages)).toMatchSnapshot();
    });

    it.each([
      [FORGOTTEN, 'https://elsewhere.example', 403, 'foreign_form'],
      ['/account-link/email-change/x', 'https://elsewhere.example', 403, 'foreign_form'],
      [FORGOTTEN, '', 400, 'unusable_form'],
    ] as const)(
      'SEC-32 a form of %s that cannot be (origin: "%s") has a page of the account, and leads on',
      async (path, origin, status, error) => {
        const body = new URLSearchParams({ login: 'a\r\nb' });
        const headers = { origin: origin || service.issuer };
        const answer = await person.visit(path, { method: 'POST', body, headers });
        const { title } = messagesIn('en').account.error[error];
        expect([answer.status, transcript(answer.html)]).toEqual([status, expect.stringContaining(title)]);
        expect(answer.html).toContain(`href="${path}"`);
      },
    );

    it('is a matter of people where no mail is sent, and queues nothing', async () => {
      const adjust = (settings: Settings) => ({ ...settings, mode: 'production', mail: undefined }) as never;
      const without = await startService({ adjust });
      try {
        const { visit } = englishPerson(without.issuer);
        const body = new URLSearchParams({ login: 'a@clinic.example' });
        const answer = await visit(FORGOTTEN, { method: 'POST', body, headers: { origin: without.issuer } });
        expect(said(answer)).toMatchSnapshot();
        expect(said(await visit(FORGOTTEN))).toBe(said(answer));
        expect(await without.database('mail_queue')).toEqual([]);
      } finally {
        await without.stop();
      }
    });
  });
});
