// SEC-69: every page behind a mailed link and after every mistake in its form, sentence by sentence, and what is recorded of each.

import { describe, expect, it } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { linkFor, twice } from '#support/openid/account/links.ts';
import { button, lines, said as saidTo, withPersonOfLink } from '#support/openid/account/person-of-link.ts';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { transcript } from '#support/page-transcript.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { messagesIn } from '#web/messages.ts';

describe('pages of links', () => {
  withService();

  const { links, newPassword, account } = messagesIn('en');
  const GOOD = 'four unrelated words here';
  const ASK = `${links.noHelp} ${links.whomToAsk}`;
  const NAME = 'Noé Neuf';
  let person: Person;
  let id: string;
  let email: string;
  withPersonOfLink(NAME, (met) => {
    ({ person, id, email } = met);
  });
  const said = (page: Pick<Visit, 'status' | 'html'>) => saidTo(page, email);

  const link = (purpose: Parameters<typeof linkFor>[1], address?: string) => linkFor(service, purpose, id, address);
  const open = async (purpose: Parameters<typeof linkFor>[1], address?: string) =>
    person.visit(await link(purpose, address));
  const records = async () =>
    (await openAuditEvents(service.database).search({ limit: 9, account: id })).map(
      ({ event, actor, details = {} }) => [event, actor.replace(id, 'ID'), Object.keys(details)],
    );

  describe('a link that no longer works', () => {
    it.each([
      ['invitation', links.useless.again, '/account-link/password-reset', true],
      ['password-reset', links.useless.again, '/account-link/password-reset', true],
      ['email-verification', links.useless.toAddress, '/account/email', false],
      ['email-change', links.useless.toAddress, '/account/email', false],
    ] as const)('of %s says what it may be, and leads on', async (purpose, label, next, signsIn) => {
      const page = await person.visit(`/account-link/${purpose}/${'x'.repeat(43)}`);
      expect(said(page)).toEqual([
        410,
        '(warning)',
        ...lines(`<h1>${links.useless.title}</h1>`, links.useless.cause, links.useless.remedy[purpose]),
        ...lines(`<a href="${next}">${label}</a>`, ...(signsIn ? [`<a href="/account">${links.signIn}</a>`] : [])),
        ...lines(ASK),
      ]);
      expect(page.html).toContain('hreflang="fr"');
      // The answer to its form is asked for once.
      const body = new URLSearchParams({ csrf: 'x', ...twice(GOOD) });
      const answer = await person.visit(page.url, { method: 'POST', body, headers: { origin: service.issuer } });
      expect([answer.status, transcript(answer.html), answer.html.includes('hreflang="fr"')]).toEqual([
        410,
        transcript(page.html),
        false,
      ]);
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
    it.each([
      ['invitation', links.invitation.title(NAME), newPassword.first.submit, links.invitation.next],
      ['password-reset', newPassword.title, newPassword.submit, links.reset.next],
    ] as const)('of %s is asked for, and each mistake is said', async (purpose, title, submit, next) => {
      const page = await open(purpose);
      const lead = purpose === 'invitation' ? links.invitation.lead('Hygie') : links.reset.lead;
      const whole = said(page);
      expect(whole).toEqual(
        expect.arrayContaining([200, ...lines(`<h1>${title}</h1>`, next), ...button('save-password', submit)]),
      );
      expect(whole.join('\n')).toContain(`${lines(lead)[0]} ADDRESS`);
      expect(whole.join('\n')).not.toContain('{password');
      const statuses = [];
      for (const fields of [
        {},
        twice('short'),
        twice('Manchester United'),
        { ...twice(GOOD), 'new-password-again': 'other' },
        { ...twice(GOOD), csrf: 'x' },
      ]) {
        const { status, html } = await person.press(page, 'save-password', fields);
        statuses.push([status, html.includes('aria-invalid="true"') || html.includes('class="notice')]);
      }
      expect(statuses).toEqual([422, 422, 422, 422, 403].map((status) => [status, true]));
      expect(await records()).toEqual([]);
      // None of them has used the link up.
      expect((await person.press(page, 'save-password', twice(GOOD))).status).toBe(200);
    });

    it('that was forgotten is changed, and a new sign-in is asked for', async () => {
      const done = await person.press(await open('password-reset'), 'save-password', twice(GOOD));
      expect(said(done)).toEqual([
        200,
        ...lines(`<h1>${links.reset.doneTitle}</h1>`, links.reset.done),
        ...lines(`<a href="/account/welcome-back">${links.signInNow}</a>`, links.otherDevice),
      ]);
      expect(await records()).toEqual([['account.password-reset', 'account:ID', []]]);
    });

    it('that was forgotten during a sign-in leads back to it, for whoever it is', async () => {
      const login = await person.visit(authorizationUrl(service));
      const { pathname } = new URL(login.url);
      await person.visit(`/account-link/password-reset?sign-in=${pathname.split('/').at(-1)}`);
      const done = await person.press(await open('password-reset'), 'save-password', twice(GOOD));
      expect(done.html).toContain(`id="continue" href="${pathname}?anew"`);
    });

    it('that is the first one signs in, and is recorded', async () => {
      const done = await person.press(await open('invitation'), 'save-password', twice(GOOD));
      expect([done.status, done.url]).toEqual([200, `${service.issuer}/account`]);
      expect((await records())[0]).toEqual(['account.invitation-accepted', 'account:ID', []]);
      const cookie = person.setCookies.find((line) => line.includes('arrival'));
      expect(cookie).toMatch(/; path=\/;.*max-age=60/i);
    });

    it('by a link is counted: after ten the account has to wait, and a good one forgets the wrong ones of strangers', async () => {
      const wrong = async () => {
        const stranger = createPerson(service.issuer);
        const page = await stranger.visit(authorizationUrl(service));
        return (await stranger.press(page, 'sign-in', { login: email, password: 'wrong' })).status;
      };
      for (let times = 0; times < 4; times += 1) await wrong();
      const before = await wrong();
      await person.press(await open('password-reset'), 'save-password', twice(GOOD));
      expect([before, await wrong()]).toEqual([expect.any(Number), 422]);
      let last: Visit | undefined;
      for (let times = 0; times < 10; times += 1)
        last = await person.press(await open('password-reset'), 'save-password', twice(`${GOOD} ${times}`));
      expect([last?.status, Number(last?.headers.get('retry-after')) > 0]).toEqual([429, true]);
      expect(last?.html).toContain('id="save-password"');
    });
  });

  describe('an address by a link', () => {
    it.each([
      ['email-verification', undefined, 'verification', 'ADDRESS'],
      ['email-change', 'new@elsewhere.example', 'change', 'new@elsewhere.example'],
    ] as const)(
      'is asked about once more (%s), also after a form of elsewhere',
      async (purpose, address, name, shown) => {
        const { title, lead, submit } = links[name];
        const rest = [
          ...lines(lead).map((line) => `${line} ${shown}`),
          ...(name === 'change' ? lines(links.change.replaces('ADDRESS')) : []),
          '{csrf}',
          ...button('confirm', submit),
          ...lines(links.notYou),
        ];
        const page = await open(purpose, address);
        expect(said(page)).toEqual([200, ...lines(`<h1>${title}</h1>`), ...rest]);
        const stale = await person.press(page, 'confirm', { csrf: 'x' });
        const notice = said(stale).filter(
          (line) =>
            typeof line === 'string' && lines(account.stale, account.staleAdvice).some((text) => line.endsWith(text)),
        );
        expect([stale.status, notice.length, said(stale).slice(-rest.length)]).toEqual([403, 2, rest]);
        expect(await records()).toEqual([]);
      },
    );

    it('is verified, or changed, which is said and recorded', async () => {
      const toAccount = lines(`<a href="/account">${links.toAccount}</a>`);
      const verified = await person.press(await open('email-verification'), 'confirm');
      expect(said(verified)).toEqual([
        200,
        ...lines(`<h1>${links.verification.doneTitle}</h1>`),
        'ADDRESS',
        ...toAccount,
      ]);
      const changed = await person.press(await open('email-change', 'other@elsewhere.example'), 'confirm');
      expect(said(changed)).toEqual([
        200,
        ...lines(`<h1>${links.change.doneTitle}</h1>`, `${links.change.done} other@elsewhere.example`),
        ...toAccount,
      ]);
      expect(await records()).toEqual([
        ['account.email-verified', 'account:ID', []],
        ['account.email-changed', 'account:ID', ['before']],
      ]);
    });

    it('that somebody else has is not taken', async () => {
      const [other] = await openAccounts(service.database).create([{ email: 'taken@clinic.example', name: 'O' }]);
      const refused = await person.press(await open('email-change', other?.email), 'confirm');
      expect(said(refused)).toEqual([
        409,
        '(warning)',
        ...lines(`<h1>${links.taken.title}</h1>`, `${links.taken.cause} ${other?.email}`, links.taken.remedy),
        ...lines(`<a href="/account">${links.toAccount}</a>`),
        ...lines(ASK),
      ]);
      expect(await records()).toEqual([]);
    });
  });
});
