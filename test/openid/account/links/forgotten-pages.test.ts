// SEC-69: the page of a forgotten password and its answers, sentence by sentence; also where the service sends no mail.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { button, lines, said as saidTo, withPersonOfLink } from '#support/openid/account/person-of-link.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { transcript } from '#support/page-transcript.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { type RunningService, startService } from '#support/service.ts';
import { messagesIn } from '#web/messages.ts';

describe('pages of a forgotten password', () => {
  withService();

  const { links, signIn } = messagesIn('en');
  const ASK = `${links.noHelp} ${links.whomToAsk}`;
  let person: Person;
  let id: string;
  let email: string;
  withPersonOfLink('Noé Neuf', (met) => {
    ({ person, id, email } = met);
  });
  const said = (page: Pick<Visit, 'status' | 'html'>) => saidTo(page, email);

  const FORGOTTEN = '/account-link/password-reset';
  const send = async (fields: Record<string, string>) =>
    person.press(await person.visit(FORGOTTEN), 'send-link', fields);
  const around = [
    ...button('send-link', links.forgotten.submit),
    ...lines(`<a href="/account">${links.back}</a>`),
    ...lines(`${links.forgotten.noMailbox} ${links.whomToAsk}`),
  ];

  it('is asked for by its address; what is no address is said', async () => {
    const page = said(await person.visit(FORGOTTEN));
    expect(page.slice(0, 3)).toEqual([200, ...lines(`<h1>${links.forgotten.title}</h1>`, links.forgotten.lead)]);
    expect(page.slice(-around.length)).toEqual(around);
    expect(page.join('\n')).toContain(lines(signIn.login)[0]);
    for (const [login, problem] of [
      [' ', signIn.loginMissing],
      ['somebody', links.forgotten.noAddress],
    ] as const) {
      const refused = await send({ login });
      expect([refused.status, transcript(refused.html)]).toEqual([
        422,
        expect.stringContaining(String(lines(problem)[0])),
      ]);
      expect(refused.html).toMatch(/<input [^>]*id="login"[^>]* autofocus/);
    }
    const stale = await send({ login: email, csrf: 'x' });
    expect([stale.status, transcript(stale.html)]).toEqual([
      403,
      expect.stringContaining(String(lines(links.forgotten.stale)[0])),
    ]);
    expect(stale.html).not.toMatch(/<input [^>]*id="login"[^>]* autofocus/);
    expect(await service.database('mail_queue').where({ account_id: id })).toEqual([]);
  });

  it('has an answer that says what comes, and what to do where nothing does', async () => {
    const { sentTitle, sent, sentAdvice, nothing, nothingAdvice, again } = links.forgotten;
    const answer = said(await send({ login: email }));
    expect(answer.slice(0, 4)).toEqual([
      200,
      ...lines(`<h1>${sentTitle}</h1>`, `${sent} ADDRESS`, sentAdvice('30 minutes')),
    ]);
    expect(answer.slice(-6)).toEqual([
      ...lines(`<h2>${nothing}</h2>`, ...nothingAdvice),
      ...lines(`<a href="/account">${links.back}</a>`, `<a href="${FORGOTTEN}">${again}</a>`),
      ...lines(ASK),
    ]);
  });

  it.each([
    ['/account-link/password-reset', 'https://elsewhere.example', 403, 'foreign_form'],
    ['/account-link/email-change/x', 'https://elsewhere.example', 403, 'foreign_form'],
    ['/account-link/password-reset', '', 400, 'unusable_form'],
  ] as const)(
    'a form of %s that cannot be (origin: "%s") has a page of the account, and leads on',
    async (path, origin, status, error) => {
      const body = new URLSearchParams({ login: 'a\r\nb' });
      const answer = await person.visit(path, { method: 'POST', body, headers: { origin: origin || service.issuer } });
      const { title } = messagesIn('en').account.error[error];
      expect([answer.status, transcript(answer.html)]).toEqual([status, expect.stringContaining(title)]);
      expect(answer.html).toContain(`href="${path}"`);
    },
  );

  it('has to wait after five, and while too many others wait', async () => {
    let last: Visit | undefined;
    for (let times = 0; times < 6; times += 1) last = await send({ login: email });
    expect([last?.status, transcript(last?.html ?? '')]).toEqual([
      429,
      expect.stringContaining(String(lines(links.forgotten.waiting)[0])),
    ]);
  });
});

describe('a service without mail', () => {
  let without: RunningService;
  beforeAll(async () => {
    without = await startService({
      adjust: (settings) => ({ ...settings, mode: 'production', mail: undefined }) as never,
    });
  });
  afterAll(() => without.stop());

  it('says whom to ask for a new password, and queues nothing', async () => {
    const { links } = messagesIn('en');
    const person = createPerson(without.issuer);
    person.cookies.set('hygie_language /', 'en');
    const path = '/account-link/password-reset';
    const page = await person.visit(path);
    const body = new URLSearchParams({ login: 'a@clinic.example' });
    const answer = await person.visit(path, { method: 'POST', body, headers: { origin: without.issuer } });
    const text = transcript(
      [
        `<h1>${links.forgotten.title}</h1>`,
        links.forgotten.withoutMail,
        links.whomToAsk,
        `<a href="/account">${links.back}</a>`,
      ].join('\n'),
    );
    expect([page.status, transcript(page.html), answer.status, transcript(answer.html)]).toEqual([
      200,
      text,
      200,
      text,
    ]);
    expect(await without.database('mail_queue')).toEqual([]);
  });
});
