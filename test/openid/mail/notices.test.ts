// Notices by mail, and the page that shows mails in development.

import { describe, expect, it } from '@jest/globals';
import { createComposer } from '#openid/mail/compose.ts';
import type { Message } from '#openid/mail/mail-queue-worker.ts';
import { isNotice, withNotices } from '#openid/mail/notices.ts';
import type { AuditEvent } from '#shared/audit/events.ts';
import type { Account } from '#store/accounts/account-row.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import type { NewMail } from '#store/outbox/mail-queue.ts';
import { NO_AUDIT } from '#support/audit-trail.ts';
import { openedForAll } from '#support/opened.ts';
import { askedLongAgo, twice } from '#support/openid/account/links.ts';
import { credentialsOf, enteredBy, idOf, openAccount } from '#support/openid/account/person-of-account.ts';
import { startMailServer, trustMailServer } from '#support/openid/mail/mail-server.ts';
import { linksIn, mailTo } from '#support/openid/mail/received.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { startService } from '#support/service.ts';
import { until } from '#support/until.ts';
import { messagesIn } from '#web/messages.ts';

// Notices of critical changes, from the audit trail to what people read: each event that has one, in both languages, without a link; and
// what a person changes in a running service.
const ACCOUNT = { id: 'a1', name: 'Camille\r\nBcc: x', email: 'camille@clinic.example', status: 'active' } as Account;
const FRAME = { issuer: 'https://connect.clinic.example', branding: { name: 'Hôpital Sud', colour: '#0b5f6b' } };

describe('what a notice says', () => {
  const queued: NewMail[] = [];
  const trail = withNotices(NO_AUDIT, {
    enqueue: async (mail) => queued.push(mail) > 0,
    addressOf: async () => ACCOUNT.email,
  });
  /** The mail of an event, as the account's language has it. */
  const mailOf = async (event: AuditEvent, account: Account | undefined = ACCOUNT, frame = FRAME): Promise<Message> => {
    queued.length = 0;
    await trail.record(event);
    const compose = createComposer({ ...frame, find: async () => account, links: { mint: async () => undefined } });
    const [mail] = queued;
    if (!mail) throw new Error(`no notice of ${event.event}`);
    const known = { id: '7', attempts: 1, createdAt: 1_764_000_000, topic: '', details: {} };
    const composed = await compose({ ...known, ...mail } as Parameters<typeof compose>[0]);
    if (!composed) throw new Error(`no mail of ${event.event}`);
    return composed;
  };

  const TOPICS = Object.keys(messagesIn('fr').mails.notice.subjects) as AuditEvent['event'][];
  it.each(TOPICS)('%s has a subject and a lead in both languages, and no link', async (event) => {
    for (const language of ['fr', 'en'] as const) {
      const { notice } = messagesIn(language).mails;
      if (!isNotice(event)) throw new Error('no topic');
      const {
        subject,
        text,
        html,
        language: written,
      } = await mailOf({ event, account: 'a1' }, { ...ACCOUNT, language });
      expect(written).toBe(language);
      expect(subject.length).toBeLessThanOrEqual(60);
      expect(subject.endsWith(notice.subjects[event])).toBe(true);
      const words = (part: string) => part.replace(/\s+/g, ' ');
      expect(words(text)).toContain(words(notice.leads[event]));
      expect(text + html).not.toMatch(/https?:\/\/|href=/);
      // SEC-44: a name adds no line.
      expect(text).toContain('Camille Bcc: x');
    }
  });

  it('SEC-69 goes to the address that the account had before the change, and does not name who took it over', async () => {
    const details = { before: 'old@clinic.example' };
    const before = await mailOf({ event: 'account.email-changed', account: 'a1', details });
    expect([before.to, before.text.includes('Camille Bcc')]).toEqual(['old@clinic.example', false]);
    const gone = await mailOf({ event: 'account.deleted', account: 'a1', details });
    expect([gone.to, gone.language]).toEqual(['old@clinic.example', 'fr']);
    const unknown = await mailOf({ event: 'sign-in.new-device', account: 'a1', details: {} });
    expect(unknown.text).toMatch(/^Appareil\u00a0: Appareil inconnu$/m);
  });

  it('leaves the service’s name, which is the sender’s too, out of a subject of more than 60 characters', async () => {
    const branding = { ...FRAME.branding, name: 'Groupement hospitalier de territoire du Sud' };
    const { subject } = await mailOf({ event: 'passkey.added', account: 'a1' }, ACCOUNT, { ...FRAME, branding });
    expect(subject).toBe(messagesIn('fr').mails.notice.subjects['passkey.added']);
    const links = { mint: async () => ({ token: 't', expiresAt: 1_764_000_000 }) };
    for (const [name, expected] of [
      [branding.name, 'Confirmez votre nouvelle adresse e-mail'],
      ['Hôpital Sud', 'Confirmez votre nouvelle adresse e-mail pour Hôpital Sud'],
    ] as const) {
      const frame = { ...FRAME, branding: { ...branding, name } };
      const compose = createComposer({ ...frame, find: async () => ACCOUNT, links });
      const mail = { id: '7', attempts: 1, createdAt: 1_764_000_000, topic: '', details: {}, kind: 'email-change' };
      expect((await compose(mail as unknown as Parameters<typeof compose>[0]))?.subject).toBe(expected);
    }
  });

  it('is in the person’s language, else in that of the page, else in that of the settings', async () => {
    const event = { event: 'passkey.added', account: 'a1' } as const;
    const settings = { ...FRAME, mail: { language: 'en' as const } };
    const { language: _none, ...undecided } = ACCOUNT;
    const written = async (...of: Parameters<typeof mailOf>) => (await mailOf(...of)).language;
    expect(await written({ ...event, language: 'fr' }, { ...undecided, language: 'en' }, settings)).toBe('en');
    expect(await written({ ...event, language: 'fr' }, undecided, settings)).toBe('fr');
    expect(await written(event, undecided, settings)).toBe('en');
  });

  it('ends with whom to ask: what the operator says and the help page, else the team', async () => {
    const event = { event: 'passkey.added', account: 'a1' } as const;
    const english = { ...ACCOUNT, language: 'en' as const };
    expect((await mailOf(event, english)).text).toContain('the team that runs Hôpital Sud');
    const helpText = { fr: 'Appelez le 1234.', en: 'Call 1234.' };
    const branding = { ...FRAME.branding, supportUrl: 'https://help.clinic.example/', helpText };
    const { text } = await mailOf(event, english, { ...FRAME, branding });
    expect(text).toMatch(/Call 1234\.\n.*help\.clinic\.example/);
    expect(text).not.toContain('the team that runs Hôpital Sud');
  });

  it('nobody is told of other events, nor by an event without an account', async () => {
    queued.length = 0;
    await trail.record({ event: 'sign-in.succeeded', account: 'a1' } as AuditEvent);
    await trail.record({ event: 'passkey.added' });
    await trail.settled();
    expect(queued).toEqual([]);
  });
});

describe('in a running service', () => {
  openedForAll(() => ({ close: trustMailServer() }));
  const server = openedForAll(startMailServer);
  const service = openedForAll(() =>
    startService({ adjust: (settings) => ({ ...settings, mail: server.settings() }) }),
  );

  it.each([
    [0, 'fr', 'Hygie\u00a0: Votre mot de passe a été changé'],
    [3, null, 'Hygie: Your password was changed'],
    [1, 'en', 'Hygie: Your password was changed'],
  ] as const)(
    'person %i changes the password: their own address is told, in the language %s',
    async (index, language, subject) => {
      await openAccounts(service.database).update(idOf(index), { language });
      const { person } = await enteredBy(service.issuer, index);
      const page = await openAccount(person, index, '/account/password');
      const { login, password } = credentialsOf(index);
      const fields = { password, ...twice('tortue violette sous la pluie') };
      expect((await person.press(page, 'save-password', fields)).status).toBe(200);
      const mail = await mailTo(server, login, /./);
      expect([mail.subject, mail.recipients, linksIn(mail)]).toEqual([subject, [login], []]);
    },
  );

  it('a sign-in from a device of another kind is told, the first one ever is not', async () => {
    const { login } = credentialsOf(2);
    const enter = async (agent: string) => {
      const send = (url: URL, init: RequestInit) =>
        fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, 'user-agent': agent } });
      const person = createPerson(service.issuer, send as never);
      expect((await openAccount(person, 2)).status).toBe(200);
    };
    await enter('Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0');
    await enter(
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
    );
    const mail = await mailTo(server, login, /appareil|device/);
    expect(mail.text).toContain('Safari on macOS');
    expect(server.received.filter(({ recipients }) => recipients.includes(login))).toHaveLength(1);
    const events = await service.database('audit_events').where({ event: 'mail.sent' });
    // SEC-17: who was told what, without its text.
    expect(JSON.stringify(events)).not.toContain(login);
  });
});

// The outbox of development: the pages that say a mail was sent lead to it, and it shows the mail with its link; production has none.
describe('the outbox', () => {
  const service = openedForAll(startService);

  /** Follows the link of a page to the outbox, and opens its newest mail. */
  async function newest(person: Person, page: Visit): Promise<Visit> {
    const outbox = /id="outbox" href="([^"]+)"/.exec(page.html)?.[1];
    expect(outbox).toBe('/outbox');
    let mail: string | undefined;
    await until(async () => {
      mail = /<a href="(\/outbox\/\d+)">/.exec((await person.visit('/outbox')).html)?.[1];
      return mail !== undefined;
    }, 'a mail in the outbox');
    return person.visit(mail ?? '');
  }

  it('holds the mail for a forgotten password as text and as HTML, which loads and runs nothing', async () => {
    const person = createPerson(service.issuer);
    person.cookies.set('hygie_language /', 'en');
    expect((await person.visit('/outbox')).html).toContain('No e-mail yet');
    expect((await person.visit('/')).html).toContain('href="/outbox"');
    const asking = await person.visit('/account-link/password-reset');
    const sent = await person.press(asking, 'send-link', { login: credentialsOf(0).login });
    await askedLongAgo(service);
    const mail = await newest(person, sent);
    const link = /<a href="([^"]+\/account-link\/password-reset\/[\w-]{43})"/.exec(mail.html)?.[1] ?? '';
    expect((await person.visit(link)).html).toContain('id="save-password"');
    const asHtml = await person.visit(/id="as-html" href="([^"]+)"/.exec(mail.html)?.[1] ?? '');
    expect(asHtml.html).toContain(link);
    const policy = asHtml.headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; style-src 'unsafe-inline'/);
    expect(policy).not.toContain('script-src');
    for (const unknown of ['/outbox/999', '/outbox/999/html', '/outbox/x']) {
      expect([unknown, (await person.visit(unknown)).status]).toEqual([unknown, 404]);
    }

    // It is linked where an address is changed as well.
    const { person: another } = await enteredBy(service.issuer, 1);
    const page = await openAccount(another, 1, '/account/email');
    const asked = await another.press(page, 'change-email', { action: 'change', email: 'new@clinic.example' });
    const isShown = async () => (await newest(another, asked)).html.includes('new@clinic.example');
    await until(isShown, 'the mail to the new address');
  });

  it('is no page of a service that sends mails, nor of production', async () => {
    const mail = { host: 'localhost', port: 9, security: 'none', from: 'a@b.example', language: 'fr' } as const;
    const sending = await startService({ adjust: (settings) => ({ ...settings, mail }) });
    try {
      const person = createPerson(sending.issuer);
      expect((await person.visit('/outbox')).status).toBe(404);
      expect((await person.visit('/')).html).not.toContain('/outbox');
    } finally {
      await sending.stop();
    }
  });
});
