// Composes a queued mail: the text in the person's language, and a link with a new token.

import { createHash } from 'node:crypto';
import type { Settings } from '#config/settings.ts';
import type { Account } from '#store/accounts/account-row.ts';
import type { ActionTokens } from '#store/accounts/action-tokens.ts';
import { epochSeconds } from '#store/database/connection.ts';
import type { LinkKind, QueuedMail } from '#store/outbox/mail-queue.ts';
import { formatDateTime, formatDuration } from '#web/dates.ts';
import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '#web/language.ts';
import { deviceName, messagesIn } from '#web/messages.ts';
import { htmlText, type MailText, plainText } from './layout.ts';
import type { Message } from './mail-queue-worker.ts';
import { isNotice, type NoticeTopic } from './notices.ts';

type Branding = Pick<Settings['branding'], 'name' | 'colour' | 'supportUrl' | 'helpText'>;

/** Facts about the service that every mail needs. */
interface MailFrame {
  issuer: string;
  branding: Branding;
  mail?: Pick<NonNullable<Settings['mail']>, 'replyTo' | 'language'>;
}

interface ComposeOptions extends MailFrame {
  find(accountId: string): Promise<Account | undefined>;
  links: Pick<ActionTokens, 'mint'>;
}

/** Facts about one mail and its recipient. */
interface Facts {
  email: string;
  account: Account | undefined;
  mail: QueuedMail;
}

/** The text of a mail without what `message` adds to every mail. */
type OwnText = Omit<MailText, 'language' | 'footer'>;

/**
 * Makes the function that composes a mail. The returned function resolves with undefined if the mail has no recipient any more. For a mail
 * with a link, it also resolves with undefined if the account is disabled, or has changed since somebody asked for the link.
 */
export function createComposer(options: ComposeOptions): (mail: QueuedMail) => Promise<Message | undefined> {
  const { find, links, issuer } = options;
  return async (mail) => {
    const { kind, topic, accountId, details } = mail;
    const account = await find(accountId);
    const email = mail.to ?? account?.email;
    if (email === undefined) return undefined;
    const language = languageFor(options, account, mail);
    const facts = { email, account, mail };
    // A mail without a link has the same Message-ID at each attempt to send it, so that mailboxes show it only once.
    const about = { kind, topic, to: email, language, unique: [mail.id, mail.createdAt] };
    if (kind === 'operator') return message(options, { ...about, text: toOperator(options, language, mail) });
    if (kind === 'notice') {
      return isNotice(topic)
        ? message(options, { ...about, text: notice(options, language, topic, facts) })
        : undefined;
    }
    const state = details['state'];
    const minted = await links.mint({
      purpose: kind,
      accountId,
      email: mail.to,
      ...(typeof state === 'string' && { state }),
    });
    if (!minted) return undefined;
    const url = `${issuer}/account-link/${kind}/${minted.token}`;
    const link = { url, lifetime: minted.expiresAt - epochSeconds() };
    const text = withLink(options, language, kind, { ...facts, link });
    // Each attempt to send the mail makes a new link, and only the newest link is valid. So each attempt also has its own Message-ID. With
    // a common one, a mailbox that keeps one mail for each Message-ID would keep the first mail, with a link that is no longer valid.
    return message(options, { ...about, text, unique: [...about.unique, mail.attempts] });
  };
}

/** Makes the mail with which an operator tries the mail settings. */
export function testMessage(frame: MailFrame, to: string): Message {
  const language = frame.mail?.language ?? DEFAULT_LANGUAGE;
  const { test } = messagesIn(language).mails;
  const { name } = frame.branding;
  const text = { title: titleWith(test.subject, name), paragraphs: [test.lead(name)], closing: [] };
  return message(frame, { kind: 'test', topic: '', to, language, text, unique: [crypto.randomUUID()] });
}

/**
 * Makes the text of a mail to an operator about a refused import or a failed backup. The text contains the reasons, in the words of the
 * command or the log, and the remedy.
 */
function toOperator(frame: MailFrame, language: Language, { topic, details, createdAt }: QueuedMail): OwnText {
  const { mails } = messagesIn(language);
  const { subject, lead, remedy } = mails.operator[topic.startsWith('directory') ? 'directory' : 'backup'];
  const reasons = String(details['reasons'] ?? '').split('\n');
  return {
    title: titleOf(frame, language, subject),
    paragraphs: [lead, ...reasons.map(oneLine).filter(Boolean)],
    facts: [[mails.time, formatDateTime(createdAt, language)]],
    closing: [remedy],
  };
}

/**
 * Returns the language of the account. If that is unknown, returns the language of the page where the person acted, or else
 * `mail.language`.
 */
function languageFor(frame: MailFrame, account: Account | undefined, mail: QueuedMail): Language {
  const chosen = [account?.language, mail.language, frame.mail?.language];
  return chosen.flatMap((one) => LANGUAGES.find((language) => language === one) ?? [])[0] ?? DEFAULT_LANGUAGE;
}

/** Maximum characters of a subject that contains the service's name, because lists of mails show a subject of this length in full. */
const LONGEST_SUBJECT = 60;

/**
 * Returns the service's name followed by the subject. If both together are too long, returns the subject alone, because the sender of the
 * mail shows the name too.
 */
function titleOf({ branding: { name } }: MailFrame, language: Language, subject: string): string {
  const title = `${name}${language === 'fr' ? '\u00a0' : ''}: ${subject}`;
  return title.length > LONGEST_SUBJECT ? subject : title;
}

/** Returns the subject with the service's name in it, or without the name if it would be too long. */
function titleWith(subject: (service: string) => string, name: string): string {
  const title = subject(name);
  return title.length > LONGEST_SUBJECT ? subject('') : title;
}

function message(
  frame: MailFrame,
  of: Pick<Message, 'kind' | 'topic' | 'to' | 'language'> & { text: OwnText; unique: readonly (string | number)[] },
): Message {
  const { kind, topic, to, language, unique } = of;
  const text = { ...of.text, language, footer: footer(frame, language) };
  const id = createHash('sha256')
    .update([frame.issuer, kind, ...unique].join(' '))
    .digest('hex')
    .slice(0, 32);
  return {
    kind,
    topic,
    to,
    subject: text.title,
    text: plainText(text),
    html: htmlText(text, frame.branding),
    messageId: `${id}@${new URL(frame.issuer).hostname.replace(/[^\w.-]/g, '')}`,
    language,
  };
}

function withLink(
  frame: MailFrame,
  language: Language,
  kind: LinkKind,
  { email, account, link }: Facts & { link: { url: string; lifetime: number } },
): OwnText {
  const { mails } = messagesIn(language);
  const { name } = frame.branding;
  const words = mails[kind];
  return {
    title: titleWith(words.subject, name),
    greeting: greeting(language, email, account),
    paragraphs: [words.lead(name, email)],
    action: { label: words.action, url: link.url },
    closing: [words.lifetime(formatDuration(link.lifetime, language)), words.unexpected],
  };
}

function notice(
  frame: MailFrame,
  language: Language,
  topic: NoticeTopic,
  { email, account, mail: { details, createdAt } }: Facts,
): OwnText {
  const { mails } = messagesIn(language);
  const words = mails.notice;
  const byOperator = details['byOperator'] === true;
  const device = typeof details['device'] === 'string' ? oneLine(details['device']) : undefined;
  // The scheme is left out, so that most mail programs do not turn the address into a link. A notice has no link, so that people learn to
  // type the address (decision 0072).
  const accountPages = `${frame.issuer.replace(/^https?:\/\//, '')}/account`;
  // A notice with one of these topics does not name the account pages, because a person who has lost the address or the account cannot use
  // them.
  const lost = topic === 'account.email-changed' || topic === 'account.deleted';
  return {
    title: titleOf(frame, language, words.subjects[topic]),
    greeting: greeting(language, email, account),
    paragraphs: [words.leads[topic], ...(byOperator ? [words.byOperator] : [])],
    facts: [
      [mails.account, email],
      [mails.time, formatDateTime(createdAt, language)],
      ...(byOperator ? [] : [[mails.device, deviceName(device, language)] as const]),
    ],
    closing: [
      ...(byOperator ? [] : [words.wasYou]),
      lost ? words.notYouTell : words.notYou(accountPages),
      words.noLink,
    ],
  };
}

/**
 * Greets by name, but only in mails to the account's own address. People choose their names, so a greeting in a mail to another address
 * could carry a text of their choice to a stranger.
 */
function greeting(language: Language, email: string, account: Account | undefined): string | undefined {
  return account?.email === email ? messagesIn(language).mails.greeting(oneLine(account.name)) : undefined;
}

function footer({ issuer, branding, mail }: MailFrame, language: Language): string[] {
  const { mails } = messagesIn(language);
  const { name, supportUrl, helpText } = branding;
  const { host } = new URL(issuer);
  const whom = [
    ...(helpText === undefined ? [] : [helpText[language]]),
    ...(supportUrl === undefined
      ? []
      : [mails.help(supportUrl.replace(/^(mailto:|https?:\/\/)/, '').replace(/\/$/, ''))]),
  ];
  return [
    mail?.replyTo === undefined ? mails.footer(name, host) : mails.footerAnswered(name, host),
    ...(whom.length > 0 ? whom : [mails.askTeam(name)]),
  ];
}

/** Replaces characters that could add lines to a mail or reverse the direction of its text. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();
}
