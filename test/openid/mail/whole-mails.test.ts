// SEC-44, SEC-69, SEC-74: mails as they are composed, whole.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createComposer, testMessage } from '#openid/mail/compose.ts';
import { openDevelopmentOutbox } from '#openid/mail/development-outbox.ts';
import { htmlText, plainText } from '#openid/mail/layout.ts';
import type { Message } from '#openid/mail/mail-queue-worker.ts';
import type { Account } from '#store/accounts/account-row.ts';
import type { QueuedMail } from '#store/outbox/mail-queue.ts';
import { messagesIn } from '#web/messages.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z') / 1000;
const ISSUER = 'https://connect.clinic.example:8443/base';
const ACCOUNT = {
  id: 'a1',
  name: 'Camille',
  email: 'camille@clinic.example',
  status: 'active',
  language: 'en',
} as Account;
const { mails } = messagesIn('en');

describe('a mail', () => {
  beforeEach(() => void jest.useFakeTimers({ now: NOW * 1000 }));
  afterEach(() => void jest.useRealTimers());

  const QUEUED = { id: '7', kind: 'invitation', accountId: 'a1', topic: '', details: {}, createdAt: NOW - 60 } as const;
  const queued = (more: Partial<QueuedMail>): QueuedMail => ({ ...QUEUED, attempts: 1, ...more });
  const FRAME = { issuer: ISSUER, branding: { name: 'Hôpital Sud', colour: '#0b5f6b' } };
  /** The mail that is composed, and the tokens that were asked for. */
  async function composed(
    mail: Partial<QueuedMail>,
    { account = ACCOUNT as Account | null, frame = FRAME, mints = true } = {},
  ) {
    const minted: unknown[] = [];
    const mint = async (wanted: unknown) => {
      minted.push(wanted);
      return mints ? { token: 'TOKEN', expiresAt: NOW + 7200 } : undefined;
    };
    const compose = createComposer({ ...frame, find: async () => account ?? undefined, links: { mint } as never });
    return { mail: await compose(queued(mail)), minted };
  }
  const footer = ['-- ', mails.footer('Hôpital Sud', 'connect.clinic.example:8443'), mails.askTeam('Hôpital Sud')];
  /** The text in one line for each paragraph, as wrapping may have broken it. */
  const words = (text = '') => text.replace(/\s+/g, ' ').trim();

  it.each(['invitation', 'password-reset', 'email-verification', 'email-change'] as const)(
    'of the kind %s has a link of its own',
    async (kind) => {
      const { mail, minted } = await composed({ kind, details: { state: 'as it was', other: 1 } });
      const own = mails[kind];
      expect(minted).toEqual([{ purpose: kind, accountId: 'a1', email: undefined, state: 'as it was' }]);
      expect(mail).toEqual({
        kind,
        topic: '',
        to: 'camille@clinic.example',
        subject: own.subject('Hôpital Sud'),
        language: 'en',
        text: expect.any(String),
        html: expect.any(String),
        messageId: expect.stringMatching(/^[0-9a-f]{32}@connect\.clinic\.example$/),
      });
      const link = `${ISSUER}/account-link/${kind}/TOKEN`;
      expect(words(mail?.text)).toBe(
        words(
          [
            mails.greeting('Camille'),
            own.lead('Hôpital Sud', 'camille@clinic.example'),
            `${mails.linkBelow(own.action)} ${link}`,
            own.lifetime('2 hours'),
            own.unexpected,
            ...footer,
          ].join(' '),
        ),
      );
      expect(mail?.text.split('\n').filter((line) => line.length > 72)).toEqual(
        mail?.text.split('\n').filter((line) => line === link && line.length > 72),
      );
      expect(mail?.html).toContain(`<a href="${link}"`);
      expect((await composed({ kind })).minted).toEqual([{ purpose: kind, accountId: 'a1', email: undefined }]);
    },
  );

  it('goes to the address of the time, greets its owner alone, and to nobody who is gone', async () => {
    const elsewhere = await composed({ kind: 'email-change', to: 'new@clinic.example' });
    expect([elsewhere.mail?.to, elsewhere.minted]).toEqual([
      'new@clinic.example',
      [{ purpose: 'email-change', accountId: 'a1', email: 'new@clinic.example' }],
    ]);
    expect(elsewhere.mail?.text).not.toContain('Camille');
    expect([
      (await composed({}, { account: null })).mail,
      (await composed({}, { mints: false })).mail,
      (await composed({ kind: 'notice', topic: 'sign-in.succeeded' })).mail,
    ]).toEqual([undefined, undefined, undefined]);
  });

  it('has an id that is new for each link, and the same for each attempt of a notice', async () => {
    const id = async (more: Partial<QueuedMail>) => (await composed(more)).mail?.messageId;
    const notice = { kind: 'notice', topic: 'passkey.added' } as const;
    expect(await id({ attempts: 2 })).not.toBe(await id({}));
    expect(await id({})).toBe(await id({}));
    expect(await id({ ...notice, attempts: 2 })).toBe(await id(notice));
    expect(
      new Set([await id(notice), await id({ ...notice, id: '8' }), await id({ ...notice, createdAt: 1 })]).size,
    ).toBe(3);
  });

  it('that is a notice names account, time and device, and how to go on', async () => {
    const about = { kind: 'notice', topic: 'passkey.added', details: { device: 'Firefox, Windows' } } as const;
    const { leads, byOperator, wasYou, notYou, notYouTell, noLink } = mails.notice;
    const place = notYou('connect.clinic.example:8443/base/account');
    const time = expect.stringMatching(/2026/);
    const lines = async (more: Partial<QueuedMail>) => words((await composed({ ...about, ...more })).mail?.text);
    const facts = (text: string) => /Account: (\S+) (?:Date|Time)[^:]*: (.*?2026.*?\d\d:\d\d)/.exec(text)?.slice(1);
    const usual = await lines({});
    expect(facts(usual)).toEqual(['camille@clinic.example', time]);
    for (const part of [
      mails.greeting('Camille'),
      leads['passkey.added'],
      `${mails.device}: Firefox on Windows`,
      wasYou,
      place,
      noLink,
    ])
      expect(usual).toContain(words(part));
    const operator = await lines({ details: { byOperator: true } });
    expect([
      operator.includes(words(byOperator)),
      operator.includes(words(wasYou)),
      operator.includes(mails.device),
    ]).toEqual([true, false, false]);
    for (const topic of ['account.email-changed', 'account.deleted'] as const) {
      const lost = await lines({ topic });
      expect([lost.includes(words(notYouTell)), lost.includes(words(place))]).toEqual([true, false]);
    }
  });

  it('for the operator says what happened, in the words of the command', async () => {
    const of = async (topic: string) => {
      const details = { reasons: 'one\n\u202etwo\u0007 \n\nthree' };
      const frame = { ...FRAME, mail: { language: 'en' as const, replyTo: 'help@clinic.example' } };
      return (
        await composed(
          { kind: 'operator', accountId: '', to: 'ops@clinic.example', topic, details },
          { account: null, frame },
        )
      ).mail;
    };
    for (const [topic, words_] of [
      ['directory.refused x', mails.operator.directory],
      ['backup.failed y', mails.operator.backup],
    ] as const) {
      const mail = await of(topic);
      expect(mail).toMatchObject({
        kind: 'operator',
        topic,
        to: 'ops@clinic.example',
        subject: `Hôpital Sud: ${words_.subject}`,
      });
      const text = mail?.text ?? '';
      expect(words(text.split(words(mails.time))[0])).toBe(words(`${words_.lead} one two three`));
      expect(words(text)).toContain(
        words(`${words_.remedy} -- ${mails.footerAnswered('Hôpital Sud', 'connect.clinic.example:8443')}`),
      );
    }
  });

  it('by which an operator tries the settings is of their language', () => {
    const mail = testMessage({ ...FRAME, mail: { language: 'en' } }, 'x@clinic.example');
    expect(mail).toMatchObject({
      kind: 'test',
      topic: '',
      to: 'x@clinic.example',
      language: 'en',
      subject: mails.test.subject('Hôpital Sud'),
    });
    expect(words(mail.text)).toBe(words([mails.test.lead('Hôpital Sud'), ...footer].join(' ')));
    const [one, other] = [testMessage(FRAME, 'x'), testMessage(FRAME, 'x')];
    expect([one.language, one.messageId === other.messageId]).toEqual(['fr', false]);
  });

  it('is laid out in lines of 72 characters, and as HTML of the same parts', () => {
    const text = {
      language: 'fr' as const,
      title: 'Titre',
      greeting: 'Bonjour,',
      paragraphs: ['a'.repeat(36), `${'b'.repeat(35)} ${'c'.repeat(36)} d`],
      facts: [
        ['Compte', 'x'],
        ['Date', 'y'],
      ] as const,
      action: { label: 'Choisir', url: 'https://c.example/x' },
      closing: ['Fin.'],
      footer: ['Un.', 'Deux.'],
    };
    expect(plainText(text)).toBe(
      [
        ...['Bonjour,', '', 'a'.repeat(36), '', `${'b'.repeat(35)} ${'c'.repeat(36)}`, 'd', ''],
        ...['Compte\u00a0: x', 'Date\u00a0: y', ''],
        ...[
          messagesIn('fr').mails.linkBelow('Choisir'),
          'https://c.example/x',
          '',
          'Fin.',
          '',
          '-- ',
          'Un.',
          'Deux.',
          '',
        ],
      ].join('\n'),
    );
    expect(
      plainText({
        ...text,
        language: 'en',
        greeting: undefined,
        facts: [['A', 'b']],
        action: undefined,
        paragraphs: [],
      }),
    ).toBe('A: b\n\nFin.\n\n-- \nUn.\nDeux.\n');
    const parts = (html: string) =>
      html
        .replace(/<title>.*<\/title>/, '')
        .split(/<[^>]+>/)
        .map((part) => part.trim())
        .filter(Boolean);
    const branding = { name: 'Sud', colour: '#0b5f6b' };
    expect(parts(htmlText(text, branding))).toEqual([
      ...['Sud', 'Titre', 'Bonjour,', ...text.paragraphs, 'Compte', 'x', 'Date', 'y', 'Choisir'],
      ...[messagesIn('fr').mails.linkAlternative, 'https://c.example/x', 'Fin.', 'Un.', 'Deux.'],
    ]);
    const { greeting: _greeting, facts: _facts, action: _action, ...bare } = text;
    expect(parts(htmlText(bare, branding))).toEqual(['Sud', 'Titre', ...text.paragraphs, 'Fin.', 'Un.', 'Deux.']);
    expect(htmlText(text, branding)).toMatch(/^<!DOCTYPE html>\n<html lang="fr">[\s\S]*background-color: #0b5f6b/);
  });

  it('in development is kept, a hundred at most, newest first', async () => {
    const outbox = openDevelopmentOutbox();
    for (let count = 1; count <= 101; count += 1)
      await outbox.send({ subject: `${count}` } as Message, AbortSignal.timeout(9));
    const kept = outbox.list();
    expect([kept.length, kept[0], kept.at(-1)?.id, outbox.find(1), outbox.find(2)?.subject]).toEqual([
      ...[100, { subject: '101', id: 101, at: NOW }, 2, undefined, '2'],
    ]);
  });
});
